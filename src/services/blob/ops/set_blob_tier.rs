//! Set Blob Tier: sets the tier at once, unless the blob is archived: its rehydration ends hours later by the server's clock.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::blob::tier::{CurrentTier, RehydratePriority, Tier};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Blob;
use crate::services::blob::wire;

pub(super) static SET_BLOB_TIER: Operation<Blobs> = operation!(
    set_blob_tier,
    (StateQuery, Input),
    OperationSpec { name: "Set Blob Tier", selectors: &[Selector::Query("comp", "tier")], ..WRITE }
);

input! { pub(super) Input {
    tier: Tier = Header "x-ms-access-tier",
    priority: Option<RehydratePriority> = Header "x-ms-rehydrate-priority",
} }

async fn set_blob_tier(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    let (tier, priority) = (input.tier, input.priority.unwrap_or_default());
    let set = |blob: &mut Blob| {
        tier.check(wire::tiers_of(&blob.body))?;
        if !tier.holds(blob.size()) {
            return Err(ErrorCode::BlobTierInadequateForContentLength.into());
        }
        let current = CurrentTier::set(blob.tier, tier, priority, request.now)?;
        blob.tier = Some(current);
        Ok(current)
    };
    let current = blobs.amend(&request, set).await?;
    // A rehydration is accepted, and not complete yet.
    Ok(Reply::new(if current.rehydration.is_some() { 202 } else { request.spec.status }))
}
