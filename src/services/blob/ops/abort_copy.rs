//! Abort Copy Blob: stops a pending copy, and leaves the blob without content.

use crate::operation::{
    Access, FieldLocation, Fields, FromField, Operation, OperationSpec, Reply, Request, ResourceKind, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::blob::blobs::Blobs;

pub(super) static ABORT_COPY: Operation<Blobs> = operation!(
    abort_copy,
    Input,
    OperationSpec {
        name: "Abort Copy Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 204,
        ..OperationSpec::DEFAULT
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
