//! Snapshots of a share: its tree and its properties at a time. Creating one copies a few pointers, however large the share is.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use crate::services::file::state::share::Share;
use crate::services::file::state::view::{ShareView, Snapshot};
use std::sync::Arc;

/// The most snapshots of a share.
const MAX_SNAPSHOTS: usize = 200;

words! {
    /// Which snapshots are deleted with their share.
    pub DeleteSnapshots {
        /// All, if none of them is leased.
        Include = "include",
        /// All, leased ones too.
        IncludeLeased = "include-leased",
    }
}

impl Share {
    /// Creates a snapshot, and returns the time that names it: whole seconds, different for each snapshot (recorded).
    ///
    /// # Errors
    /// 409 ShareSnapshotCountExceeded.
    pub fn create_snapshot(&mut self, metadata: Option<Metadata>, now: Timestamp) -> Result<Timestamp, StorageError> {
        if self.snapshots.len() >= MAX_SNAPSHOTS {
            return Err(ErrorCode::ShareSnapshotCountExceeded.into());
        }
        let second = Timestamp::from_ticks(now.ticks() / TICKS_PER_SECOND * TICKS_PER_SECOND);
        let next = self.snapshots.get_max().map(|(name, _)| name.after_seconds(1));
        let name = next.map_or(second, |next| next.max(second));
        let mut properties = self.properties.clone();
        properties.metadata = metadata.unwrap_or(properties.metadata);
        let at = self.next_last_modified(now);
        self.snapshots.insert(name, Arc::new(Snapshot { properties, lease: Lease::default(), tree: self.tree.clone(), at }));
        Ok(name)
    }

    /// The snapshot of this name.
    pub fn snapshot(&self, name: Timestamp) -> Option<&Snapshot> {
        self.snapshots.get(&name).map(Arc::as_ref)
    }

    /// The snapshots, oldest first.
    pub fn snapshots(&self) -> impl Iterator<Item = ShareView<'_>> {
        self.snapshots.iter().map(|(name, snapshot)| snapshot.view(*name))
    }

    pub fn delete_snapshot(&mut self, name: Timestamp) {
        self.snapshots.remove(&name);
    }

    /// Checks that the share's snapshots allow its deletion. `include` is the value of `x-ms-delete-snapshots`.
    ///
    /// # Errors
    /// 409 ShareHasSnapshots; 409 DeleteShareWhenSnapshotLeased.
    pub fn check_snapshots(&self, include: Option<DeleteSnapshots>, now: Timestamp) -> Result<(), StorageError> {
        let is_leased = || self.snapshots.values().any(|snapshot| snapshot.lease.status(now) == "locked");
        match include {
            None if !self.snapshots.is_empty() => Err(ErrorCode::ShareHasSnapshots.into()),
            Some(DeleteSnapshots::Include) if is_leased() => Err(ErrorCode::DeleteShareWhenSnapshotLeased.into()),
            _ => Ok(()),
        }
    }

    pub(super) fn step_snapshot_lease(
        &mut self,
        name: Timestamp,
        action: lease::LeaseAction,
        now: Timestamp,
    ) -> Result<Lease, StorageError> {
        let mut snapshot = Snapshot::clone(self.snapshot(name).ok_or(ErrorCode::ShareNotFound)?);
        snapshot.lease = lease::step(snapshot.lease, action, LeasedResource::Share, now)?;
        let lease = snapshot.lease;
        self.snapshots.insert(name, Arc::new(snapshot));
        Ok(lease)
    }
}
