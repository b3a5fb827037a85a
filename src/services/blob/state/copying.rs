//! Destinations of pending and incremental copies: which operations they allow, and how a copy ends.

use crate::operation::{Access, OperationSpec, Request};
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{Lease, LeaseCheck};
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::copy_properties::{BlobCopy, IncrementalCopy, Outcome};
use crate::services::blob::state::admission::{Admitted, Claimed};
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::BlobKey;
use std::sync::Arc;

impl Blob {
    /// Its size in bytes: that of the source while a copy is pending.
    pub fn size(&self) -> u64 {
        match &self.copy {
            Some(copy) if copy.is_pending() => copy.total,
            _ => self.body.len(),
        }
    }

    /// Checks that its content can be read: no copy to it is pending, and it is not the destination of incremental copies.
    ///
    /// # Errors
    /// 409 PendingCopyOperation; 409 OperationNotAllowedOnIncrementalCopyBlob for all but the snapshots of such a blob.
    pub(super) fn check_content(&self, at: VersionSelector) -> Result<(), StorageError> {
        match self.copy.as_deref().filter(|_| at == VersionSelector::Base) {
            Some(copy) if copy.is_pending() => Err(ErrorCode::PendingCopyOperation.into()),
            Some(BlobCopy { incremental: Some(_), .. }) => Err(ErrorCode::OperationNotAllowedOnIncrementalCopyBlob.into()),
            _ => Ok(()),
        }
    }

    /// Checks that an operation may change it: the destination of a pending copy cannot be changed, and that of incremental copies can
    /// only be leased and deleted.
    ///
    /// # Errors
    /// As [`Blob::check_content`].
    pub(super) fn check_settled(&self, spec: &OperationSpec, at: VersionSelector) -> Result<(), StorageError> {
        if spec.access == Access::Read {
            return Ok(());
        }
        match self.check_content(at) {
            Err(error) if error.code() == ErrorCode::PendingCopyOperation => Err(error),
            Err(error) if !spec.methods.contains(&"DELETE") && spec.lease != LeaseCheck::None => Err(error),
            _ => Ok(()),
        }
    }
}

impl Admitted {
    /// Checks that its content can be read.
    ///
    /// # Errors
    /// As [`Blob::check_online`]; 409 PendingCopyOperation for the destination of a pending copy; 409
    /// OperationNotAllowedOnIncrementalCopyBlob for that of incremental copies, of which only the snapshots can be read.
    pub fn check_readable(&self, now: Timestamp) -> Result<(), StorageError> {
        self.check_online(now)?;
        self.check_content(self.at())
    }
}

impl Container {
    /// Ends a pending copy with its body, or with the reason of its failure.
    ///
    /// # Errors
    /// 409 NoPendingCopyOperation when the copy was aborted or the blob was deleted.
    pub fn end_copy(
        &mut self,
        name: &Arc<str>,
        id: [u8; 16],
        now: Timestamp,
        result: Result<Body, Box<str>>,
    ) -> Result<(), StorageError> {
        let (key, blob) = self.find(name, VersionSelector::Base, now).map_err(|_| ErrorCode::NoPendingCopyOperation)?;
        let copy =
            blob.copy.clone().filter(|copy| copy.is_pending() && copy.id == id).ok_or(ErrorCode::NoPendingCopyOperation)?;
        let (body, outcome) = match result {
            Ok(body) => (body, Outcome::Success),
            Err(why) => (blob.body.clone(), Outcome::Failed(why)),
        };
        self.settle(Admitted { key, blob }, now, &copy, body, outcome)
    }

    /// Aborts the copy to the blob that the request names, and drops the bytes that have arrived.
    ///
    /// # Errors
    /// As [`Container::admit`]; 409 NoPendingCopyOperation; 409 CopyIdMismatch when another copy is pending.
    pub fn abort_copy(&mut self, request: &Request, id: [u8; 16]) -> Result<(), StorageError> {
        let admitted = self.admit_unsettled(request)?;
        let copy = admitted.copy.clone().filter(|copy| copy.is_pending()).ok_or(ErrorCode::NoPendingCopyOperation)?;
        if copy.id != id {
            return Err(ErrorCode::CopyIdMismatch.into());
        }
        let body = admitted.body.clone();
        self.settle(admitted, request.now, &copy, body, Outcome::Aborted)
    }

    fn settle(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        copy: &BlobCopy,
        body: Body,
        outcome: Outcome,
    ) -> Result<(), StorageError> {
        let ended = Arc::new(copy.over(now, outcome));
        self.replace(admitted, now, |blob| {
            blob.body = body;
            blob.copy = Some(ended);
        })?;
        Ok(())
    }

    /// Copies the next snapshot to the destination of incremental copies, and takes a snapshot of it there. `increment` lacks only that
    /// snapshot. `make` creates the destination for the first copy; `advance` changes it for a later one, given the source's snapshot
    /// that was copied last. Returns the blob before the copy completed.
    ///
    /// # Errors
    /// As [`Container::claim`]; 409 IncrementalCopyBlobMismatch where another blob exists; 409
    /// IncrementalCopyOfEarlierVersionSnapshotNotAllowed for a snapshot from before the last one.
    pub fn copy_increment(
        &mut self,
        request: &Request,
        retention: RetentionPolicy,
        mut increment: IncrementalCopy,
        make: impl FnOnce(NewBlob) -> Blob,
        advance: impl FnOnce(&mut Blob, Timestamp),
    ) -> Result<Arc<Blob>, StorageError> {
        let claimed = self.claim_any(request)?;
        let (place, _) = self.make_place(&claimed, request.now)?;
        let begun = match claimed.current.clone() {
            None => self.create(claimed, request.now, retention, make)?,
            Some(current) => {
                let last = check_next(&current, &increment)?;
                let admitted = Admitted { key: BlobKey::base(place.clone()), blob: current };
                self.replace(admitted, request.now, |blob| advance(blob, last))?
            }
        };
        increment.destination = self.next_last_modified(request.now);
        let key = BlobKey::base(place);
        let done = self.replace(Admitted { key: key.clone(), blob: begun.clone() }, request.now, |blob| {
            blob.version = None;
            blob.copy = blob
                .copy
                .as_ref()
                .map(|copy| Arc::new(BlobCopy { incremental: Some(increment.clone()), ..BlobCopy::clone(copy) }));
        })?;
        let snapshot = Blob { lease: Lease::default(), ..Blob::clone(&done) };
        self.insert(BlobKey::earlier(key.place, increment.destination, VersionKind::Snapshot), snapshot);
        Ok(begun)
    }
}

impl Claimed {
    /// Checks that a write may replace the current blob.
    ///
    /// # Errors
    /// As [`Blob::check_settled`].
    pub(super) fn check_settled(&self, spec: &OperationSpec) -> Result<(), StorageError> {
        self.current().map_or(Ok(()), |blob| blob.check_settled(spec, VersionSelector::Base))
    }
}

/// Checks that this increment can follow. Returns the source's snapshot that was copied last.
fn check_next(blob: &Blob, next: &IncrementalCopy) -> Result<Timestamp, StorageError> {
    if !matches!(blob.body, Body::Page { .. }) {
        return Err(ErrorCode::InvalidBlobType.into());
    }
    let last = blob.copy.as_ref().and_then(|copy| copy.incremental.as_ref());
    match last.filter(|last| last.of == next.of && last.created == next.created) {
        None => Err(ErrorCode::IncrementalCopyBlobMismatch.into()),
        Some(last) if next.snapshot < last.snapshot => Err(ErrorCode::IncrementalCopyOfEarlierVersionSnapshotNotAllowed.into()),
        Some(last) => Ok(last.snapshot),
    }
}
