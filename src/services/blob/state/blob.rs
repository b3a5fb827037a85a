//! A blob as it is stored: what is said of it, beside the bytes that its body holds.

use crate::rules::blob::immutability::Protection;
use crate::rules::blob::last_access::LastAccess;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, Tier};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::copy_properties::BlobCopy;
use std::sync::Arc;

/// A blob: what is said of it, and its content. It never changes; a write makes another.
#[derive(Clone, Debug)]
pub struct Blob {
    /// When it was put, or its block list: overwriting a blob makes a new one.
    pub created: Timestamp,
    /// When this state was made: its Last-Modified and, in ticks, its entity tag.
    pub last_modified: Timestamp,
    /// Its bytes, and what its type keeps beside them.
    pub body: Body,
    /// What a reader is told of the content.
    pub headers: ContentHeaders,
    /// Its metadata.
    pub metadata: Metadata,
    /// Its index tags.
    pub tags: Tags,
    /// The tier that it was given; none: the account's own, Hot.
    pub tier: Option<CurrentTier>,
    /// With what it is encrypted.
    pub encryption: Encryption,
    /// Where it was copied from, if it was.
    pub copy: Option<Arc<BlobCopy>>,
    /// Its version id, where the account keeps versions.
    pub version: Option<Timestamp>,
    /// When it was deleted, if it was, and only its retention keeps it.
    pub deleted: Option<Deletion>,
    /// From when on it is gone, if ever.
    pub expires: Option<Timestamp>,
    /// What keeps it as it is.
    pub protection: Protection,
    /// When a deletion left it as the last version of its name.
    pub(super) left: Option<Timestamp>,
    /// What is kept of its reads, where the account tracks them.
    pub(super) read: LastAccess,
    pub(super) lease: Lease,
}

impl PartialEq for Blob {
    /// A blob is equal to itself alone: of two states one is never taken for the other, whatever is in them.
    fn eq(&self, other: &Blob) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Blob {
    /// Its entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.last_modified)
    }

    /// The moment of the deletion that left it as the last version of its name. Of a version that became the last because later ones
    /// were removed it is not known, and is taken to have been the moment after it was made.
    pub fn left(&self) -> Timestamp {
        self.left.unwrap_or_else(|| self.version.unwrap_or(self.last_modified).next())
    }

    /// Its lease.
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// The same, gone from a moment on, or never.
    pub fn expiring(self, expires: Option<Timestamp>) -> Blob {
        Blob { expires, ..self }
    }

    /// Whether it is there: neither deleted nor expired.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.deleted.is_none() && !self.has_expired(now)
    }

    /// Whether its time is over, with no trace left.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|at| at <= now)
    }

    /// Whether it is there, or kept though it was deleted.
    pub fn is_kept(&self, now: Timestamp) -> bool {
        !self.has_expired(now) && self.deleted.is_none_or(|deletion| deletion.is_kept(now))
    }

    /// From when on nothing is left of it, if that comes by itself.
    pub(super) fn end(&self) -> Option<Timestamp> {
        self.expires.into_iter().chain(self.deleted.map(Deletion::end)).min()
    }

    /// When its tier last changed. A blob that was never given one has had its account's since it was made.
    pub fn tier_changed(&self, now: Timestamp) -> Timestamp {
        self.tier.map_or(self.created, |placed| placed.seen(now).since)
    }

    /// Checks that it is not in the archive, where it is neither read nor changed. Its tags and its tier are, and a new blob may take
    /// its place (recorded).
    ///
    /// # Errors
    /// 409 BlobArchived.
    pub fn check_online(&self, now: Timestamp) -> Result<(), StorageError> {
        match self.tier.map(|placed| placed.seen(now).tier) {
            Some(Tier::Archive) => Err(ErrorCode::BlobArchived.into()),
            _ => Ok(()),
        }
    }
}

/// What [`Container::create`](super::Container::create) decides for a new blob.
#[derive(Clone, Debug)]
pub struct NewBlob {
    pub(super) stamp: Timestamp,
    pub(super) lease: Lease,
    pub(super) encryption: Encryption,
    pub(super) version: Option<Timestamp>,
}

impl NewBlob {
    /// The blob, with everything else absent.
    pub fn blob(self, body: Body, headers: ContentHeaders) -> Blob {
        Blob {
            created: self.stamp,
            last_modified: self.stamp,
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
            left: None,
            read: LastAccess::default(),
            lease: self.lease,
        }
    }
}
