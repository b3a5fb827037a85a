//! Earlier states of blobs: snapshots, versions, and deleted states until their retention ends.

use crate::rules::blob::immutability::Protection;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::state::admission::Admitted;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, Place};
use std::sync::Arc;

impl Container {
    /// Takes a snapshot of an admitted blob. If the request has metadata, the snapshot has it instead of the blob's, and a modification
    /// time of its own. If the account keeps versions, the blob gets a new version id.
    pub fn snapshot(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        metadata: Metadata,
        retention: RetentionPolicy,
    ) -> TakenSnapshot {
        let at = self.next_last_modified(now);
        let own = Blob { lease: Lease::default(), version: None, ..Blob::clone(&admitted.blob) };
        let mut snapshot = Blob { protection: Protection::default(), ..own };
        if !metadata.is_empty() {
            snapshot.metadata = metadata;
            snapshot.last_modified = at;
        }
        let place = admitted.key.place.clone();
        let version = retention.versions.then(|| {
            let next = self.next_last_modified(now);
            self.archive(&admitted.key, &admitted.blob);
            self.insert(admitted.key, Blob { version: Some(next), ..Blob::clone(&admitted.blob) });
            next
        });
        TakenSnapshot { at, blob: self.insert(BlobKey::earlier(place, at, VersionKind::Snapshot), snapshot), version }
    }

    /// Changes an admitted blob, and creates a new version if the account keeps versions.
    ///
    /// # Errors
    /// Those of [`Container::replace`].
    pub fn replace_as_version(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        retention: RetentionPolicy,
        change: impl FnOnce(&mut Blob),
    ) -> Result<Arc<Blob>, StorageError> {
        if !retention.versions {
            return self.replace(admitted, now, change);
        }
        self.archive(&admitted.key, &admitted.blob);
        self.replace(admitted, now, |blob| {
            change(blob);
            blob.version = Some(blob.last_modified);
        })
    }

    /// Deletes an admitted blob, snapshot or version; of a blob, its snapshots too, or only its snapshots. The account may retain them.
    /// Returns true if the deletion is permanent.
    ///
    /// # Errors
    /// 409 SnapshotsPresent when the blob has snapshots and the request does not include them; 404 BlobNotFound when only its snapshots
    /// are to be deleted and it has none; 403 OperationNotAllowedOnRootBlob for the current blob, named by its version id; 409 for a blob
    /// under an immutability policy or a legal hold, even if it would stay as a version (the SDKs' own tests).
    pub fn remove(
        &mut self,
        admitted: &Admitted,
        snapshots: Option<DeleteSnapshots>,
        by_version: bool,
        now: Timestamp,
        retention: RetentionPolicy,
    ) -> Result<bool, StorageError> {
        let key = &admitted.key;
        if key.at != VersionSelector::Base {
            return self.discard(key, now, retention);
        }
        if by_version {
            return Err(ErrorCode::OperationNotAllowedOnRootBlob.into());
        }
        let existing: Vec<BlobKey> = self
            .past(&key.place)
            .filter(|(key, blob)| is_snapshot(key.at) && blob.is_live(now))
            .map(|(key, _)| key.clone())
            .collect();
        if !existing.is_empty() && snapshots.is_none() {
            return Err(ErrorCode::SnapshotsPresent.into());
        }
        // To delete only the snapshots of a blob without any is 404 (recorded, in a batch).
        if existing.is_empty() && snapshots == Some(DeleteSnapshots::Only) {
            return Err(ErrorCode::BlobNotFound.into());
        }
        existing.iter().try_for_each(|key| self.discard(key, now, retention).map(drop))?;
        if snapshots == Some(DeleteSnapshots::Only) {
            return Ok(retention.days.is_none());
        }
        self.drop_uncommitted(&key.place);
        if retention.versions {
            admitted.blob.protection.admits_removal(now)?;
            let left = Blob { left: Some(self.next_last_modified(now)), ..Blob::clone(&admitted.blob) };
            self.archive(key, &Arc::new(left));
            self.take(key);
            return Ok(false);
        }
        self.discard(key, now, retention)
    }

    /// Deletes a retained state permanently.
    ///
    /// # Errors
    /// 409 for a state under an immutability policy or a legal hold.
    pub fn purge(&mut self, admitted: &Admitted, now: Timestamp) -> Result<(), StorageError> {
        self.discard(&admitted.key, now, RetentionPolicy::default()).map(drop)
    }

    /// Restores the retained states of a name: the blob, its snapshots, its versions.
    ///
    /// # Errors
    /// 404 BlobNotFound when there is neither a blob nor a retained state.
    pub fn undelete(&mut self, name: &str, now: Timestamp) -> Result<(), StorageError> {
        let base = BlobKey::base(self.place(name, now)?);
        let retained: Vec<(BlobKey, Blob)> = self
            .past(&base.place)
            .chain(self.blobs.get_key_value(&base))
            .filter(|(_, blob)| blob.deleted.is_some_and(|deletion| deletion.is_kept(now)))
            .map(|(key, blob)| (key.clone(), Blob { deleted: None, ..Blob::clone(blob) }))
            .collect();
        let exists = self.blobs.get(&base).is_some_and(|blob| blob.is_live(now));
        if retained.is_empty() && !exists {
            return Err(ErrorCode::BlobNotFound.into());
        }
        retained.into_iter().for_each(|(key, blob)| _ = self.insert(key, blob));
        Ok(())
    }

    /// Removes the current blob of a name before a new one is written: it becomes a version, or, if the account only retains deleted
    /// states, a deleted snapshot.
    /// A hierarchical namespace retains nothing of it.
    pub(super) fn displace(&mut self, place: &Place, now: Timestamp, retention: RetentionPolicy) {
        let key = BlobKey::base(place.clone());
        let Some(before) = self.blobs.get(&key).filter(|_| !self.is_hierarchical()).cloned() else { return };
        match (before.deleted, retention.versions) {
            _ if before.has_expired(now) => {}
            (None, true) => self.archive(&key, &before),
            (None, false) => {
                if let Some(deletion) = retention.deletion(now) {
                    self.bury(place, Blob { deleted: Some(deletion), ..Blob::clone(&before) }, now);
                }
            }
            (Some(deletion), _) if deletion.is_kept(now) => self.bury(place, Blob::clone(&before), deletion.at),
            (Some(_), _) => {}
        }
    }

    /// Adds a version.
    fn archive(&mut self, key: &BlobKey, blob: &Arc<Blob>) {
        let id = blob.version.unwrap_or(blob.last_modified);
        let version = Blob { lease: Lease::default(), version: Some(id), ..Blob::clone(blob) };
        self.insert(BlobKey::earlier(key.place.clone(), id, VersionKind::Version), version);
    }

    /// Adds a deleted blob as a snapshot, since its name has a new blob.
    fn bury(&mut self, place: &Place, blob: Blob, at: Timestamp) {
        let mut key = BlobKey::earlier(place.clone(), at, VersionKind::Snapshot);
        while self.blobs.contains_key(&key) {
            key.at = VersionSelector::Earlier(self.next_last_modified(at), VersionKind::Snapshot);
        }
        self.insert(key, Blob { lease: Lease::default(), ..blob });
    }

    /// Deletes a state, or marks it as deleted if the account retains it. Returns true if the deletion is permanent.
    ///
    /// # Errors
    /// 409 for a state under an immutability policy or a legal hold.
    fn discard(&mut self, key: &BlobKey, now: Timestamp, retention: RetentionPolicy) -> Result<bool, StorageError> {
        let Some(blob) = self.take(key) else { return Ok(true) };
        blob.protection.admits_removal(now)?;
        let Some(deletion) = retention.deletion(now) else { return Ok(true) };
        self.insert(key.clone(), Blob { deleted: Some(deletion), lease: Lease::default(), ..Blob::clone(&blob) });
        Ok(false)
    }

    /// Returns true if a name has snapshots, including deleted ones that are retained.
    pub fn has_snapshots(&self, name: &str, now: Timestamp) -> bool {
        self.place(name, now).is_ok_and(|place| self.past(&place).any(|(key, _)| is_snapshot(key.at)))
    }

    /// The earlier states at a place, in the order of their times.
    fn past<'a>(&'a self, place: &Place) -> impl Iterator<Item = (&'a BlobKey, &'a Arc<Blob>)> + use<'a> {
        self.blobs.range(BlobKey::first(place.clone())..BlobKey::base(place.clone()))
    }
}

words! {
    /// What Delete Blob does with a blob's snapshots (`x-ms-delete-snapshots`).
    pub DeleteSnapshots {
        /// They are deleted with it.
        Include = "include",
        /// They are deleted, and the blob is not.
        Only = "only",
    }
}

/// A snapshot that was taken.
#[derive(Clone, Debug)]
pub struct TakenSnapshot {
    /// The time by which it is named.
    pub at: Timestamp,
    /// The snapshot.
    pub blob: Arc<Blob>,
    /// The new version id of the blob, if the account keeps versions.
    pub version: Option<Timestamp>,
}

fn is_snapshot(at: VersionSelector) -> bool {
    matches!(at, VersionSelector::Earlier(_, VersionKind::Snapshot))
}
