//! Rename Container: its blobs and its policies keep what they are under another name of the account. Its lease ends.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::{lease, names};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::Container;
use crate::takes;

pub(super) static RENAME_CONTAINER: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Rename Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "rename")],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "w",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    source: String = Header "x-ms-source-container-name",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
} }

async fn run(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    let account = blobs.account(&call.account.name)?;
    account
        .resources
        .write(|containers| {
            // Recorded: a name that is taken is refused before the source is looked for.
            containers.check_free(call.container(), call.now)?;
            if [call.container(), &asked.source].iter().any(|container| names::SYSTEM.contains(container)) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            let cell = containers.remove(asked.source.as_str()).ok_or(ErrorCode::ContainerNotFound)?;
            let renew = |container: &mut Container| {
                lease::check(container.lease(), LeaseCheck::Required, asked.source_lease, LeasedResource::Container, call.now)?;
                container.renew(call.now);
                Ok(())
            };
            cell.edit(renew, false)?;
            containers.insert(call.container().into(), cell);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.spec.status))
}
