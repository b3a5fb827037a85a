//! Blobs that a copy is making, or has made piece by piece: who may touch them meanwhile, and how such a copy ends.

use crate::operation::{Access, OperationSpec, Request};
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{Lease, LeaseCheck};
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::copy_properties::{BlobCopy, IncrementalCopy, Outcome};
use crate::services::blob::state::admission::{Admitted, Claimed, check};
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::{BlobKey, Container};
use std::sync::Arc;

impl Blob {
    /// Its length in bytes as it is told: while a copy goes on, that of the source.
    pub fn size(&self) -> u64 {
        match &self.copy {
            Some(copy) if copy.is_pending() => copy.total,
            _ => self.body.len(),
        }
    }

    /// Checks that its content can be read where it stands: no copy is at work on it, and it does not only serve to be copied on to.
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

    /// Checks that an operation may change it: nothing changes what a copy is at work on, and what incremental copies made is only
    /// leased and deleted.
    ///
    /// # Errors
    /// As [`Blob::check_content`].
    pub(super) fn check_settled(&self, row: &OperationSpec, at: VersionSelector) -> Result<(), StorageError> {
        if row.access == Access::Read {
            return Ok(());
        }
        match self.check_content(at) {
            Err(error) if error.code() == ErrorCode::PendingCopyOperation => Err(error),
            Err(error) if !row.methods.contains(&"DELETE") && row.lease != LeaseCheck::None => Err(error),
            _ => Ok(()),
        }
    }
}

impl Admitted {
    /// Checks that its content can be read.
    ///
    /// # Errors
    /// As [`Blob::check_online`]; 409 PendingCopyOperation while a copy goes on; 409 OperationNotAllowedOnIncrementalCopyBlob for a blob
    /// of which only the snapshots are read.
    pub fn check_readable(&self, now: Timestamp) -> Result<(), StorageError> {
        self.check_online(now)?;
        self.check_content(self.at())
    }
}

impl Container {
    /// Ends a copy that went on in the background: with the whole body, or with what went wrong.
    ///
    /// # Errors
    /// 409 NoPendingCopyOperation when the blob does not wait for this copy any more: it was stopped, or the blob is gone.
    pub fn end_copy(
        &mut self,
        name: &Arc<str>,
        id: [u8; 16],
        now: Timestamp,
        came: Result<Body, Box<str>>,
    ) -> Result<(), StorageError> {
        let key = BlobKey { name: name.clone(), at: VersionSelector::Base };
        let blob = self.blobs.get(&key).filter(|blob| blob.is_live(now)).cloned().ok_or(ErrorCode::NoPendingCopyOperation)?;
        let copy =
            blob.copy.clone().filter(|copy| copy.is_pending() && copy.id == id).ok_or(ErrorCode::NoPendingCopyOperation)?;
        let (body, outcome) = match came {
            Ok(body) => (body, Outcome::Success),
            Err(why) => (blob.body.clone(), Outcome::Failed(why)),
        };
        self.settle(Admitted { key, blob }, now, &copy, body, outcome)
    }

    /// Stops the copy to the blob that the call names. What came so far is dropped.
    ///
    /// # Errors
    /// As [`Container::admit`]; 409 NoPendingCopyOperation; 409 CopyIdMismatch when another copy is going on.
    pub fn abort_copy(&mut self, request: &Request, id: [u8; 16]) -> Result<(), StorageError> {
        let (key, blob) = self.find(request.target.blob()?.0, request.target.blob()?.1, request.now)?;
        check(&blob, request, key.at)?;
        let copy = blob.copy.clone().filter(|copy| copy.is_pending()).ok_or(ErrorCode::NoPendingCopyOperation)?;
        if copy.id != id {
            return Err(ErrorCode::CopyIdMismatch.into());
        }
        let body = blob.body.clone();
        self.settle(Admitted { key, blob }, request.now, &copy, body, Outcome::Aborted)
    }

    fn settle(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        copy: &BlobCopy,
        body: Body,
        outcome: Outcome,
    ) -> Result<(), StorageError> {
        let over = Arc::new(copy.over(now, outcome));
        self.replace(admitted, now, |blob| {
            blob.body = body;
            blob.copy = Some(over);
        })?;
        Ok(())
    }

    /// Copies the next snapshot to a blob that consists of such copies, and keeps it as a snapshot there. `increment` has everything of
    /// it but where it is kept; `make` makes the blob for the first of them, and `on` changes it for a later one, told which snapshot of
    /// the source came last. Gives the blob as it
    /// was when the copy began.
    ///
    /// # Errors
    /// As [`Container::claim`]; 409 IncrementalCopyBlobMismatch where something else stands; 409
    /// IncrementalCopyOfEarlierVersionSnapshotNotAllowed for a snapshot from before the last one.
    pub fn copy_increment(
        &mut self,
        request: &Request,
        keeping: RetentionPolicy,
        mut increment: IncrementalCopy,
        make: impl FnOnce(NewBlob) -> Blob,
        on: impl FnOnce(&mut Blob, Timestamp),
    ) -> Result<Arc<Blob>, StorageError> {
        let claimed = self.claim_any(request)?;
        let begun = match claimed.current.clone() {
            None => self.create(claimed, request.now, keeping, make),
            Some(stands) => {
                let last = check_next(&stands, &increment)?;
                let admitted = Admitted { key: BlobKey { name: claimed.name, at: VersionSelector::Base }, blob: stands };
                self.replace(admitted, request.now, |blob| on(blob, last))?
            }
        };
        increment.kept = self.next_last_modified(request.now);
        let key = BlobKey { name: request.target.blob()?.0.into(), at: VersionSelector::Base };
        let done = self.replace(Admitted { key: key.clone(), blob: begun.clone() }, request.now, |blob| {
            blob.version = None;
            blob.copy = blob
                .copy
                .as_ref()
                .map(|copy| Arc::new(BlobCopy { incremental: Some(increment.clone()), ..BlobCopy::clone(copy) }));
        })?;
        let kept = Blob { lease: Lease::default(), ..Blob::clone(&done) };
        self.keep(BlobKey { name: key.name, at: VersionSelector::Earlier(increment.kept, VersionKind::Snapshot) }, kept);
        Ok(begun)
    }
}

impl Claimed {
    /// Checks that a write may take the place of what stands there.
    ///
    /// # Errors
    /// As [`Blob::check_settled`].
    pub(super) fn check_settled(&self, row: &OperationSpec) -> Result<(), StorageError> {
        self.current().map_or(Ok(()), |blob| blob.check_settled(row, VersionSelector::Base))
    }
}

/// Checks that a blob takes this increment next; the source's snapshot that came last.
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
