//! Blobs on the wire: headers and XML documents of requests and answers.

use crate::operation::{Reply, Request};
use crate::rules::blob::version_selector::{VersionKind as State, VersionSelector};
use crate::rules::encryption::Encryption;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::WireName;
use crate::services::blob::body::Body;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::{Admitted, Blob};
use crate::services::blob::{last_access, protection};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::copying;
use crate::services::shared::lease::with_lease;

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
pub(super) use listing::{Include, Line, encodes_names, write_listed, write_prefix};
use new_blob::content_type;
pub(super) use new_blob::{BodyContentHeaders, NewBlobHeaders, ReplacingContentHeaders, check_unsupported_headers};
pub(super) use tags::{read_tags, tags, write_tag_set};
pub(super) use tier::{tiers_of, with_smart_tier, with_tier};
pub(super) use values::PageBlobSize;

/// An answer with the state of a blob.
pub(super) fn state(blob: &Blob, request: &Request) -> Reply {
    Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified)
}

/// The answer to a write: the state of the blob, its encryption and its version id.
pub(super) fn written(blob: &Blob, request: &Request) -> Reply {
    with_version(state(blob, request).with("x-ms-request-server-encrypted", "true"), blob)
}

/// The answer to a request to copy.
pub(super) fn copied(blob: &Blob, request: &Request, id: [u8; 16], status: &str) -> Reply {
    with_version(copying::started(state(blob, request), id, status), blob)
}

/// Adds the encryption and the version id of a blob that was written.
fn with_version(reply: Reply, blob: &Blob) -> Reply {
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

/// Adds the headers that describe the content of a blob, without the MD5.
pub(super) fn describe_content(reply: Reply, headers: &ContentHeaders) -> Reply {
    headers.describe(reply).with("accept-ranges", "bytes").with_some("content-type", content_type(headers))
}

/// Adds what only a path of a hierarchical namespace has (recorded; the first version of `x-ms-acl` is that of the reference).
fn describe_path(mut reply: Reply, path: &PathProperties, request: &Request) -> Reply {
    if path.directory.is_some() {
        reply = reply.with("x-ms-meta-hdi_isfolder", "true");
    }
    if request.version >= Version::V2020_06_12 {
        reply = reply
            .with("x-ms-owner", &path.owner)
            .with("x-ms-group", &path.group)
            .with("x-ms-permissions", path.acl.permissions_text());
    }
    if request.version >= Version::V2020_10_02 {
        reply = reply.with("x-ms-resource-type", path.kind().name());
    }
    if request.version >= Version::V2023_11_03 {
        reply = reply.with("x-ms-acl", path.acl.to_string());
    }
    reply
}

/// Adds the headers by which Get Blob and Get Blob Properties describe a blob.
pub(super) fn describe(mut reply: Reply, blob: &Admitted, part: DescribedPart, request: &Request) -> Reply {
    let headers = &blob.headers;
    reply = describe_content(reply, headers)
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
    if let Some(path) = &blob.path {
        reply = describe_path(reply, path, request);
    }
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
