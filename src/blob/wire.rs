//! The blob service's words on the wire: which headers tell a reader about a blob, and the XML of lists, block lists and policies.

use super::body::{Block, Body, ContentHeaders};
use super::protection;
use super::state::{Admitted, Also, At, Blob, Kept as State, Listed};
use crate::op::xml::{self, Element, Writer};
use crate::op::{Call, Field, Place, Reply};
use crate::rules::{
    blocks::{BlockId, Choice},
    checksum::Digests,
    encryption::Encryption,
    fault::{Code, Fault},
    immutability::Protection,
    lease::Lease,
    metadata::Metadata,
    name,
    tags::Tags,
    tier::{Kept, Placed, Tier},
    time::Timestamp,
    version::Version,
};

mod container;
mod tier;

pub(super) use container::{preset_told, read_preset, read_public_access, write_container};
pub(super) use tier::{tiers_of, with_smart_tier, with_tier};

/// Sixteen bytes as an id is written: lower case, 8-4-4-4-12.
pub(super) fn guid(id: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(id).to_string()
}

/// Where a request says how its content is to be described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Describes {
    /// In `x-ms-blob-content-…` headers only: the body, if any, is not the content.
    ByName,
    /// There, or else in the body's own `Content-…` headers.
    ByBody,
}

impl ContentHeaders {
    /// Reads them off a request.
    pub(super) fn read(call: &Call, describes: Describes) -> ContentHeaders {
        let one = |named: &str, own: &str| -> Option<Box<str>> {
            let own = || (describes == Describes::ByBody).then(|| call.header(own)).flatten();
            call.header(named).or_else(own).filter(|text| !text.is_empty()).map(Box::from)
        };
        let content_type = one("x-ms-blob-content-type", "content-type");
        ContentHeaders {
            content_type: content_type.filter(|kind| **kind != *DEFAULT_TYPE),
            encoding: one("x-ms-blob-content-encoding", "content-encoding"),
            language: one("x-ms-blob-content-language", "content-language"),
            md5: call.header("x-ms-blob-content-md5").filter(|text| !text.is_empty()).map(Box::from),
            cache_control: one("x-ms-blob-cache-control", "cache-control"),
            disposition: one("x-ms-blob-content-disposition", "content-disposition"),
        }
    }

    pub(super) fn content_type(&self) -> &str {
        self.content_type.as_deref().unwrap_or(DEFAULT_TYPE)
    }
}

/// The Content-Type of a blob that was given none.
const DEFAULT_TYPE: &str = "application/octet-stream";

/// What a request that makes a blob gives it beside content and content headers.
#[derive(Debug)]
pub(super) struct Given {
    metadata: Metadata,
    tags: Tags,
    tier: Option<Placed>,
    protection: Protection,
}

impl Given {
    pub(super) const FIELDS: &'static [Field] = &[
        Field { place: Place::Header, name: "x-ms-tags", required: false },
        Field { place: Place::Header, name: "x-ms-access-tier", required: false },
        protection::FIELDS[0],
        protection::FIELDS[1],
        protection::FIELDS[2],
    ];

    /// Reads it off a request. Whoever writes tags needs the right to.
    ///
    /// # Errors
    /// 400 for what is malformed; 403 for tags from a SAS without `t`; 400 UnsupportedHeader for what this server does not keep yet.
    pub(super) fn read(call: &Call, tiers: Kept) -> Result<Given, Fault> {
        check_kept(call)?;
        let tags = call.header("x-ms-tags").filter(|text| !text.is_empty());
        if tags.is_some() && !call.grant.allows("t") {
            return Err(Code::AuthorizationPermissionMismatch.into());
        }
        let tier = call.header("x-ms-access-tier").filter(|text| !text.is_empty());
        Ok(Given {
            metadata: call.metadata()?,
            tags: tags.map(|text| Tags::parse_header(&text)).transpose()?.unwrap_or_default(),
            tier: tier.map(|text| Tier::read(&text, tiers)).transpose()?.map(|tier| Placed::new(tier, call.now)),
            protection: protection::read(call)?,
        })
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
const NOT_KEPT: [&str; 5] = [
    "x-ms-immutability-policy-until-date",
    "x-ms-immutability-policy-mode",
    "x-ms-legal-hold",
    "x-ms-expiry-option",
    "x-ms-structured-body",
];

/// Checks that the request asks for nothing of the kind, but for what its operation takes.
///
/// # Errors
/// 400 UnsupportedHeader.
pub(super) fn check_kept(call: &Call) -> Result<(), Fault> {
    match NOT_KEPT.iter().find(|name| call.has_header(name) && !call.row.takes(name)) {
        Some(name) => Err(Code::UnsupportedHeader.with("HeaderName", *name)),
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
pub(super) fn with_made(reply: Reply, blob: &Blob) -> Reply {
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

/// A copy's source as it is remembered: without the signature that opened it.
pub(super) fn without_signature(url: &str) -> String {
    match url.split_once('?') {
        Some((path, query)) if query.contains("sig=") => {
            let kept: Vec<&str> =
                query.split('&').filter(|part| part.starts_with("snapshot=") || part.starts_with("versionid=")).collect();
            if kept.is_empty() { path.to_owned() } else { format!("{path}?{}", kept.join("&")) }
        }
        _ => url.to_owned(),
    }
}

/// Which part of a blob an answer is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it.
    Whole,
    /// A range: the stored MD5 is not that of what is sent.
    Range,
}

/// The headers by which Get Blob and Get Blob Properties describe a blob.
pub(super) fn describe(mut reply: Reply, blob: &Admitted, part: Part, call: &Call) -> Reply {
    let headers = &blob.headers;
    reply = reply
        .with("accept-ranges", "bytes")
        .with("content-type", headers.content_type())
        .with_some("content-encoding", headers.encoding.as_deref())
        .with_some("content-language", headers.language.as_deref())
        .with_some("cache-control", headers.cache_control.as_deref())
        .with_some("content-disposition", headers.disposition.as_deref())
        .with_state(blob.etag(), blob.stamp)
        .with("x-ms-blob-type", blob.body.type_name())
        .with("x-ms-server-encrypted", "true")
        .with_metadata(&blob.metadata);
    let md5 = headers.md5.as_deref();
    reply = match part {
        Part::Whole => reply.with_some("content-md5", md5),
        Part::Range => reply.with_some("x-ms-blob-content-md5", md5),
    };
    if call.version >= Version::V2017_11_09 {
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
    reply = reply.with_some("x-ms-version-id", blob.version.map(Timestamp::iso));
    match blob.at() {
        // Recorded: the moment came back up to 2018-11-09.
        At::Kept(taken, State::Snapshot) => {
            let told = (call.version < Version::V2019_02_02).then(|| taken.iso());
            return reply.with_some("x-ms-snapshot", told);
        }
        At::Kept(_, State::Version) => return reply,
        At::Base => reply = reply.with_some("x-ms-is-current-version", blob.version.map(|_| "true")),
    }
    with_lease(reply, blob.lease(), call.now)
}

/// The lease headers of a blob or a container.
pub(super) fn with_lease(reply: Reply, lease: Lease, now: Timestamp) -> Reply {
    reply
        .with("x-ms-lease-status", lease.status(now))
        .with("x-ms-lease-state", lease.state(now))
        .with_some("x-ms-lease-duration", lease.duration(now))
}

/// `include=` of List Blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Include {
    pub(super) metadata: bool,
    pub(super) also: Also,
    pub(super) copy: bool,
    pub(super) tags: bool,
    pub(super) snapshots: bool,
    pub(super) versions: bool,
    pub(super) deleted: bool,
    pub(super) policy: bool,
    pub(super) hold: bool,
}

impl Include {
    /// Whether a listing shows this state of a name.
    pub(super) fn shows(self, at: At, blob: &Blob, now: Timestamp) -> bool {
        match (at, blob.deleted) {
            _ if !blob.is_kept(now) => false,
            (_, Some(_)) => self.deleted,
            (At::Kept(_, State::Snapshot), None) => self.snapshots,
            (At::Kept(_, State::Version), None) => self.versions,
            (At::Base, None) => true,
        }
    }

    /// Reads the list. What has no meaning yet (permissions) is known and adds nothing.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue for an unknown word.
    pub(super) fn read(text: Option<&str>) -> Result<Include, Fault> {
        let mut include = Include::default();
        for word in text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.to_ascii_lowercase().as_str() {
                "metadata" => include.metadata = true,
                "uncommittedblobs" => include.also.uncommitted = true,
                "deletedwithversions" => include.also.versions_only = true,
                "copy" => include.copy = true,
                "tags" => include.tags = true,
                "snapshots" => include.snapshots = true,
                "versions" => include.versions = true,
                "deleted" => include.deleted = true,
                "immutabilitypolicy" => include.policy = true,
                "legalhold" => include.hold = true,
                "permissions" => {}
                _ => return Err(Fault::query("include", word, "Invalid query parameter value.")),
            }
        }
        Ok(include)
    }
}

/// `<Name>`, percent-encoded and marked where XML cannot hold it.
pub(super) fn write_name(xml: &mut Writer, element: &str, name: &str, version: Version) {
    match name::encoded_xml(name).filter(|_| version >= Version::V2021_02_12) {
        Some(encoded) => xml.leaf_with(element, &[("Encoded", "true")], encoded),
        None => xml.leaf(element, name),
    };
}

/// A `<Blob>` of List Blobs.
pub(super) fn write_listed(xml: &mut Writer, name: &str, listed: Listed<'_>, include: Include, call: &Call) {
    match listed {
        Listed::Blob(at, blob) => write_blob(xml, name, Some(at), blob, include, call),
        Listed::VersionsOnly(last) => write_blob(xml, name, None, last, include, call),
        Listed::Uncommitted => write_uncommitted(xml, name, call),
    }
}

/// A state of a name; with `None`, the last of one that only has versions.
fn write_blob(xml: &mut Writer, name: &str, at: Option<At>, blob: &Blob, include: Include, call: &Call) {
    let headers = &blob.headers;
    xml.open("Blob");
    write_name(xml, "Name", name, call.version);
    if let Some(At::Kept(taken, State::Snapshot)) = at {
        xml.leaf("Snapshot", taken.iso());
    }
    xml.leaf_some("VersionId", blob.version.filter(|_| at.is_some()).map(Timestamp::iso));
    if at == Some(At::Base) && blob.version.is_some() && blob.deleted.is_none() {
        xml.leaf("IsCurrentVersion", "true");
    }
    // Recorded: told as a blob without a lease would be.
    if at.is_none() {
        xml.leaf("HasVersionsOnly", "true");
    }
    if blob.deleted.is_some() {
        xml.leaf("Deleted", "true");
    }
    xml.open("Properties");
    if call.version >= Version::V2017_11_09 {
        xml.leaf("Creation-Time", blob.created.rfc1123());
    }
    xml.leaf("Last-Modified", blob.stamp.rfc1123());
    xml.leaf_some("Expiry-Time", blob.expires.map(Timestamp::rfc1123));
    xml.leaf("Etag", blob.etag().to_string());
    xml.leaf("Content-Length", blob.size().to_string());
    xml.leaf("Content-Type", headers.content_type());
    xml.leaf("Content-Encoding", headers.encoding.as_deref().unwrap_or_default());
    xml.leaf("Content-Language", headers.language.as_deref().unwrap_or_default());
    if call.version >= Version::V2019_02_02 {
        xml.leaf("Content-CRC64", "");
    }
    xml.leaf("Content-MD5", headers.md5.as_deref().unwrap_or_default());
    xml.leaf("Cache-Control", headers.cache_control.as_deref().unwrap_or_default());
    xml.leaf("Content-Disposition", headers.disposition.as_deref().unwrap_or_default());
    if let Body::Page { sequence, .. } = &blob.body {
        xml.leaf("x-ms-blob-sequence-number", sequence.to_string());
    }
    xml.leaf("BlobType", blob.body.type_name());
    tier::write_tier(xml, blob, call.now);
    match (at.unwrap_or(At::Base), blob.deleted.is_none()) {
        (At::Base, true) => write_lease(xml, blob.lease(), call.now),
        // Recorded: nothing is said of the lease of a deleted blob, but that is said.
        (At::Base, false) => _ = xml.leaf("LeaseStatus", ""),
        (At::Kept(..), _) => {}
    }
    if let Some(copy) = blob.copy.as_ref().filter(|_| include.copy) {
        copy.write(xml);
    }
    xml.leaf("ServerEncrypted", "true");
    match &blob.encryption {
        Encryption::Service => {}
        Encryption::Key(sha256) => _ = xml.leaf("CustomerProvidedKeySha256", sha256),
        Encryption::Scope(scope) => _ = xml.leaf("EncryptionScope", scope),
    }
    if let Body::Append { sealed: true, .. } = &blob.body {
        xml.leaf("Sealed", "true");
    }
    // Recorded: up to 2018-11-09 the count is there even when it is 0.
    if !blob.tags.is_empty() || call.version < Version::V2019_02_02 {
        xml.leaf("TagCount", blob.tags.len().to_string());
    }
    protection::write(xml, blob, include.policy, include.hold);
    if let Some(deletion) = blob.deleted {
        xml.leaf("DeletedTime", deletion.at.rfc1123());
        xml.leaf("RemainingRetentionDays", deletion.days_left(call.now).to_string());
    }
    xml.close("Properties");
    if include.metadata && matches!(blob.encryption, Encryption::Key(_)) {
        xml.leaf_with("Metadata", &[("Encrypted", "true")], "");
    } else if include.metadata {
        xml.nest("Metadata", |xml| blob.metadata.iter().for_each(|(name, value)| _ = xml.leaf(name, value)));
    }
    if include.tags && !blob.tags.is_empty() {
        xml.nest("Tags", |xml| write_tag_set(xml, &blob.tags));
    }
    if call.version >= Version::V2019_12_12 {
        xml.leaf("OrMetadata", "");
    }
    xml.close("Blob");
}

/// A `<Blob>` of List Blobs for a name that only has uncommitted blocks: there is no state yet that could have a date or a tag.
fn write_uncommitted(xml: &mut Writer, name: &str, call: &Call) {
    xml.open("Blob");
    write_name(xml, "Name", name, call.version);
    xml.open("Properties").leaf("Content-Length", "0").leaf("BlobType", "BlockBlob");
    xml.leaf("AccessTier", "Hot").leaf("AccessTierInferred", "true");
    write_lease(xml, Lease::default(), call.now);
    xml.leaf("ServerEncrypted", "false");
    if call.version < Version::V2019_02_02 {
        xml.leaf("TagCount", "0");
    }
    xml.close("Properties");
    if call.version >= Version::V2019_12_12 {
        xml.leaf("OrMetadata", "");
    }
    xml.close("Blob");
}

/// The `<TagSet>` of a blob.
pub(super) fn write_tag_set(xml: &mut Writer, tags: &Tags) {
    xml.open("TagSet");
    for (key, value) in tags.iter() {
        xml.open("Tag").leaf("Key", key).leaf("Value", value).close("Tag");
    }
    xml.close("TagSet");
}

/// The body of Get Blob Tags.
pub(super) fn tags(tags: &Tags) -> String {
    let mut xml = Writer::new();
    xml.open("Tags");
    match tags.is_empty() {
        true => _ = xml.leaf("TagSet", ""),
        false => write_tag_set(&mut xml, tags),
    }
    xml.close("Tags");
    xml.finish()
}

/// The body of Set Blob Tags.
///
/// # Errors
/// 400 InvalidXmlDocument for what is no tag set; the tags' own refusals.
pub(super) fn read_tags(document: &[u8]) -> Result<Tags, Fault> {
    let root = xml::parse(document, "Tags")?;
    let set = root.child("TagSet").ok_or_else(|| Fault::xml("TagSet is missing from Tags."))?;
    let pair = |tag: &Element| {
        let text = |name: &str| {
            tag.child(name).map(|child| child.text.clone()).ok_or_else(|| Fault::xml(format!("{name} is missing from Tag.")))
        };
        Ok((text("Key")?, text("Value")?))
    };
    Tags::from_pairs(set.children.iter().map(pair).collect::<Result<Vec<_>, Fault>>()?)
}

fn write_lease(xml: &mut Writer, lease: Lease, now: Timestamp) {
    xml.leaf("LeaseStatus", lease.status(now)).leaf("LeaseState", lease.state(now));
    xml.leaf_some("LeaseDuration", lease.duration(now));
}

/// The body of Get Block List.
pub(super) fn block_list(committed: Option<&[Block]>, uncommitted: Option<&[(BlockId, u64)]>) -> String {
    let mut xml = Writer::new();
    xml.open("BlockList");
    let write = |xml: &mut Writer, id: &BlockId, size: u64| {
        xml.open("Block").leaf("Name", id.as_str()).leaf("Size", size.to_string()).close("Block");
    };
    if let Some(blocks) = committed {
        xml.nest("CommittedBlocks", |xml| blocks.iter().for_each(|block| write(xml, &block.id, block.content.len())));
    }
    if let Some(blocks) = uncommitted {
        xml.nest("UncommittedBlocks", |xml| blocks.iter().for_each(|(id, size)| write(xml, id, *size)));
    }
    xml.close("BlockList");
    xml.finish()
}

/// The body of Put Block List: which block, looked for where, in order.
///
/// # Errors
/// 400 InvalidXmlDocument for what is no block list.
pub(super) fn read_block_list(document: &[u8]) -> Result<Vec<(Choice, BlockId)>, Fault> {
    let root = xml::parse(document, "BlockList")?;
    let entry = |element: &Element| {
        let choice = match element.name.as_str() {
            "Committed" => Choice::Committed,
            "Uncommitted" => Choice::Uncommitted,
            "Latest" => Choice::Latest,
            other => return Err(Fault::xml(format!("{other} is not an element of BlockList."))),
        };
        Ok((choice, BlockId::named(element.text.trim())))
    };
    root.children.iter().map(entry).collect()
}
