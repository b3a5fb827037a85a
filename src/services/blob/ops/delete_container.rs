//! Delete Container: deletes the container with its blobs, leased or not; only its own lease protects it. An account may retain it for
//! some days.
use crate::operation::{Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE_CONTAINER;
use crate::services::blob::state::Container;
use crate::services::shared::resource_index::ResourceIndex;

pub(super) static DELETE_CONTAINER: Operation<Blobs> = operation!(
    delete_container,
    OperationSpec {
        name: "Delete Container",
        methods: &["DELETE"],
        requires: RequiredPermission::container("d").account_sas_only().actions(&[&[RoleAction::ContainerDelete]]),
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::Required,
        status: 202,
        ..WRITE_CONTAINER
    }
);

pub(in crate::services::blob) async fn delete_container(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let name = request.target.resource_name()?;
    let delete = |containers: &mut ResourceIndex<Container>| {
        // A container that is being deleted can be deleted again, without effect (recorded).
        if !containers.contains_key(name) && containers.is_going(name, request.now) {
            return Ok(());
        }
        containers.delete(name, request.now, request.account.container_retention, |container| {
            container.check_container(&request)?;
            if names::SYSTEM.contains(&name) {
                return Err(ErrorCode::AuthorizationFailure.into());
            }
            match request.account.immutability {
                true => container.check_empty(request.now),
                false => container.check_unprotected(request.now),
            }
        })
    };
    blobs.write_index(&request, delete).await?;
    Ok(Reply::new(request.spec.status))
}
