//! What a container keeps of its blobs' past: snapshots that somebody took, versions that writes and deletes leave behind, and deleted
//! states until their retention ends.

use crate::rules::blob::immutability::Protection;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::state::{Admitted, Blob, BlobKey, Container};
use std::sync::Arc;

impl Container {
    /// Keeps an admitted blob as it is now, under the moment of its keeping. Metadata given to the snapshot is the snapshot's own, and
    /// then so is its stamp. Where versions are kept, the blob goes on as a new one.
    pub fn snapshot(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        metadata: Metadata,
        keeping: RetentionPolicy,
    ) -> TakenSnapshot {
        let taken = self.next_last_modified(now);
        let own = Blob { lease: Lease::default(), version: None, ..Blob::clone(&admitted.blob) };
        let mut snapshot = Blob { protection: Protection::default(), ..own };
        if !metadata.is_empty() {
            snapshot.metadata = metadata;
            snapshot.last_modified = taken;
        }
        let name = admitted.key.name.clone();
        let version = keeping.versions.then(|| {
            let next = self.next_last_modified(now);
            self.archive(&admitted.key, &admitted.blob);
            self.amend(admitted, |blob| blob.version = Some(next));
            next
        });
        TakenSnapshot {
            at: taken,
            blob: self.keep(BlobKey { name, at: VersionSelector::Earlier(taken, VersionKind::Snapshot) }, snapshot),
            version,
        }
    }

    /// Changes an admitted blob as a write does that makes a new version of it.
    ///
    /// # Errors
    /// Those of [`Container::replace`].
    pub fn replace_as_version(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        keeping: RetentionPolicy,
        change: impl FnOnce(&mut Blob),
    ) -> Result<Arc<Blob>, StorageError> {
        if !keeping.versions {
            return self.replace(admitted, now, change);
        }
        self.archive(&admitted.key, &admitted.blob);
        self.replace(admitted, now, |blob| {
            change(blob);
            blob.version = Some(blob.last_modified);
        })
    }

    /// Removes an admitted blob, snapshot or version; of a blob, its snapshots too, or only those. What the account keeps stays, out of
    /// sight. Returns whether it is gone for good.
    ///
    /// # Errors
    /// 409 SnapshotsPresent when the blob has snapshots and nothing is said of them; 404 BlobNotFound when only its snapshots are
    /// meant and it has none; 403 OperationNotAllowedOnRootBlob for the blob as it is, named by its version id; 409 for what is under
    /// an immutability policy or a legal hold, even where it would stay as a version (the service's SDKs' own tests).
    pub fn remove(
        &mut self,
        admitted: &Admitted,
        snapshots: Option<DeleteSnapshots>,
        by_version: bool,
        now: Timestamp,
        keeping: RetentionPolicy,
    ) -> Result<bool, StorageError> {
        let key = &admitted.key;
        if key.at != VersionSelector::Base {
            return self.discard(key, now, keeping);
        }
        if by_version {
            return Err(ErrorCode::OperationNotAllowedOnRootBlob.into());
        }
        let taken: Vec<BlobKey> = self
            .past(&key.name)
            .filter(|(key, blob)| is_snapshot(key.at) && blob.is_live(now))
            .map(|(key, _)| key.clone())
            .collect();
        if !taken.is_empty() && snapshots.is_none() {
            return Err(ErrorCode::SnapshotsPresent.into());
        }
        // Recorded, in a batch: there is nothing to delete where only snapshots are meant and there are none.
        if taken.is_empty() && snapshots == Some(DeleteSnapshots::Only) {
            return Err(ErrorCode::BlobNotFound.into());
        }
        taken.iter().try_for_each(|key| self.discard(key, now, keeping).map(drop))?;
        if snapshots == Some(DeleteSnapshots::Only) {
            return Ok(keeping.days.is_none());
        }
        self.drop_staged(&key.name);
        if keeping.versions {
            admitted.blob.protection.admits_removal(now)?;
            let left = Blob { left: Some(self.next_last_modified(now)), ..Blob::clone(&admitted.blob) };
            self.archive(key, &Arc::new(left));
            self.take(key);
            return Ok(false);
        }
        self.discard(key, now, keeping)
    }

    /// Removes for good what was deleted and only kept.
    ///
    /// # Errors
    /// 409 for what is under an immutability policy or a legal hold.
    pub fn purge(&mut self, admitted: &Admitted, now: Timestamp) -> Result<(), StorageError> {
        self.discard(&admitted.key, now, RetentionPolicy::default()).map(drop)
    }

    /// Brings back what was deleted of a name and is still kept: the blob, its snapshots, its versions.
    ///
    /// # Errors
    /// 404 BlobNotFound when there is neither a blob nor anything deleted.
    pub fn undelete(&mut self, name: &str, now: Timestamp) -> Result<(), StorageError> {
        let base = BlobKey { name: name.into(), at: VersionSelector::Base };
        let kept: Vec<(BlobKey, Blob)> = self
            .past(name)
            .chain(self.blobs.get_key_value(&base))
            .filter(|(_, blob)| blob.deleted.is_some_and(|deletion| deletion.is_kept(now)))
            .map(|(key, blob)| (key.clone(), Blob { deleted: None, ..Blob::clone(blob) }))
            .collect();
        let stands = self.blobs.get(&base).is_some_and(|blob| blob.is_live(now));
        if kept.is_empty() && !stands {
            return Err(ErrorCode::BlobNotFound.into());
        }
        kept.into_iter().for_each(|(key, blob)| _ = self.keep(key, blob));
        Ok(())
    }

    /// Makes room at a name for a new blob: what stands there becomes a version, or, where only deleted states are kept, a deleted
    /// snapshot of its last moment.
    pub(super) fn displace(&mut self, name: &Arc<str>, now: Timestamp, keeping: RetentionPolicy) {
        let key = BlobKey { name: name.clone(), at: VersionSelector::Base };
        let Some(before) = self.blobs.get(&key).cloned() else { return };
        match (before.deleted, keeping.versions) {
            _ if before.has_expired(now) => {}
            (None, true) => self.archive(&key, &before),
            (None, false) => {
                if let Some(deletion) = keeping.deletion(now) {
                    self.bury(name, Blob { deleted: Some(deletion), ..Blob::clone(&before) }, now);
                }
            }
            (Some(deletion), _) if deletion.is_kept(now) => self.bury(name, Blob::clone(&before), deletion.at),
            (Some(_), _) => {}
        }
    }

    /// Keeps a blob as a version of its name.
    fn archive(&mut self, key: &BlobKey, blob: &Arc<Blob>) {
        let id = blob.version.unwrap_or(blob.last_modified);
        let version = Blob { lease: Lease::default(), version: Some(id), ..Blob::clone(blob) };
        self.keep(BlobKey { name: key.name.clone(), at: VersionSelector::Earlier(id, VersionKind::Version) }, version);
    }

    /// Keeps a deleted blob beside a new one of its name.
    fn bury(&mut self, name: &Arc<str>, blob: Blob, at: Timestamp) {
        let mut key = BlobKey { name: name.clone(), at: VersionSelector::Earlier(at, VersionKind::Snapshot) };
        while self.blobs.contains_key(&key) {
            key.at = VersionSelector::Earlier(self.next_last_modified(at), VersionKind::Snapshot);
        }
        self.keep(key, Blob { lease: Lease::default(), ..blob });
    }

    /// Deletes one state, or marks it deleted where such are kept. Returns whether it is gone for good.
    ///
    /// # Errors
    /// 409 for a state under an immutability policy or a legal hold.
    fn discard(&mut self, key: &BlobKey, now: Timestamp, keeping: RetentionPolicy) -> Result<bool, StorageError> {
        let Some(blob) = self.take(key) else { return Ok(true) };
        blob.protection.admits_removal(now)?;
        let Some(deletion) = keeping.deletion(now) else { return Ok(true) };
        self.keep(key.clone(), Blob { deleted: Some(deletion), lease: Lease::default(), ..Blob::clone(&blob) });
        Ok(false)
    }

    /// Whether a name has snapshots, be they deleted and only kept.
    pub fn has_snapshots(&self, name: &str) -> bool {
        self.past(name).any(|(key, _)| is_snapshot(key.at))
    }

    /// The earlier states of a name, in the order of their times.
    fn past<'a>(&'a self, name: &str) -> impl Iterator<Item = (&'a BlobKey, &'a Arc<Blob>)> + use<'a> {
        self.blobs.range(BlobKey::first(name)..BlobKey { name: name.into(), at: VersionSelector::Base })
    }
}

/// What Delete Blob does with a blob's snapshots (`x-ms-delete-snapshots`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteSnapshots {
    /// They are deleted with it.
    Include,
    /// They are deleted, and the blob is not.
    Only,
}

impl DeleteSnapshots {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            DeleteSnapshots::Include => "include",
            DeleteSnapshots::Only => "only",
        }
    }
}

/// A snapshot that was taken.
#[derive(Clone, Debug)]
pub struct TakenSnapshot {
    /// When, which is its name.
    pub at: Timestamp,
    /// The snapshot.
    pub blob: Arc<Blob>,
    /// The version id that the blob goes on with, where the account keeps versions.
    pub version: Option<Timestamp>,
}

fn is_snapshot(at: VersionSelector) -> bool {
    matches!(at, VersionSelector::Earlier(_, VersionKind::Snapshot))
}
