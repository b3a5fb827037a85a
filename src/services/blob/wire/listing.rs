//! The entries of List Blobs, and what `include` adds to them.

use crate::operation::xml::Writer;
use crate::operation::{FieldLocation, Fields, FromField, Request};
use crate::rules::blob::version_selector::{VersionKind as State, VersionSelector};
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::lease::Lease;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::WireName;
use crate::services::blob::body::Body;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::{Blob, ListInclude, ListedBlob};
use crate::services::blob::wire::{content_type, tier, write_tag_set};
use crate::services::blob::{last_access, protection};
use crate::services::shared::lease::write_lease;
use crate::services::shared::listing::{included, write_metadata};
use std::borrow::Cow;

/// `include=` of List Blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::services::blob) struct Include {
    pub(in crate::services::blob) metadata: bool,
    pub(in crate::services::blob) also: ListInclude,
    pub(in crate::services::blob) copy: bool,
    pub(in crate::services::blob) tags: bool,
    pub(in crate::services::blob) snapshots: bool,
    pub(in crate::services::blob) versions: bool,
    pub(in crate::services::blob) deleted: bool,
    pub(in crate::services::blob) policy: bool,
    pub(in crate::services::blob) hold: bool,
    pub(in crate::services::blob) permissions: bool,
}

impl Include {
    /// Returns true if a listing includes this state of a name.
    pub(in crate::services::blob) fn shows(self, at: VersionSelector, blob: &Blob, now: Timestamp) -> bool {
        match (at, blob.deleted) {
            _ if !blob.is_retained(now) => false,
            (_, Some(_)) if !self.deleted => false,
            // In the reference, snapshots and versions have words of their own, deleted or not.
            (VersionSelector::Earlier(_, State::Snapshot), _) => self.snapshots,
            (VersionSelector::Earlier(_, State::Version), _) => self.versions,
            (VersionSelector::Base, _) => true,
        }
    }
}

/// The words of `include`. Only paths of a hierarchical namespace have permissions.
const WORDS: [&str; 11] = [
    "metadata",
    "uncommittedblobs",
    "deletedwithversions",
    "copy",
    "tags",
    "snapshots",
    "versions",
    "deleted",
    "immutabilitypolicy",
    "legalhold",
    "permissions",
];

impl FromField for Include {
    const REQUIRED: bool = false;

    /// Returns 400 InvalidQueryParameterValue for an unknown word.
    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Include, StorageError> {
        let words = included(fields.text(location, name), &WORDS)?;
        let has = |word| words.contains(&word);
        Ok(Include {
            metadata: has("metadata"),
            also: ListInclude { uncommitted: has("uncommittedblobs"), versions_only: has("deletedwithversions") },
            copy: has("copy"),
            tags: has("tags"),
            snapshots: has("snapshots"),
            versions: has("versions"),
            deleted: has("deleted"),
            policy: has("immutabilitypolicy"),
            hold: has("legalhold"),
            permissions: has("permissions"),
        })
    }
}

/// Returns true if lists encode names that XML cannot hold.
pub(in crate::services::blob) fn encodes_names(version: Version) -> bool {
    version >= Version::V2021_02_12
}

/// A line of List Blobs.
pub(in crate::services::blob) enum Line<'a> {
    Blob(Cow<'a, str>, ListedBlob<'a>),
    /// The prefix of several names; in a hierarchical namespace, with the directory of that name.
    Prefix(String, Option<&'a Blob>),
}

/// Writes a `<Blob>` of List Blobs.
pub(in crate::services::blob) fn write_listed(
    xml: &mut Writer,
    name: &str,
    listed: ListedBlob<'_>,
    include: Include,
    request: &Request,
) {
    match listed {
        ListedBlob::Blob(at, blob) => write_blob(xml, name, Some(at), blob, include, request),
        ListedBlob::VersionsOnly(last) => write_blob(xml, name, None, last, include, request),
        ListedBlob::Uncommitted(lease) => write_uncommitted(xml, name, lease, request),
    }
}

/// Writes the `<BlobPrefix>` of List Blobs for names with a common prefix; `directory` is the directory of that name in a hierarchical
/// namespace.
pub(in crate::services::blob) fn write_prefix(
    xml: &mut Writer,
    prefix: &str,
    directory: Option<&Blob>,
    include: Include,
    request: &Request,
) {
    xml.open("BlobPrefix");
    xml.name("Name", prefix, encodes_names(request.version));
    if let Some(directory) = directory.filter(|_| request.version >= Version::V2020_10_02) {
        write_properties(xml, Some(VersionSelector::Base), directory, include, request);
    }
    xml.close("BlobPrefix");
}

/// Writes a state of a name; with `None`, the last version of a name that only has versions.
fn write_blob(xml: &mut Writer, name: &str, at: Option<VersionSelector>, blob: &Blob, include: Include, request: &Request) {
    xml.open("Blob");
    xml.name("Name", name, encodes_names(request.version));
    if let Some(VersionSelector::Earlier(taken, State::Snapshot)) = at {
        xml.leaf("Snapshot", taken.iso());
    }
    // A name that only has versions has the time of its deletion as version id if the list includes versions (users of the real service),
    // and otherwise none (recorded).
    let version = if at.is_some() { blob.version } else { Some(blob.left()).filter(|_| include.versions) };
    xml.leaf_some("VersionId", version.map(Timestamp::iso));
    if at == Some(VersionSelector::Base) && blob.version.is_some() && blob.deleted.is_none() {
        xml.leaf("IsCurrentVersion", "true");
    }
    // The entry is that of a blob without a lease (recorded).
    if at.is_none() {
        xml.leaf("HasVersionsOnly", "true");
    }
    if blob.deleted.is_some() {
        xml.leaf("Deleted", "true");
    }
    if let Some(deletion) = blob.deleted.filter(|_| blob.path.is_some()) {
        xml.leaf("DeletionId", deletion.at.file_time().to_string());
    }
    write_properties(xml, at, blob, include, request);
    write_details(xml, blob, include, request);
    xml.close("Blob");
}

/// Writes the properties of a state.
fn write_properties(xml: &mut Writer, at: Option<VersionSelector>, blob: &Blob, include: Include, request: &Request) {
    let headers = &blob.headers;
    xml.open("Properties");
    if request.version >= Version::V2017_11_09 {
        xml.leaf("Creation-Time", blob.created.rfc1123());
    }
    xml.leaf("Last-Modified", blob.last_modified.rfc1123());
    xml.leaf_some("Expiry-Time", blob.expires.map(Timestamp::rfc1123));
    xml.leaf("Etag", blob.etag().to_string());
    if let Some(path) = &blob.path {
        write_path(xml, path, include, request);
    }
    xml.leaf("Content-Length", blob.size().to_string());
    xml.leaf("Content-Type", content_type(headers).unwrap_or_default());
    xml.leaf("Content-Encoding", headers.encoding.as_deref().unwrap_or_default());
    xml.leaf("Content-Language", headers.language.as_deref().unwrap_or_default());
    if request.version >= Version::V2019_02_02 {
        xml.leaf("Content-CRC64", "");
    }
    xml.leaf("Content-MD5", headers.md5.as_deref().unwrap_or_default());
    xml.leaf("Cache-Control", headers.cache_control.as_deref().unwrap_or_default());
    xml.leaf("Content-Disposition", headers.disposition.as_deref().unwrap_or_default());
    last_access::write(xml, at.unwrap_or(VersionSelector::Base), blob, request);
    if let Body::Page { sequence, .. } = &blob.body {
        xml.leaf("x-ms-blob-sequence-number", sequence.to_string());
    }
    xml.leaf("BlobType", blob.body.type_name());
    // Up to 2018-11-09 a snapshot has no tier (recorded).
    if !matches!(at, Some(VersionSelector::Earlier(..))) || request.version >= Version::V2019_02_02 {
        tier::write_tier(xml, blob, request);
    }
    match (at.unwrap_or(VersionSelector::Base), blob.deleted.is_none()) {
        (VersionSelector::Base, true) => write_lease(xml, blob.lease(), request.now),
        // A deleted blob has an empty lease status up to 2020-06-12, and none later (recorded). .NET's reader of later versions stops at
        // an empty element.
        (VersionSelector::Base, false) if request.version < Version::V2020_08_04 => _ = xml.leaf("LeaseStatus", ""),
        (VersionSelector::Base, false) => {}
        (VersionSelector::Earlier(..), _) => {}
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
    protection::write(xml, blob, include.policy, include.hold);
    if let Some(deletion) = blob.deleted {
        xml.leaf("DeletedTime", deletion.at.rfc1123());
        xml.leaf("RemainingRetentionDays", deletion.days_left(request.now).to_string());
    }
    // Up to 2018-11-09 the count is present even if it is 0 (recorded).
    if !blob.tags.is_empty() || request.version < Version::V2019_02_02 {
        xml.leaf("TagCount", blob.tags.len().to_string());
    }
    xml.close("Properties");
}

/// Writes what comes after the properties: the metadata and the tags.
fn write_details(xml: &mut Writer, blob: &Blob, include: Include, request: &Request) {
    if include.metadata && matches!(blob.encryption, Encryption::Key(_)) {
        xml.leaf_with("Metadata", &[("Encrypted", "true")], "");
    } else if include.metadata {
        match blob.directory() {
            Some(_) => write_metadata(xml, &blob.metadata.with(IS_FOLDER, "true")),
            None => write_metadata(xml, &blob.metadata),
        }
    }
    if include.tags && !blob.tags.is_empty() {
        xml.nest("Tags", |xml| write_tag_set(xml, &blob.tags));
    }
    if request.version >= Version::V2019_12_12 {
        xml.leaf("OrMetadata", "");
    }
}

/// Writes what only a path of a hierarchical namespace has.
fn write_path(xml: &mut Writer, path: &PathProperties, include: Include, request: &Request) {
    if include.permissions && request.version >= Version::V2020_06_12 {
        xml.leaf("Owner", &path.owner).leaf("Group", &path.group);
        xml.leaf("Permissions", path.acl.permissions_text()).leaf("Acl", path.acl.to_string());
    }
    if request.version >= Version::V2020_10_02 {
        xml.leaf("ResourceType", path.kind().name());
    }
}

/// Writes a `<Blob>` of List Blobs for a name that only has uncommitted blocks, and so neither a date nor an ETag.
fn write_uncommitted(xml: &mut Writer, name: &str, lease: Lease, request: &Request) {
    xml.open("Blob");
    xml.name("Name", name, encodes_names(request.version));
    xml.open("Properties").leaf("Content-Length", "0").leaf("BlobType", "BlockBlob");
    xml.leaf("AccessTier", "Hot").leaf("AccessTierInferred", "true");
    write_lease(xml, lease, request.now);
    xml.leaf("ServerEncrypted", "false");
    if request.version < Version::V2019_02_02 {
        xml.leaf("TagCount", "0");
    }
    xml.close("Properties");
    if request.version >= Version::V2019_12_12 {
        xml.leaf("OrMetadata", "");
    }
    xml.close("Blob");
}
