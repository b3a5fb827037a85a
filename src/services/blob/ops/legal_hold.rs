//! Set Blob Legal Hold: a blob, a snapshot or a version cannot be changed until the hold is released.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::protection;
use crate::services::blob::state::Blob;

pub(super) static SET_LEGAL_HOLD: Operation<Blobs> = operation!(
    set_legal_hold,
    (StateQuery, Input),
    OperationSpec {
        name: "Set Blob Legal Hold",
        selectors: &[Selector::Query("comp", "legalhold")],
        requires: RequiredPermission::object("i").actions(&[&[RoleAction::BlobImmutability]]),
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        ..WRITE
    }
);

input! { pub(super) Input {
    hold: bool = Header "x-ms-legal-hold",
} }

async fn set_legal_hold(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    protection::check_account(&request)?;
    let set = |blob: &mut Blob| {
        blob.protection.hold = Some(input.hold);
        Ok(())
    };
    blobs.amend(&request, set).await?;
    Ok(Reply::new(request.spec.status).with("x-ms-legal-hold", input.hold.to_string()))
}
