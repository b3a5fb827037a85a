//! A stored blob: its body and its properties.

use crate::rules::blob::immutability::Protection;
use crate::rules::blob::last_access::LastAccess;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, Tier};
use crate::rules::conditions::CurrentState;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::lake::path::PathKind;
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::copy_properties::BlobCopy;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::key::DirectoryId;
use crate::services::shared::content_headers::ContentHeaders;
use std::sync::Arc;

/// A state of a blob. It is immutable; a write creates another.
#[derive(Clone, Debug)]
pub struct Blob {
    /// When the blob was created. Overwriting a blob creates a new one.
    pub created: Timestamp,
    /// When this state was created: its Last-Modified and, in ticks, its ETag.
    pub last_modified: Timestamp,
    pub body: Body,
    /// The headers that describe the content.
    pub headers: ContentHeaders,
    pub metadata: Metadata,
    /// The index tags.
    pub tags: Tags,
    /// The tier, if one was set; otherwise the tier is that of the account, Hot.
    pub tier: Option<CurrentTier>,
    pub encryption: Encryption,
    /// The copy that created it.
    pub copy: Option<Arc<BlobCopy>>,
    /// The version id, if the account keeps versions.
    pub version: Option<Timestamp>,
    /// The deletion, if it was deleted and is retained.
    pub deleted: Option<Deletion>,
    /// When it expires.
    pub expires: Option<Timestamp>,
    pub protection: Protection,
    /// What it has as a path of a hierarchical namespace.
    pub path: Option<Arc<PathProperties>>,
    /// The deletion time of the blob, if this is its last version.
    pub(super) left: Option<Timestamp>,
    /// The recorded reads, if the account tracks them.
    pub(super) read: LastAccess,
    pub(super) lease: Lease,
}

impl PartialEq for Blob {
    /// A state equals only itself: two states are different even if their content is the same.
    fn eq(&self, other: &Blob) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Blob {
    pub fn etag(&self) -> ETag {
        ETag::of(self.last_modified)
    }

    /// The deletion time of the blob, if this is its last version. That is unknown if later versions were deleted, and is then assumed
    /// to be the tick after its creation.
    pub fn left(&self) -> Timestamp {
        self.left.unwrap_or_else(|| self.version.unwrap_or(self.last_modified).next())
    }

    /// The state that conditions are compared with. A path has no tags.
    pub(super) fn state<'a>(&self, tags: &'a Tags) -> CurrentState<'a> {
        CurrentState { etag: self.etag(), modified: self.last_modified, tags }
    }

    /// What it has as a path of a hierarchical namespace.
    ///
    /// # Errors
    /// 500 InternalError in a flat namespace, where no operation needs it.
    pub fn path(&self) -> Result<&PathProperties, StorageError> {
        Ok(self.path.as_deref().ok_or(ErrorCode::InternalError)?)
    }

    /// Whether it is a file or a directory. In a flat namespace a directory is an empty blob that is marked as one.
    pub fn path_kind(&self) -> PathKind {
        let is_marked =
            || self.body.len() == 0 && self.metadata.get(IS_FOLDER).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        match &self.path {
            Some(path) => path.kind(),
            None if is_marked() => PathKind::Directory,
            None => PathKind::File,
        }
    }

    /// The id of a directory; `None` for what is no directory.
    pub fn directory(&self) -> Option<DirectoryId> {
        self.path.as_ref()?.directory
    }

    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// This blob with an expiry time, or without one.
    pub fn expiring(self, expires: Option<Timestamp>) -> Blob {
        Blob { expires, ..self }
    }

    /// Returns true if it is neither deleted nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.deleted.is_none() && !self.has_expired(now)
    }

    /// Returns true if it has expired.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|at| at <= now)
    }

    /// Returns true if it exists, or is deleted and retained.
    pub fn is_retained(&self, now: Timestamp) -> bool {
        !self.has_expired(now) && self.deleted.is_none_or(|deletion| deletion.is_kept(now))
    }

    /// When it ceases to exist without a request: its expiry, or the end of its retention.
    pub(super) fn end(&self) -> Option<Timestamp> {
        self.expires.into_iter().chain(self.deleted.map(Deletion::end)).min()
    }

    /// When its tier last changed. A blob without a tier of its own has had the account's since its creation.
    pub fn tier_changed(&self, now: Timestamp) -> Timestamp {
        self.tier.map_or(self.created, |current| current.seen(now).since)
    }

    /// Checks that it is not archived. An archived blob cannot be read or changed, but its tags and its tier can be, and it can be
    /// overwritten (recorded).
    ///
    /// # Errors
    /// 409 BlobArchived.
    pub fn check_online(&self, now: Timestamp) -> Result<(), StorageError> {
        match self.tier.map(|current| current.seen(now).tier) {
            Some(Tier::Archive) => Err(ErrorCode::BlobArchived.into()),
            _ => Ok(()),
        }
    }
}

/// The properties of a new blob that [`Container::create`](super::Container::create) sets.
#[derive(Clone, Debug)]
pub struct NewBlob {
    pub(super) last_modified: Timestamp,
    pub(super) lease: Lease,
    pub(super) encryption: Encryption,
    pub(super) version: Option<Timestamp>,
}

impl NewBlob {
    /// The blob, with all other properties absent.
    pub fn blob(self, body: Body, headers: ContentHeaders) -> Blob {
        Blob {
            created: self.last_modified,
            last_modified: self.last_modified,
            body,
            headers,
            metadata: Metadata::default(),
            tags: Tags::default(),
            tier: None,
            encryption: self.encryption,
            copy: None,
            version: self.version,
            deleted: None,
            expires: None,
            protection: Protection::default(),
            path: None,
            left: None,
            read: LastAccess::default(),
            lease: self.lease,
        }
    }
}
