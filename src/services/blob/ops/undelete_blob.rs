//! Undelete Blob: brings back what was deleted of a blob within its days of retention. On a blob that is there it does no harm.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;

pub(super) static UNDELETE_BLOB: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Undelete Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "undelete")],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?;
    container.write(|container| container.undelete(request.target.blob()?.0, request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
