//! Rename Container: its blobs and its policies keep what they are under another name of the account. Its lease ends.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::{lease, names};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::Container;

pub(super) static RENAME_CONTAINER: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Rename Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "rename")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    source: String = Header "x-ms-source-container-name",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let account = blobs.account(&request.account.name)?;
    account
        .resources
        .write(|containers| {
            // Recorded: a name that is taken is refused before the source is looked for.
            containers.check_free(request.target.container()?, request.now)?;
            if [request.target.container()?, asked.source.as_str()].iter().any(|container| names::SYSTEM.contains(container)) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            let cell = containers.remove(asked.source.as_str()).ok_or(ErrorCode::ContainerNotFound)?;
            let renew = |container: &mut Container| {
                lease::check(
                    container.lease(),
                    LeaseCheck::Required,
                    asked.source_lease,
                    LeasedResource::Container,
                    request.now,
                )?;
                container.renew(request.now);
                Ok(())
            };
            cell.edit(renew, false)?;
            containers.insert(request.target.container()?.into(), cell);
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
