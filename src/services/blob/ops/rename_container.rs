//! Rename Container: its blobs and its policies keep what they are under another name of the account. Its lease ends.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
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
    run: |blobs, request| Box::pin(run(blobs, request)),
};

takes! { Asked {
    source: String = Header "x-ms-source-container-name",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    let account = blobs.account(&request.account.name)?;
    account
        .resources
        .write(|containers| {
            // Recorded: a name that is taken is refused before the source is looked for.
            containers.check_free(request.container(), request.now)?;
            if [request.container(), &asked.source].iter().any(|container| names::SYSTEM.contains(container)) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            let cell = containers.remove(asked.source.as_str()).ok_or(ErrorCode::ContainerNotFound)?;
            let renew = |container: &mut Container| {
                lease::check(container.lease(), LeaseCheck::Required, asked.source_lease, LeasedResource::Container, request.now)?;
                container.renew(request.now);
                Ok(())
            };
            cell.edit(renew, false)?;
            containers.insert(request.container().into(), cell);
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
