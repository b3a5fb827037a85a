//! Undelete Blob: brings back what was deleted of a blob within its days of retention. On a blob that is there it does no harm.

use super::super::blobs::Blobs;
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, Secondary, ResourceKind, Selector};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::{condition::ConditionSupport, fault::StorageError, lease::LeaseCheck};

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
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let container = blobs.container(&call)?;
    container.write(|container| container.undelete(call.blob(), call.now)).await?;
    Ok(Reply::new(call.spec.status))
}
