//! Access tiers on the wire: the headers of Get Blob Properties and the elements of List Blobs.

use crate::operation::xml::Writer;
use crate::operation::{Reply, Request};
use crate::rules::blob::tier::{CurrentTier, Rehydration, Tier, TierSupport};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::WireName;
use crate::services::blob::body::Body;
use crate::services::blob::state::Blob;

/// The tiers that a blob supports, by its type.
pub(in crate::services::blob) fn tiers_of(body: &Body) -> TierSupport {
    match body {
        Body::Block { .. } => TierSupport::Standard,
        Body::Page { .. } => TierSupport::Premium,
        Body::Append { .. } => TierSupport::None,
    }
}

/// Adds the access tier headers of Get Blob Properties.
pub(in crate::services::blob) fn with_tier(reply: Reply, blob: &Blob, request: &Request) -> Reply {
    // Before 2019-02-02 a blob of any type is reported as Hot (recorded).
    let has_default = tiers_of(&blob.body) == TierSupport::Standard || request.version < Version::V2019_02_02;
    let class = inferred_class(blob, request);
    let reply = with_smart_tier(reply, blob, request.now);
    match blob.tier.map(|current| current.seen(request.now)) {
        None if class.is_some() => reply.with_some("x-ms-access-tier", class).with("x-ms-access-tier-inferred", "true"),
        None if has_default => reply.with("x-ms-access-tier", Tier::Hot.name()).with("x-ms-access-tier-inferred", "true"),
        None => reply,
        Some(CurrentTier { tier: class @ Tier::Premium(_), .. }) => reply.with("x-ms-access-tier", class.name()),
        Some(current) => reply
            .with("x-ms-access-tier", current.tier.name())
            .with("x-ms-access-tier-change-time", current.since.rfc1123())
            .with_some("x-ms-archive-status", current.rehydration.map(Rehydration::status))
            .with_some("x-ms-rehydrate-priority", reported_priority(&current, request)),
    }
}

/// The size class of a page blob without one in a premium account.
fn inferred_class(blob: &Blob, request: &Request) -> Option<&'static str> {
    (request.account.premium && tiers_of(&blob.body) == TierSupport::Premium).then(|| Tier::inferred(blob.size()).name())
}

/// The priority of a rehydration, which is reported since 2019-12-12 (recorded).
fn reported_priority(current: &CurrentTier, request: &Request) -> Option<&'static str> {
    current.rehydration.filter(|_| request.version >= Version::V2019_12_12).map(|way| way.priority.name())
}

/// Adds the tier that a smart tier currently uses.
pub(in crate::services::blob) fn with_smart_tier(reply: Reply, blob: &Blob, now: Timestamp) -> Reply {
    let beneath = blob.tier.and_then(|current| current.seen(now).tier.beneath());
    reply.with_some("x-ms-smart-access-tier", beneath.map(Tier::name))
}

/// Writes the elements of List Blobs.
pub(super) fn write_tier(xml: &mut Writer, blob: &Blob, request: &Request) {
    match blob.tier.map(|current| current.seen(request.now)) {
        None if tiers_of(&blob.body) == TierSupport::Standard => {
            xml.leaf("AccessTier", Tier::Hot.name()).leaf("AccessTierInferred", "true");
        }
        None => {
            if let Some(class) = inferred_class(blob, request) {
                xml.leaf("AccessTier", class).leaf("AccessTierInferred", "true");
            }
        }
        Some(current) => {
            xml.leaf("AccessTier", current.tier.name());
            xml.leaf_some("SmartAccessTier", current.tier.beneath().map(Tier::name));
            xml.leaf_some("ArchiveStatus", current.rehydration.map(Rehydration::status));
            xml.leaf_some("RehydratePriority", reported_priority(&current, request));
            xml.leaf("AccessTierChangeTime", current.since.rfc1123());
        }
    }
}
