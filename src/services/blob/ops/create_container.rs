//! Create Container.
use crate::operation::{Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::{PublicAccess, RequiredPermission};
use crate::rules::auth::roles::RoleAction;
use crate::rules::encryption::DefaultEncryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE_CONTAINER;
use crate::services::blob::state::Container;
use crate::services::shared::resource_index::ResourceIndex;

pub(super) static CREATE_CONTAINER: Operation<Blobs> = operation!(
    create_container,
    Input,
    OperationSpec {
        name: "Create Container",
        requires: RequiredPermission::container("cw").account_sas_only().actions(&[&[RoleAction::ContainerWrite]]),
        status: 201,
        ..WRITE_CONTAINER
    }
);

input! { pub(super) Input {
    metadata: Metadata,
    access: Option<PublicAccess> = Header "x-ms-blob-public-access",
    encryption: DefaultEncryption,
} }

/// The properties of a new container.
pub(in crate::services::blob) struct NewContainer {
    pub(in crate::services::blob) metadata: Metadata,
    pub(in crate::services::blob) access: PublicAccess,
    pub(in crate::services::blob) encryption: DefaultEncryption,
}

async fn create_container(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let access = input.access.unwrap_or(PublicAccess::Private);
    let new = NewContainer { metadata: input.metadata, access, encryption: input.encryption };
    create(blobs, &request, new).await
}

/// Creates the container that the request names. In an account with a hierarchical namespace it has a root directory, which the caller owns.
///
/// # Errors
/// 409 ContainerAlreadyExists or ContainerBeingDeleted.
pub(in crate::services::blob) async fn create(
    blobs: &Blobs,
    request: &Request,
    new: NewContainer,
) -> Result<Reply, StorageError> {
    let container = Container::new(request.now, new.metadata, new.access, new.encryption);
    let container = match request.account.hns {
        true => container.with_hierarchy(&request.principal, request.now),
        false => container,
    };
    let reply = Reply::new(request.spec.status).with_state(container.etag(), container.properties().last_modified);
    let name = request.target.resource_name()?;
    let create = |containers: &mut ResourceIndex<Container>| {
        containers.check_free(name, request.now)?;
        // It is unknown how the service refuses a system container: no recording and no test has one.
        if names::SYSTEM.contains(&name) {
            return Err(ErrorCode::AuthorizationFailure.into());
        }
        containers.insert(name.into(), blobs.cell(container));
        Ok(reply)
    };
    blobs.write_index(request, create).await
}
