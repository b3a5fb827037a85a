//! Abort Copy Blob: stops a pending copy, and leaves the blob without content.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::shared::copying::CopyId;

pub(super) static ABORT_COPY: Operation<Blobs> = operation!(
    abort_copy,
    Input,
    OperationSpec {
        name: "Abort Copy Blob",
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        conditions: ConditionSupport::None,
        status: 204,
        ..WRITE
    }
);

input! { pub(super) Input {
    copy_id: CopyId = Query "copyid",
} }

async fn abort_copy(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    blobs.write(&request, |container| container.abort_copy(&request, input.copy_id.0)).await?;
    Ok(Reply::new(request.spec.status))
}
