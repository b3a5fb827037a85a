//! Undelete Blob: restores a deleted blob, its snapshots and versions within their retention period. It has no effect on a blob that
//! exists.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;

pub(super) static UNDELETE_BLOB: Operation<Blobs> = operation!(
    undelete_blob,
    OperationSpec {
        name: "Undelete Blob",
        selectors: &[Selector::Query("comp", "undelete")],
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        ..WRITE
    }
);

async fn undelete_blob(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    blobs.write(&request, |container| container.undelete(request.target.blob()?.0, request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
