//! Set Blob Legal Hold: a blob, a snapshot or a version stays as it is until the hold is released.

use super::super::{blobs::Blobs, protection};
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, STATE, Secondary, ResourceKind, Selector};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::{condition::ConditionSupport, fault::StorageError, lease::LeaseCheck};
use crate::takes;

pub(super) static SET_LEGAL_HOLD: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Blob Legal Hold",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "legalhold")],
        inputs: &[Asked::FIELDS, STATE],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "i", service: "i", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    hold: bool = Header "x-ms-legal-hold",
} }

async fn run(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    protection::check_account(&call)?;
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            container.amend(admitted, |blob| blob.protection.hold = Some(asked.hold));
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.spec.status).with("x-ms-legal-hold", asked.hold.to_string()))
}
