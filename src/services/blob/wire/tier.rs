//! Access tiers on the wire: what Get Blob Properties and List Blobs tell of them.

use crate::operation::xml::Writer;
use crate::operation::{Reply, Request};
use crate::rules::blob::tier::{CurrentTier, Rehydration, Tier, TierSupport};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::blob::body::Body;
use crate::services::blob::state::Blob;

/// Which tiers a blob can have, by its type.
pub(in crate::services::blob) fn tiers_of(body: &Body) -> TierSupport {
    match body {
        Body::Block { .. } => TierSupport::Standard,
        Body::Page { .. } => TierSupport::Premium,
        Body::Append { .. } => TierSupport::None,
    }
}

/// The access tier headers of Get Blob Properties.
pub(in crate::services::blob) fn with_tier(reply: Reply, blob: &Blob, request: &Request) -> Reply {
    // Recorded: before 2019-02-02 a blob of any type is told to be Hot.
    let told = tiers_of(&blob.body) == TierSupport::Standard || request.version < Version::V2019_02_02;
    let class = inferred_class(blob, request);
    let reply = with_smart_tier(reply, blob, request.now);
    match blob.tier.map(|placed| placed.seen(request.now)) {
        None if class.is_some() => reply.with_some("x-ms-access-tier", class).with("x-ms-access-tier-inferred", "true"),
        None if told => reply.with("x-ms-access-tier", Tier::Hot.name()).with("x-ms-access-tier-inferred", "true"),
        None => reply,
        Some(CurrentTier { tier: class @ Tier::Premium(_), .. }) => reply.with("x-ms-access-tier", class.name()),
        Some(placed) => reply
            .with("x-ms-access-tier", placed.tier.name())
            .with("x-ms-access-tier-change-time", placed.since.rfc1123())
            .with_some("x-ms-archive-status", placed.rehydration.map(Rehydration::status))
            .with_some("x-ms-rehydrate-priority", priority_told(&placed, request)),
    }
}

/// The size class of a premium account's page blob that was given none.
fn inferred_class(blob: &Blob, request: &Request) -> Option<&'static str> {
    (request.account.premium && tiers_of(&blob.body) == TierSupport::Premium).then(|| Tier::inferred(blob.size()).name())
}

/// How soon a rehydration ends: recorded since 2019-12-12.
fn priority_told(placed: &CurrentTier, request: &Request) -> Option<&'static str> {
    placed.rehydration.filter(|_| request.version >= Version::V2019_12_12).map(|way| way.priority.name())
}

/// The tier beneath a smart one.
pub(in crate::services::blob) fn with_smart_tier(reply: Reply, blob: &Blob, now: Timestamp) -> Reply {
    let beneath = blob.tier.and_then(|placed| placed.seen(now).tier.beneath());
    reply.with_some("x-ms-smart-access-tier", beneath.map(Tier::name))
}

/// What List Blobs tells.
pub(super) fn write_tier(xml: &mut Writer, blob: &Blob, request: &Request) {
    match blob.tier.map(|placed| placed.seen(request.now)) {
        None if tiers_of(&blob.body) == TierSupport::Standard => {
            xml.leaf("AccessTier", Tier::Hot.name()).leaf("AccessTierInferred", "true");
        }
        None => {
            if let Some(class) = inferred_class(blob, request) {
                xml.leaf("AccessTier", class).leaf("AccessTierInferred", "true");
            }
        }
        Some(placed) => {
            xml.leaf("AccessTier", placed.tier.name());
            xml.leaf_some("SmartAccessTier", placed.tier.beneath().map(Tier::name));
            xml.leaf_some("ArchiveStatus", placed.rehydration.map(Rehydration::status));
            xml.leaf_some("RehydratePriority", priority_told(&placed, request));
            xml.leaf("AccessTierChangeTime", placed.since.rfc1123());
        }
    }
}
