//! Blobs on the wire: headers and XML documents of requests and answers.

use crate::operation::xml::Writer;
use crate::operation::{Reply, Request};
use crate::rules::blob::version_selector::{VersionKind as State, VersionSelector};
use crate::rules::checksums::Digests;
use crate::rules::encryption::Encryption;
use crate::rules::lease::Lease;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::blob::body::Body;
use crate::services::blob::state::{Admitted, Blob};
use crate::services::blob::{last_access, protection};

#[cfg(feature = "arrow")]
mod arrow;
mod blocks;
mod container;
mod listing;
mod new_blob;
mod tags;
mod tier;
mod values;

#[cfg(feature = "arrow")]
pub(super) use arrow::arrow_list;
pub(super) use blocks::{block_list, read_block_list};
pub(super) use container::{reported_scope, write_container};
pub(super) use listing::{Include, write_listed, write_name};
pub(super) use new_blob::{BodyContentHeaders, NewBlobHeaders, ReplacingContentHeaders, check_unsupported_headers};
pub(super) use tags::{read_tags, tags, write_tag_set};
pub(super) use tier::{tiers_of, with_smart_tier, with_tier};
pub(super) use values::{Marker, MaxResults, PageBlobSize, ReadRange};

/// Formats an id: lower case, 8-4-4-4-12.
pub(super) fn guid(id: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(id).to_string()
}

/// Adds the checksums of a write.
pub(super) fn with_digests(reply: Reply, digests: Digests) -> Reply {
    reply
        .with_some("content-md5", digests.md5.map(|md5| md5.to_string()))
        .with_some("x-ms-content-crc64", digests.crc64.map(|crc64| crc64.to_string()))
}

/// Adds the encryption and the version id of a blob that was written.
pub(super) fn with_written(reply: Reply, blob: &Blob) -> Reply {
    with_encryption(reply, &blob.encryption).with_some("x-ms-version-id", blob.version.map(Timestamp::iso))
}

/// Adds a customer's key or an encryption scope.
pub(super) fn with_encryption(reply: Reply, encryption: &Encryption) -> Reply {
    match encryption {
        Encryption::Service => reply,
        Encryption::Key(sha256) => reply.with("x-ms-encryption-key-sha256", sha256),
        Encryption::Scope(scope) => reply.with("x-ms-encryption-scope", scope),
    }
}

/// The part of a blob in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DescribedPart {
    Whole,
    /// A range. The stored MD5 is not that of its bytes.
    Range,
}

/// Adds the headers by which Get Blob and Get Blob Properties describe a blob.
pub(super) fn describe(mut reply: Reply, blob: &Admitted, part: DescribedPart, request: &Request) -> Reply {
    let headers = &blob.headers;
    reply = reply
        .with("accept-ranges", "bytes")
        .with_some("content-type", headers.content_type())
        .with_some("content-encoding", headers.encoding.as_deref())
        .with_some("content-language", headers.language.as_deref())
        .with_some("cache-control", headers.cache_control.as_deref())
        .with_some("content-disposition", headers.disposition.as_deref())
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-blob-type", blob.body.type_name())
        .with("x-ms-server-encrypted", "true")
        .with_metadata(&blob.metadata);
    let md5 = headers.md5.as_deref();
    reply = match part {
        DescribedPart::Whole => reply.with_some("content-md5", md5),
        DescribedPart::Range => reply.with_some("x-ms-blob-content-md5", md5),
    };
    if request.version >= Version::V2017_11_09 {
        reply = reply.with("x-ms-creation-time", blob.created.rfc1123());
    }
    reply = with_encryption(reply, &blob.encryption);
    reply = match &blob.body {
        Body::Block { .. } => reply,
        Body::Append { blocks, sealed, .. } => reply
            .with("x-ms-blob-committed-block-count", blocks.to_string())
            .with_some("x-ms-blob-sealed", sealed.then_some("true")),
        Body::Page { sequence, .. } => reply.with("x-ms-blob-sequence-number", sequence.to_string()),
    };
    if !blob.tags.is_empty() {
        reply = reply.with("x-ms-tag-count", blob.tags.len().to_string());
    }
    if let Some(copy) = &blob.copy {
        reply = copy.describe(reply);
    }
    reply = protection::describe(reply, blob).with_some("x-ms-expiry-time", blob.expires.map(Timestamp::rfc1123));
    reply = last_access::describe(reply, blob, request).with_some("x-ms-version-id", blob.version.map(Timestamp::iso));
    match blob.at() {
        // Up to 2018-11-09 the answer has the time of the snapshot (recorded).
        VersionSelector::Earlier(snapshot, State::Snapshot) => {
            let reported = (request.version < Version::V2019_02_02).then(|| snapshot.iso());
            return reply.with_some("x-ms-snapshot", reported);
        }
        VersionSelector::Earlier(_, State::Version) => return reply,
        VersionSelector::Base => reply = reply.with_some("x-ms-is-current-version", blob.version.map(|_| "true")),
    }
    // The answer about a version id has no lease headers, even if it is that of the current blob (recorded).
    match request.query.get("versionid").unwrap_or_default() {
        "" => with_lease(reply, blob.lease(), request.now),
        _ => reply,
    }
}

/// Adds the lease headers of a blob or a container.
pub(super) fn with_lease(reply: Reply, lease: Lease, now: Timestamp) -> Reply {
    reply
        .with("x-ms-lease-status", lease.status(now))
        .with("x-ms-lease-state", lease.state(now))
        .with_some("x-ms-lease-duration", lease.duration(now))
}

fn write_lease(xml: &mut Writer, lease: Lease, now: Timestamp) {
    xml.leaf("LeaseStatus", lease.status(now)).leaf("LeaseState", lease.state(now));
    xml.leaf_some("LeaseDuration", lease.duration(now));
}
