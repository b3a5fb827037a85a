//! Undelete Blob: brings back what was deleted of a blob within its days of retention. On a blob that is there it does no harm.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;

pub(super) static UNDELETE_BLOB: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Undelete Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "undelete")],
        inputs: &[],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |blobs, request| Box::pin(run(blobs, request)),
};

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?;
    container.write(|container| container.undelete(request.blob(), request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
