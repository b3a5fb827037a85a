//! What the blob service stores, and the one door to it.
//!
//! A handler cannot get hold of a blob without [`Container::admit`] or [`Container::claim`], which run every check that the
//! operation's row declares, in the service's order: existence, conditions, lease. The fields that would let it are private here, and
//! `ops` is a sibling of this module, not its child. `door` admits, `writes` and `history` change, `lists` tells, `reads` keeps that
//! a blob was read, `sweep` takes away what is over, `record` writes it all down.

use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::encryption::{DefaultEncryption, Encryption};
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::store::content::Content;
use imbl::{OrdMap, OrdSet};
use std::sync::Arc;

mod admission;
mod blob;
mod copying;
mod history;
mod last_access;
mod listing;
mod record;
mod sweep;
mod writes;

use crate::services::blob::state::sweep::Due;
pub use admission::Admitted;
pub use blob::Blob;
pub use history::DeleteSnapshots;
pub use listing::{BlockLists, ListInclude, ListedBlob};

/// A container, all its blobs, and the blocks that wait to be committed: one cell of the store.
#[derive(Clone, Debug)]
pub struct Container {
    properties: ContainerProperties,
    lease: Lease,
    blobs: OrdMap<BlobKey, Arc<Blob>>,
    uncommitted: OrdMap<Arc<str>, Arc<UncommittedBlocks>>,
    /// What of both will be over by itself, and when.
    due: OrdSet<(Timestamp, Due)>,
    /// The last stamp given; the next is later, so that no two states of anything in the container share an entity tag.
    latest: Timestamp,
    /// When it was created, or last restored or renamed.
    created: Timestamp,
}

/// What is said of a container itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ContainerProperties {
    /// When its metadata or access last changed: its Last-Modified and, in ticks, its entity tag.
    pub last_modified: Timestamp,
    /// Its metadata.
    pub metadata: Metadata,
    /// How public it is.
    pub access: PublicAccess,
    /// The encryption scope that its blobs get.
    pub encryption: DefaultEncryption,
    /// Its stored access policies.
    pub policies: Arc<[Policy]>,
}

/// Where a blob stands in its container: by name, and the snapshots of a name, oldest first, before the blob itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobKey {
    name: Arc<str>,
    at: VersionSelector,
}

impl BlobKey {
    /// Before every state of a name.
    fn first(name: &str) -> BlobKey {
        BlobKey { name: name.into(), at: VersionSelector::Earlier(Timestamp::default(), VersionKind::Snapshot) }
    }
}

/// Blocks that were put and not yet committed.
#[derive(Clone, Debug, PartialEq)]
struct UncommittedBlocks {
    touched: Timestamp,
    /// The lease of a name that only has blocks so far.
    lease: Lease,
    blocks: OrdMap<BlockId, UncommittedBlock>,
}

/// A block that was put and not yet committed.
#[derive(Clone, Debug, PartialEq)]
pub struct UncommittedBlock {
    /// Its bytes.
    pub content: Content,
    /// With what it is encrypted.
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
        }
    }

    /// When it was created, or last restored or renamed: with its name, that tells it from all others.
    pub fn born(&self) -> Timestamp {
        self.created
    }

    /// Makes it as new to whoever asks for its date, its entity tag or its lease, as it is once it has been restored or renamed. What
    /// it holds stays as it was.
    pub fn renew(&mut self, now: Timestamp) {
        self.created = self.next_last_modified(now);
        self.properties.last_modified = self.created;
        self.lease = Lease::default();
    }

    /// What is said of the container. Reading it needs no admission: the door asks it before it lets anybody in.
    pub fn properties(&self) -> &ContainerProperties {
        &self.properties
    }

    /// The container's lease.
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// The container's entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.properties.last_modified)
    }

    /// Changes what is said of the container, and its stamp with it.
    pub fn revise(&mut self, now: Timestamp, change: impl FnOnce(&mut ContainerProperties)) {
        change(&mut self.properties);
        self.properties.last_modified = self.next_last_modified(now);
    }

    /// Takes the container's lease one step on.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step.
    pub fn step_lease(&mut self, ask: lease::LeaseAction, now: Timestamp) -> Result<Lease, StorageError> {
        self.lease = lease::step(self.lease, ask, LeasedResource::Container, now)?;
        Ok(self.lease)
    }

    /// A stamp later than every other of the container: now, unless something was written in this very tick.
    fn next_last_modified(&mut self, now: Timestamp) -> Timestamp {
        self.latest = now.max(self.latest.next());
        self.latest
    }
}
