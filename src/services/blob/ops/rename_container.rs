//! Rename Container: moves a container with its blobs and its policies to another name of the account. Its lease ends.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::{lease, names};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE_CONTAINER;
use crate::services::blob::state::Container;

pub(super) static RENAME_CONTAINER: Operation<Blobs> = operation!(
    rename_container,
    Input,
    OperationSpec {
        name: "Rename Container",
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "rename")],
        requires: RequiredPermission::container("w").account_sas_only(),
        ..WRITE_CONTAINER
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-source-container-name",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
} }

async fn rename_container(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let account = blobs.account(&request.account.name)?;
    account
        .resources
        .write(|containers| {
            // A name that is in use is refused before the source is looked up (recorded).
            containers.check_free(request.target.container()?, request.now)?;
            if [request.target.container()?, &input.source].iter().any(|container| names::SYSTEM.contains(container)) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            let cell = containers.remove(input.source.as_str()).ok_or(ErrorCode::ContainerNotFound)?;
            let renew = |container: &mut Container| {
                lease::check(
                    container.lease(),
                    LeaseCheck::Required,
                    input.source_lease,
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
