//! Snapshots of a share: its tree and what was said of it, as they were. Taking one copies a few pointers, whatever is in the share.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use crate::services::file::state::{Share, ShareProperties, ShareView, Tree};
use std::sync::Arc;

/// Snapshots of a share, at most.
const MOST: usize = 200;

/// A share as it was.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) about: ShareProperties,
    pub(super) lease: Lease,
    pub(super) tree: Tree,
    /// When it was taken, to the tick: its name has whole seconds only.
    pub(super) at: Timestamp,
}

impl PartialEq for Snapshot {
    /// A snapshot is equal to itself alone.
    fn eq(&self, other: &Snapshot) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Snapshot {
    /// How it looks.
    pub fn view(&self, taken: Timestamp) -> ShareView<'_> {
        ShareView { about: &self.about, lease: self.lease, tree: &self.tree, taken: Some(taken) }
    }

    /// What was in it.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// When it was taken, to the tick.
    pub fn at(&self) -> Timestamp {
        self.at
    }
}

impl Share {
    /// Takes a snapshot; the moment that names it. Recorded: whole seconds, and no two snapshots of one second.
    ///
    /// # Errors
    /// 409 ShareSnapshotCountExceeded.
    pub fn take_snapshot(&mut self, metadata: Option<Metadata>, now: Timestamp) -> Result<Timestamp, StorageError> {
        if self.snapshots.len() >= MOST {
            return Err(ErrorCode::ShareSnapshotCountExceeded.into());
        }
        let second = Timestamp::from_ticks(now.ticks() / TICKS_PER_SECOND * TICKS_PER_SECOND);
        let last = self.snapshots.get_max().map(|(taken, _)| taken.after_seconds(1));
        let taken = last.map_or(second, |next| next.max(second));
        let mut about = self.properties.clone();
        about.metadata = metadata.unwrap_or(about.metadata);
        let at = self.stamp(now);
        self.snapshots.insert(taken, Arc::new(Snapshot { about, lease: Lease::default(), tree: self.tree.clone(), at }));
        Ok(taken)
    }

    /// The snapshot of this name.
    pub fn snapshot(&self, taken: Timestamp) -> Option<&Snapshot> {
        self.snapshots.get(&taken).map(Arc::as_ref)
    }

    /// The snapshots, oldest first.
    pub fn snapshots(&self) -> impl Iterator<Item = ShareView<'_>> {
        self.snapshots.iter().map(|(taken, snapshot)| snapshot.view(*taken))
    }

    /// Removes a snapshot.
    pub fn remove_snapshot(&mut self, taken: Timestamp) {
        self.snapshots.remove(&taken);
    }

    /// Checks that the share's snapshots allow its deletion, as `x-ms-delete-snapshots` says.
    ///
    /// # Errors
    /// 409 ShareHasSnapshots; 409 DeleteShareWhenSnapshotLeased; 400 InvalidHeaderValue for another word.
    pub fn check_snapshots(&self, word: Option<&str>, now: Timestamp) -> Result<(), StorageError> {
        let leased = || self.snapshots.values().any(|snapshot| snapshot.lease.status(now) == "locked");
        match word {
            None if self.snapshots.is_empty() => Ok(()),
            None => Err(ErrorCode::ShareHasSnapshots.into()),
            Some(word) if word.eq_ignore_ascii_case("include-leased") => Ok(()),
            Some(word) if word.eq_ignore_ascii_case("include") && leased() => {
                Err(ErrorCode::DeleteShareWhenSnapshotLeased.into())
            }
            Some(word) if word.eq_ignore_ascii_case("include") => Ok(()),
            Some(word) => Err(StorageError::invalid_header("x-ms-delete-snapshots", word)),
        }
    }

    /// Takes the lease of a snapshot one step on.
    pub(super) fn step_snapshot_lease(
        &mut self,
        taken: Timestamp,
        ask: lease::LeaseAction,
        now: Timestamp,
    ) -> Result<Lease, StorageError> {
        let mut snapshot = Snapshot::clone(self.snapshot(taken).ok_or(ErrorCode::ShareNotFound)?);
        snapshot.lease = lease::step(snapshot.lease, ask, LeasedResource::Share, now)?;
        let lease = snapshot.lease;
        self.snapshots.insert(taken, Arc::new(snapshot));
        Ok(lease)
    }
}
