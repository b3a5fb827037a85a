//! Set Blob Tier: takes effect at once, but for the way back from the archive, which takes hours by the server's clock.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tier::{CurrentTier, RehydratePriority, Tier};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;

pub(super) static SET_BLOB_TIER: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Set Blob Tier",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "tier")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(STATE)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    tier: String = Header "x-ms-access-tier",
    priority: Option<String> = Header "x-ms-rehydrate-priority",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let priority = asked.priority.as_deref().map_or(Ok(RehydratePriority::default()), RehydratePriority::read)?;
    let container = blobs.container(&request)?;
    let placed = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            let tier = Tier::read(&asked.tier, wire::tiers_of(&admitted.body))?;
            if !tier.holds(admitted.size()) {
                return Err(ErrorCode::BlobTierInadequateForContentLength.into());
            }
            let placed = CurrentTier::set(admitted.tier, tier, priority, request.now)?;
            container.amend(admitted, |blob| blob.tier = Some(placed));
            Ok(placed)
        })
        .await?;
    // Accepted, not done: the blob is on its way.
    Ok(Reply::new(if placed.rehydration.is_some() { 202 } else { request.spec.status }))
}
