//! Abort Copy Blob: stops a pending copy. What came so far is dropped; the blob stays, without content.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::blob::blobs::Blobs;
use crate::takes;

pub(super) static ABORT_COPY: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Abort Copy Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::Required,
        status: 204,
    },
    run: |blobs, request| Box::pin(run(blobs, request)),
};

takes! { Asked {
    copy_id: String = Query "copyid",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let id = Asked::of(&request)?.copy_id;
    let id = LeaseId::parse(&id).ok_or_else(|| StorageError::invalid_query("copyid", id, "copyid needs to be valid Guid."))?;
    blobs.container(&request)?.write(|container| container.abort_copy(&request, id.0)).await?;
    Ok(Reply::new(request.spec.status))
}
