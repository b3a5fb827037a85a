//! What the blob service stores, and the one door to it.
//!
//! A handler cannot get hold of a blob without [`Container::admit`] or [`Container::claim`], which run every check that the
//! operation's row declares, in the service's order: existence, conditions, lease. The fields that would let it are private here, and
//! `ops` is a sibling of this module, not its child. `door` admits, `writes` and `history` change, `lists` tells, `reads` keeps that
//! a blob was read, `sweep` takes away what is over, `record` writes it all down.

use crate::rules::{
    access::PublicAccess,
    blocks::BlockId,
    encryption::{Encryption, Preset},
    etag::ETag,
    fault::Fault,
    lease::{self, Lease, Subject},
    metadata::Metadata,
    sas::Policy,
    time::Timestamp,
};
use crate::store::content::Content;
use imbl::{OrdMap, OrdSet};
use std::sync::Arc;

mod blob;
mod copying;
mod door;
mod history;
mod lists;
mod reads;
mod record;
mod sweep;
mod writes;

pub use blob::Blob;
pub use door::Admitted;
pub use history::Snapshots;
pub use lists::{Also, BlockLists, Listed};
use sweep::Due;

/// A container, all its blobs, and the blocks that wait to be committed: one cell of the store.
#[derive(Clone, Debug)]
pub struct Container {
    about: About,
    lease: Lease,
    blobs: OrdMap<Key, Arc<Blob>>,
    staged: OrdMap<Arc<str>, Arc<Staged>>,
    /// What of both will be over by itself, and when.
    due: OrdSet<(Timestamp, Due)>,
    /// The last stamp given; the next is later, so that no two states of anything in the container share an entity tag.
    latest: Timestamp,
    /// When it was created, or last restored or renamed.
    born: Timestamp,
}

/// What is said of a container itself.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// When its metadata or access last changed: its Last-Modified and, in ticks, its entity tag.
    pub stamp: Timestamp,
    /// Its metadata.
    pub metadata: Metadata,
    /// How public it is.
    pub access: PublicAccess,
    /// The encryption scope that its blobs get.
    pub encryption: Preset,
    /// Its stored access policies.
    pub policies: Arc<[Policy]>,
}

/// Where a blob stands in its container: by name, and the snapshots of a name, oldest first, before the blob itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    name: Arc<str>,
    at: At,
}

impl Key {
    /// Before every state of a name.
    fn first(name: &str) -> Key {
        Key { name: name.into(), at: At::Kept(Timestamp::default(), Kept::Snapshot) }
    }
}

/// Which state of a name. Those that were kept come in the order of their times, and before the blob as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// As it was at a moment.
    Kept(Timestamp, Kept),
    /// As it is.
    Base,
}

impl At {
    /// The moment by which a listing orders it: the blob as it is comes last.
    pub fn time(self) -> Timestamp {
        match self {
            At::Kept(time, _) => time,
            At::Base => Timestamp::NEVER,
        }
    }
}

/// Why an earlier state of a name is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Somebody took a snapshot.
    Snapshot,
    /// The account keeps versions, and the blob was written to or deleted.
    Version,
}

/// Blocks that were put and not yet committed.
#[derive(Clone, Debug, PartialEq)]
struct Staged {
    touched: Timestamp,
    /// The lease of a name that only has blocks so far.
    lease: Lease,
    blocks: OrdMap<BlockId, Aside>,
}

/// A block that was put and not yet committed.
#[derive(Clone, Debug, PartialEq)]
pub struct Aside {
    /// Its bytes.
    pub content: Content,
    /// With what it is encrypted.
    pub encryption: Encryption,
}

impl Container {
    /// An empty container.
    pub fn new(now: Timestamp, metadata: Metadata, access: PublicAccess, encryption: Preset) -> Container {
        Container {
            about: About { stamp: now, metadata, access, encryption, policies: Arc::default() },
            lease: Lease::default(),
            blobs: OrdMap::new(),
            staged: OrdMap::new(),
            due: OrdSet::new(),
            latest: now,
            born: now,
        }
    }

    /// When it was created, or last restored or renamed: with its name, that tells it from all others.
    pub fn born(&self) -> Timestamp {
        self.born
    }

    /// Makes it as new to whoever asks for its date, its entity tag or its lease, as it is once it has been restored or renamed. What
    /// it holds stays as it was.
    pub fn renew(&mut self, now: Timestamp) {
        self.born = self.stamp(now);
        self.about.stamp = self.born;
        self.lease = Lease::default();
    }

    /// What is said of the container. Reading it needs no admission: the door asks it before it lets anybody in.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The container's lease.
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// The container's entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.about.stamp)
    }

    /// Changes what is said of the container, and its stamp with it.
    pub fn revise(&mut self, now: Timestamp, change: impl FnOnce(&mut About)) {
        change(&mut self.about);
        self.about.stamp = self.stamp(now);
    }

    /// Takes the container's lease one step on.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step.
    pub fn step_lease(&mut self, ask: lease::Ask, now: Timestamp) -> Result<Lease, Fault> {
        self.lease = lease::step(self.lease, ask, Subject::Container, now)?;
        Ok(self.lease)
    }

    /// A stamp later than every other of the container: now, unless something was written in this very tick.
    fn stamp(&mut self, now: Timestamp) -> Timestamp {
        self.latest = now.max(self.latest.next());
        self.latest
    }
}
