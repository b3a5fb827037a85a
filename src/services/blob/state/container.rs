//! A container: its properties, its blobs, and its uncommitted blocks.

use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::blocks::BlockId;
use crate::rules::encryption::{DefaultEncryption, Encryption};
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lake::append::PendingAppends;
use crate::rules::lease::{self, Lease, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::key::{BlobKey, DirectoryId, Due, Place};
use crate::store::content::Content;
use imbl::{OrdMap, OrdSet};
use std::sync::Arc;

/// A container with its blobs and its uncommitted blocks: one cell of the store.
#[derive(Clone, Debug)]
pub struct Container {
    pub(super) properties: ContainerProperties,
    pub(super) lease: Lease,
    pub(super) blobs: OrdMap<BlobKey, Arc<Blob>>,
    pub(super) uncommitted: OrdMap<Place, Arc<UncommittedBlocks>>,
    /// The states and blocks that end at a time, in the order of these times.
    pub(super) due: OrdSet<(Timestamp, Due)>,
    /// The latest modification time. The next one is later, so that no two states in the container have the same ETag.
    pub(in crate::services::blob) latest: Timestamp,
    /// When it was created, or last restored or renamed.
    pub(super) created: Timestamp,
    /// The id of the next directory; `None` in a flat namespace.
    pub(super) next_directory: Option<DirectoryId>,
}

/// The properties of a container.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerProperties {
    /// When its metadata or access last changed: its Last-Modified and, in ticks, its ETag.
    pub last_modified: Timestamp,
    pub metadata: Metadata,
    pub access: PublicAccess,
    /// The default encryption of its blobs.
    pub encryption: DefaultEncryption,
    /// Its stored access policies.
    pub policies: Arc<[Policy]>,
}

/// Blocks and appends of a name that are not yet committed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UncommittedBlocks {
    /// When the last of them arrived.
    pub(super) last_modified: Timestamp,
    /// The lease of the name, if there is no blob yet.
    pub(super) lease: Lease,
    pub(super) blocks: OrdMap<BlockId, UncommittedBlock>,
    /// What Data Lake operations appended and have not flushed yet.
    pub(super) appends: PendingAppends<Content>,
}

/// An uncommitted block.
#[derive(Clone, Debug, PartialEq)]
pub struct UncommittedBlock {
    pub content: Content,
    pub encryption: Encryption,
}

impl Container {
    /// An empty container.
    pub fn new(now: Timestamp, metadata: Metadata, access: PublicAccess, encryption: DefaultEncryption) -> Container {
        Container {
            properties: ContainerProperties { last_modified: now, metadata, access, encryption, policies: Arc::default() },
            lease: Lease::default(),
            blobs: OrdMap::new(),
            uncommitted: OrdMap::new(),
            due: OrdSet::new(),
            latest: now,
            created: now,
            next_directory: None,
        }
    }

    /// When it was created, or last restored or renamed. Two containers of one name differ in it.
    pub fn created(&self) -> Timestamp {
        self.created
    }

    /// Resets its times, its ETag and its lease after it was restored or renamed. Its content does not change.
    pub fn renew(&mut self, now: Timestamp) {
        self.created = self.next_last_modified(now);
        self.properties.last_modified = self.created;
        self.lease = Lease::default();
    }

    /// The properties of the container. Authorization reads them before any check of the operation.
    pub fn properties(&self) -> &ContainerProperties {
        &self.properties
    }

    /// The container's lease.
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// The container's ETag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.properties.last_modified)
    }

    /// Changes the properties of the container, and its modification time.
    pub fn revise(&mut self, now: Timestamp, change: impl FnOnce(&mut ContainerProperties)) {
        change(&mut self.properties);
        self.properties.last_modified = self.next_last_modified(now);
    }

    /// Performs an action on the container's lease.
    ///
    /// # Errors
    /// 409 when the lease does not allow the action.
    pub fn step_lease(&mut self, action: lease::LeaseAction, now: Timestamp) -> Result<Lease, StorageError> {
        self.lease = lease::step(self.lease, action, LeasedResource::Container, now)?;
        Ok(self.lease)
    }

    /// A modification time that is later than every other in the container: now, or a tick after the latest one.
    pub(super) fn next_last_modified(&mut self, now: Timestamp) -> Timestamp {
        self.latest = now.max(self.latest.next());
        self.latest
    }
}
