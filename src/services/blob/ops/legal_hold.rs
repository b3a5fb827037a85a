//! Set Blob Legal Hold: a blob, a snapshot or a version stays as it is until the hold is released.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, STATE, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::protection;
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
    run: |blobs, request| Box::pin(run(blobs, request)),
};

takes! { Asked {
    hold: bool = Header "x-ms-legal-hold",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    protection::check_account(&request)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            container.amend(admitted, |blob| blob.protection.hold = Some(asked.hold));
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status).with("x-ms-legal-hold", asked.hold.to_string()))
}
