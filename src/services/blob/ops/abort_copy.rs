//! Abort Copy Blob: stops a pending copy. What came so far is dropped; the blob stays, without content.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::blob::blobs::Blobs;

pub(super) static ABORT_COPY: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Abort Copy Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    copy_id: String = Query "copyid",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let id = request.parse::<Asked>()?.copy_id;
    let id = LeaseId::parse(&id).ok_or_else(|| StorageError::invalid_query("copyid", id, "copyid needs to be valid Guid."))?;
    blobs.container(&request)?.write(|container| container.abort_copy(&request, id.0)).await?;
    Ok(Reply::new(request.spec.status))
}
