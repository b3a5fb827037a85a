//! Get and Set Service Properties.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::resource::Resource;

/// The largest body of a Set Service Properties, in bytes.
const LIMIT: u64 = 64 << 10;

/// Declares Get Service Properties of a service.
pub const fn get<S: Resource>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    operation!(
        read,
        OperationSpec { name, methods: &["GET"], requires: account_sas("r").actions(S::ACTIONS.service_read), ..SPEC }
    )
}

/// Declares Set Service Properties of a service.
pub const fn set<S: Resource>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    operation!(update, set_spec::<S>(name))
}

/// The specification of [`set`], for a service that does more than set them.
pub const fn set_spec<S: Resource>(name: &'static str) -> OperationSpec {
    let requires = account_sas("w").actions(S::ACTIONS.service_write);
    OperationSpec { name, methods: &["PUT"], requires, access: Access::Write, status: 202, ..SPEC }
}

const SPEC: OperationSpec = OperationSpec {
    resource: ResourceKind::Service,
    selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "properties")],
    ..OperationSpec::DEFAULT
};

const fn account_sas(letters: &'static str) -> RequiredPermission {
    RequiredPermission::service(letters).account_sas_only()
}

async fn read<S: Resource>(accounts: &ServiceAccounts<S>, request: Request) -> Result<Reply, StorageError> {
    let properties = accounts.account(&request.account.name)?.properties.read();
    Ok(Reply::xml(request.spec.status, properties.document(S::KIND, request.version)))
}

/// Performs Set Service Properties.
///
/// # Errors
/// As [`Properties::updated`](crate::services::shared::properties::Properties::updated).
pub async fn update<S: Resource>(accounts: &ServiceAccounts<S>, mut request: Request) -> Result<Reply, StorageError> {
    let document = request.body.bytes(LIMIT).await?;
    let account = accounts.account(&request.account.name)?;
    account
        .properties
        .write(|properties| {
            *properties = properties.updated(&document, S::KIND)?;
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
