//! Set Blob Tier: takes effect at once, but for the way back from the archive, which takes hours by the server's clock.

use super::super::blobs::Blobs;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, STATE, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::tier::{Placed, Priority, Tier};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
};
use crate::takes;

pub(super) static SET_BLOB_TIER: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Tier",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "tier")],
        takes: &[Asked::FIELDS, STATE],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    tier: String = Header "x-ms-access-tier",
    priority: Option<String> = Header "x-ms-rehydrate-priority",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let priority = asked.priority.as_deref().map_or(Ok(Priority::default()), Priority::read)?;
    let container = blobs.container(&call)?;
    let placed = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            let tier = Tier::read(&asked.tier, wire::tiers_of(&admitted.body))?;
            if !tier.holds(admitted.size()) {
                return Err(Code::BlobTierInadequateForContentLength.into());
            }
            let placed = Placed::set(admitted.tier, tier, priority, call.now)?;
            container.amend(admitted, |blob| blob.tier = Some(placed));
            Ok(placed)
        })
        .await?;
    // Accepted, not done: the blob is on its way.
    Ok(Reply::new(if placed.rehydration.is_some() { 202 } else { call.row.status }))
}
