//! The blob service's words on the wire: what a request gives a blob, and which headers tell a reader about it. The XML is below.

use crate::operation::xml::Writer;
use crate::operation::{Input, METADATA, Reply, Request};
use crate::rules::blob::immutability::Protection;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, Tier, TierSupport};
use crate::rules::checksums::Digests;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::state::{Admitted, Blob, VersionKind as State, VersionSelector};
use crate::services::blob::{last_access, protection};

#[cfg(feature = "arrow")]
mod arrow;
mod blocks;
mod container;
mod listing;
mod tags;
mod tier;

#[cfg(feature = "arrow")]
pub(super) use arrow::arrow_list;
pub(super) use blocks::{block_list, read_block_list};
pub(super) use container::{preset_told, write_container};
pub(super) use listing::{Include, write_listed, write_name};
pub(super) use tags::{read_tags, tags, write_tag_set};
pub(super) use tier::{tiers_of, with_smart_tier, with_tier};

/// Sixteen bytes as an id is written: lower case, 8-4-4-4-12.
pub(super) fn guid(id: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(id).to_string()
}

/// Where a request says how its content is to be described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentHeaderSource {
    /// In `x-ms-blob-content-…` headers only: the body, if any, is not the content.
    ByName,
    /// There, or else in the body's own `Content-…` headers.
    ByBody,
}

impl ContentHeaders {
    /// Reads them off a request.
    pub(super) fn read(request: &Request, describes: ContentHeaderSource) -> ContentHeaders {
        let one = |named: &str, own: &str| -> Option<Box<str>> {
            let own = || (describes == ContentHeaderSource::ByBody).then(|| request.header(own)).flatten();
            request.header(named).or_else(own).filter(|text| !text.is_empty()).map(Box::from)
        };
        let content_type = one("x-ms-blob-content-type", "content-type");
        ContentHeaders {
            content_type: content_type.filter(|kind| **kind != *DEFAULT_TYPE),
            encoding: one("x-ms-blob-content-encoding", "content-encoding"),
            language: one("x-ms-blob-content-language", "content-language"),
            md5: request.header("x-ms-blob-content-md5").filter(|text| !text.is_empty()).map(Box::from),
            cache_control: one("x-ms-blob-cache-control", "cache-control"),
            disposition: one("x-ms-blob-content-disposition", "content-disposition"),
        }
    }

    /// Reads them off a request that replaces all of them. Recorded: one that does not name a type leaves none.
    pub(super) fn read_all(request: &Request) -> ContentHeaders {
        let named = request.header("x-ms-blob-content-type").is_some_and(|text| !text.is_empty());
        let read = ContentHeaders::read(request, ContentHeaderSource::ByName);
        ContentHeaders { content_type: if named { read.content_type } else { Some(Box::default()) }, ..read }
    }

    /// The type, if there is one.
    pub(super) fn content_type(&self) -> Option<&str> {
        Some(self.content_type.as_deref().unwrap_or(DEFAULT_TYPE)).filter(|kind| !kind.is_empty())
    }
}

/// The headers that describe a blob's content, where the body is not it.
pub(super) const CONTENT: &[Input] = &[
    Input::header("x-ms-blob-content-type"),
    Input::header("x-ms-blob-content-encoding"),
    Input::header("x-ms-blob-content-language"),
    Input::header("x-ms-blob-content-md5"),
    Input::header("x-ms-blob-cache-control"),
    Input::header("x-ms-blob-content-disposition"),
];

/// The Content-Type of a blob that was given none.
const DEFAULT_TYPE: &str = "application/octet-stream";

/// What a request that makes a blob gives it beside content and content headers.
#[derive(Debug)]
pub(super) struct NewBlobHeaders {
    metadata: Metadata,
    tags: Tags,
    /// The tier, if the request names one.
    pub(super) tier: Option<CurrentTier>,
    protection: Protection,
}

impl NewBlobHeaders {
    pub(super) const INPUTS: &'static [Input] = &[
        METADATA[0],
        Input::header("x-ms-tags"),
        Input::header("x-ms-access-tier"),
        protection::INPUTS[0],
        protection::INPUTS[1],
        protection::INPUTS[2],
    ];

    /// Reads it off a request. Whoever writes tags needs the right to.
    ///
    /// # Errors
    /// 400 for what is malformed; 403 for tags from a SAS without `t`; 400 UnsupportedHeader for what this server does not keep yet.
    pub(super) fn read(request: &Request, tiers: TierSupport) -> Result<NewBlobHeaders, StorageError> {
        check_unsupported_headers(request)?;
        let tags = request.header("x-ms-tags").filter(|text| !text.is_empty());
        if tags.is_some() && !request.authorization.allows("t") {
            return Err(request.authorization.missing_permission("t"));
        }
        let tier = request.header("x-ms-access-tier").filter(|text| !text.is_empty());
        Ok(NewBlobHeaders {
            metadata: request.metadata()?,
            tags: tags.map(|text| Tags::parse_header(&text)).transpose()?.unwrap_or_default(),
            tier: tier.map(|text| Tier::read(&text, tiers)).transpose()?.map(|tier| CurrentTier::new(tier, request.now)),
            protection: protection::read(request)?,
        })
    }

    /// Checks that a blob with this body may have the tier that the request names.
    ///
    /// # Errors
    /// 400 AccessTierNotSupportedForBlobType; 409 BlobTierInadequateForContentLength for a size class that is too small.
    pub(super) fn check_tier(&self, body: &Body) -> Result<(), StorageError> {
        let Some(CurrentTier { tier, .. }) = self.tier else { return Ok(()) };
        tier.check(tiers_of(body))?;
        if tier.holds(body.len()) { Ok(()) } else { Err(ErrorCode::BlobTierInadequateForContentLength.into()) }
    }

    /// Gives it to the blob. Metadata that the request does not carry leaves the blob's own, which a copy has from its source.
    pub(super) fn apply(self, mut blob: Blob) -> Blob {
        if !self.metadata.is_empty() {
            blob.metadata = self.metadata;
        }
        blob.tags = self.tags;
        blob.tier = self.tier;
        blob.protection = self.protection;
        blob
    }
}

/// Headers that ask for something to be kept or done which this server, or this operation, does not: refused rather than dropped.
const NOT_KEPT: [&str; 6] = [
    "x-ms-immutability-policy-until-date",
    "x-ms-immutability-policy-mode",
    "x-ms-legal-hold",
    "x-ms-expiry-option",
    "x-ms-structured-body",
    "x-ms-rehydrate-priority",
];

/// Checks that the request asks for nothing of the kind, but for what its operation takes.
///
/// # Errors
/// 400 UnsupportedHeader.
pub(super) fn check_unsupported_headers(request: &Request) -> Result<(), StorageError> {
    match NOT_KEPT.iter().find(|name| request.has_header(name) && !request.spec.reads(name)) {
        Some(name) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", *name)),
        None => Ok(()),
    }
}

/// Adds the checksums that a write answers with.
pub(super) fn with_digests(reply: Reply, digests: Digests) -> Reply {
    reply
        .with_some("content-md5", digests.md5.map(|md5| md5.to_string()))
        .with_some("x-ms-content-crc64", digests.crc64.map(|crc64| crc64.to_string()))
}

/// Adds what the answer to a write says of the blob that it made: its encryption, its version id.
pub(super) fn with_written(reply: Reply, blob: &Blob) -> Reply {
    with_encryption(reply, &blob.encryption).with_some("x-ms-version-id", blob.version.map(Timestamp::iso))
}

/// Adds what a write or a read says of encryption beyond the service's own.
pub(super) fn with_encryption(reply: Reply, encryption: &Encryption) -> Reply {
    match encryption {
        Encryption::Service => reply,
        Encryption::Key(sha256) => reply.with("x-ms-encryption-key-sha256", sha256),
        Encryption::Scope(scope) => reply.with("x-ms-encryption-scope", scope),
    }
}

/// Which part of a blob an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DescribedPart {
    /// All of it.
    Whole,
    /// A range: the stored MD5 is not that of what is sent.
    Range,
}

/// The headers by which Get Blob and Get Blob Properties describe a blob.
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
        // Recorded: the moment came back up to 2018-11-09.
        VersionSelector::Earlier(taken, State::Snapshot) => {
            let told = (request.version < Version::V2019_02_02).then(|| taken.iso());
            return reply.with_some("x-ms-snapshot", told);
        }
        VersionSelector::Earlier(_, State::Version) => return reply,
        VersionSelector::Base => reply = reply.with_some("x-ms-is-current-version", blob.version.map(|_| "true")),
    }
    // Recorded: who names a version is told nothing of the lease, though it be the blob as it is.
    match request.query.get("versionid").unwrap_or_default() {
        "" => with_lease(reply, blob.lease(), request.now),
        _ => reply,
    }
}

/// The lease headers of a blob or a container.
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
