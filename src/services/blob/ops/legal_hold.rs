//! Set Blob Legal Hold: a blob, a snapshot or a version cannot be changed until the hold is released.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::protection;

pub(super) static SET_LEGAL_HOLD: Operation<Blobs> = operation!(
    set_legal_hold,
    (StateQuery, Input),
    OperationSpec {
        name: "Set Blob Legal Hold",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "legalhold")],
        requires: RequiredPermission::object("i"),
        access: Access::Write,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    hold: bool = Header "x-ms-legal-hold",
} }

async fn set_legal_hold(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    protection::check_account(&request)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            container.amend(admitted, |blob| blob.protection.hold = Some(input.hold));
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status).with("x-ms-legal-hold", input.hold.to_string()))
}
