//! Restore Container and Restore Share: a deleted container or share comes back within its retention, under its name or another one.

use crate::operation::{Access, FieldLocation, Fields, FromField, FromRequest, Input, Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::retention;
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::{Described, selectors, with_state};
use crate::services::shared::resource_index::Restorable;
use std::marker::PhantomData;

/// Declares the operation.
pub const fn operation<S: Restorable + Described>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    operation!(
        run,
        RestoreInput::<S>,
        OperationSpec {
            name,
            methods: &["PUT"],
            resource: S::READ.resource,
            selectors: selectors!(S, "undelete"),
            requires: RequiredPermission::container("w").account_sas_only().actions(S::ACTIONS.restore),
            access: Access::Write,
            status: 201,
            ..OperationSpec::DEFAULT
        }
    )
}

struct RestoreInput<S> {
    name: String,
    created: Timestamp,
    resource: PhantomData<fn() -> S>,
}

impl<S: Restorable> FromRequest for RestoreInput<S> {
    const INPUTS: &'static [Input] = &[Input::required_header(S::DELETED_NAME), Input::required_header(S::DELETED_VERSION)];

    fn from_request(fields: &Fields<'_>) -> Result<RestoreInput<S>, StorageError> {
        let text = |name| String::from_field(fields, FieldLocation::Header, name);
        let (name, version) = (text(S::DELETED_NAME)?, text(S::DELETED_VERSION)?);
        // A malformed version names nothing: no resource was created at the beginning of time.
        let created = retention::read_container_version(&version).unwrap_or_default();
        Ok(RestoreInput { name, created, resource: PhantomData })
    }
}

async fn run<S: Restorable + Described>(
    accounts: &ServiceAccounts<S>,
    request: Request,
    input: RestoreInput<S>,
) -> Result<Reply, StorageError> {
    let account = accounts.account(&request.account.name)?;
    account
        .resources
        .write(|index| index.restore(&input.name, input.created, request.target.resource_name()?, request.now))
        .await?;
    let reply = Reply::new(request.spec.status);
    if !S::RESTORE_REPORTS_STATE {
        return Ok(reply);
    }
    Ok(with_state(reply, S::find(accounts, &request)?.read().last_modified()))
}
