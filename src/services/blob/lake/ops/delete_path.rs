//! Delete a file, or a directory with all that it contains.

use crate::operation::{Operation, OperationSpec, Reply, Request, Sources};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::discarded::remove_some;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::DeletionSteps;
use crate::services::blob::state::Container;
use crate::store::cell::Cell;
use std::sync::{Arc, Weak};

pub(super) static DELETE_PATH: Operation<Blobs> = operation!(
    delete_path,
    (Input, DeletionSteps),
    OperationSpec {
        name: "Delete Path",
        methods: &["DELETE"],
        path_action: Some(Action::Delete),
        requires: RequiredPermission::object("d").actions(&[&[RoleAction::BlobDelete]]),
        conditions: ConditionSupport::Delete,
        ..WRITE
    }
);

input! { pub(super) Input {
    recursive: Option<bool> = Query "recursive",
} }

async fn delete_path(
    blobs: &Blobs,
    request: Request,
    (input, DeletionSteps): (Input, DeletionSteps),
) -> Result<Reply, StorageError> {
    let retention = blobs.retention_policy(&request)?;
    let delete = |container: &mut Container| container.delete_admitted(&request, input.recursive == Some(true), retention);
    let container = blobs.resource(&request)?;
    let id = container.write(delete).await?;
    remove_discarded(&request.sources, Arc::downgrade(&container));
    let reply = Reply::new(request.spec.status);
    Ok(match id {
        Some(id) => reply.with("x-ms-delete-type-permanent", "false").with("x-ms-deletion-id", id.file_time().to_string()),
        None => reply,
    })
}

/// Removes what deleted directories contained, in steps. Each write removes some of it, too, and the next start the rest.
fn remove_discarded(sources: &Arc<dyn Sources>, container: Weak<Cell<Container>>) {
    let next = sources.clone();
    sources.run_in_background(Box::pin(async move {
        if remove_some(&container).await {
            remove_discarded(&next, container);
        }
    }));
}
