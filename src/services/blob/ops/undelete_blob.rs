//! Undelete Blob: restores a deleted blob, its snapshots and versions within their retention period. It has no effect on a blob that
//! exists.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;

pub(super) static UNDELETE_BLOB: Operation<Blobs> = operation!(
    undelete_blob,
    OperationSpec {
        name: "Undelete Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "undelete")],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        ..OperationSpec::DEFAULT
    }
);

async fn undelete_blob(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?;
    container.write(|container| container.undelete(request.target.blob()?.0, request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
