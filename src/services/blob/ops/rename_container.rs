//! Rename Container: moves a container with its blobs and its policies to another name of the account. Its lease ends.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::{lease, names};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE_CONTAINER;
use crate::services::blob::state::Container;
use crate::services::shared::resource_index::ResourceIndex;

pub(super) static RENAME_CONTAINER: Operation<Blobs> = operation!(
    rename_container,
    Input,
    OperationSpec {
        name: "Rename Container",
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "rename")],
        requires: RequiredPermission::container("w").account_sas_only().actions(&[&[RoleAction::ContainerWrite]]),
        ..WRITE_CONTAINER
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-source-container-name",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
} }

async fn rename_container(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let name = request.target.resource_name()?;
    let renew = |container: &mut Container| {
        lease::check(container.lease(), LeaseCheck::Required, input.source_lease, LeasedResource::Container, request.now)?;
        container.renew(request.now);
        Ok(())
    };
    let rename = |containers: &mut ResourceIndex<Container>| {
        // A name that is in use is refused before the source is looked up (recorded).
        containers.check_free(name, request.now)?;
        if [name, &input.source].iter().any(|container| names::SYSTEM.contains(container)) {
            return Err(ErrorCode::AuthorizationFailure.into());
        }
        let cell = containers.remove(input.source.as_str()).ok_or(ErrorCode::ContainerNotFound)?;
        cell.edit(renew, false)?;
        containers.insert(name.into(), cell);
        Ok(())
    };
    blobs.write_index(&request, rename).await?;
    Ok(Reply::new(request.spec.status))
}
