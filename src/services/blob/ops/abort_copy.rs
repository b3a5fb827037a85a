//! Abort Copy Blob: stops a pending copy, and leaves the blob without content.

use crate::operation::{FieldLocation, Fields, FromField, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseId;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;

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

#[derive(Clone, Copy, Debug)]
pub(super) struct CopyId([u8; 16]);

impl FromField for CopyId {
    const REQUIRED: bool = true;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<CopyId, StorageError> {
        let text = String::from_field(fields, location, name)?;
        let id = LeaseId::parse(&text).map(|guid| CopyId(guid.0));
        id.ok_or_else(|| StorageError::invalid_query(name, text, "copyid needs to be valid Guid."))
    }
}

async fn abort_copy(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    blobs.container(&request)?.write(|container| container.abort_copy(&request, input.copy_id.0)).await?;
    Ok(Reply::new(request.spec.status))
}
