//! Delete a file, or a directory with all that it contains.

use crate::operation::{Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::DeletionSteps;
use crate::services::blob::state::Container;

pub(super) static DELETE_PATH: Operation<Blobs> = operation!(
    delete_path,
    (Input, DeletionSteps),
    OperationSpec {
        name: "Delete Path",
        methods: &["DELETE"],
        path_action: Some(Action::Delete),
        requires: RequiredPermission::object("d"),
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
    let id = blobs.write(&request, delete).await?;
    let reply = Reply::new(request.spec.status);
    Ok(match id {
        Some(id) => reply.with("x-ms-delete-type-permanent", "false").with("x-ms-deletion-id", id.file_time().to_string()),
        None => reply,
    })
}
