//! Blobs that a copy is making, or has made piece by piece: who may touch them meanwhile, and how such a copy ends.

use super::super::body::Body;
use super::super::copied::{Copied, Increment, Outcome};
use super::blob::{Blob, New};
use super::door::{Admitted, Claimed, asked_state, check};
use super::{At, Container, Kept, Key};
use crate::op::{Call, Row, Secondary};
use crate::rules::{
    fault::{Code, Fault},
    lease::{Guard, Lease},
    retention::Keeping,
    time::Timestamp,
};
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
    pub(super) fn check_content(&self, at: At) -> Result<(), Fault> {
        match self.copy.as_deref().filter(|_| at == At::Base) {
            Some(copy) if copy.is_pending() => Err(Code::PendingCopyOperation.into()),
            Some(Copied { incremental: Some(_), .. }) => Err(Code::OperationNotAllowedOnIncrementalCopyBlob.into()),
            _ => Ok(()),
        }
    }

    /// Checks that an operation may change it: nothing changes what a copy is at work on, and what incremental copies made is only
    /// leased and deleted.
    ///
    /// # Errors
    /// As [`Blob::check_content`].
    pub(super) fn check_settled(&self, row: &Row, at: At) -> Result<(), Fault> {
        if row.secondary != Secondary::Refused {
            return Ok(());
        }
        match self.check_content(at) {
            Err(fault) if fault.code() == Code::PendingCopyOperation => Err(fault),
            Err(fault) if !row.methods.contains(&"DELETE") && row.lease != Guard::None => Err(fault),
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
    pub fn check_readable(&self, now: Timestamp) -> Result<(), Fault> {
        self.check_online(now)?;
        self.check_content(self.at())
    }
}

impl Container {
    /// Ends a copy that went on in the background: with the whole body, or with what went wrong.
    ///
    /// # Errors
    /// 409 NoPendingCopyOperation when the blob does not wait for this copy any more: it was stopped, or the blob is gone.
    pub fn end_copy(&mut self, name: &Arc<str>, id: [u8; 16], now: Timestamp, came: Result<Body, Box<str>>) -> Result<(), Fault> {
        let key = Key { name: name.clone(), at: At::Base };
        let blob = self.blobs.get(&key).filter(|blob| blob.is_live(now)).cloned().ok_or(Code::NoPendingCopyOperation)?;
        let copy = blob.copy.clone().filter(|copy| copy.is_pending() && copy.id == id).ok_or(Code::NoPendingCopyOperation)?;
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
    pub fn abort_copy(&mut self, call: &Call, id: [u8; 16]) -> Result<(), Fault> {
        let (key, blob) = self.find(call.blob(), asked_state(call)?, call.now)?;
        check(&blob, call, key.at)?;
        let copy = blob.copy.clone().filter(|copy| copy.is_pending()).ok_or(Code::NoPendingCopyOperation)?;
        if copy.id != id {
            return Err(Code::CopyIdMismatch.into());
        }
        let body = blob.body.clone();
        self.settle(Admitted { key, blob }, call.now, &copy, body, Outcome::Aborted)
    }

    fn settle(&mut self, admitted: Admitted, now: Timestamp, copy: &Copied, body: Body, outcome: Outcome) -> Result<(), Fault> {
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
        call: &Call,
        keeping: Keeping,
        mut increment: Increment,
        make: impl FnOnce(New) -> Blob,
        on: impl FnOnce(&mut Blob, Timestamp),
    ) -> Result<Arc<Blob>, Fault> {
        let claimed = self.claim_any(call)?;
        let begun = match claimed.stands.clone() {
            None => self.create(claimed, call.now, keeping, make),
            Some(stands) => {
                let last = check_next(&stands, &increment)?;
                let admitted = Admitted { key: Key { name: claimed.name, at: At::Base }, blob: stands };
                self.replace(admitted, call.now, |blob| on(blob, last))?
            }
        };
        increment.kept = self.stamp(call.now);
        let key = Key { name: call.blob().into(), at: At::Base };
        let done = self.replace(Admitted { key: key.clone(), blob: begun.clone() }, call.now, |blob| {
            blob.version = None;
            blob.copy =
                blob.copy.as_ref().map(|copy| Arc::new(Copied { incremental: Some(increment.clone()), ..Copied::clone(copy) }));
        })?;
        let kept = Blob { lease: Lease::default(), ..Blob::clone(&done) };
        self.keep(Key { name: key.name, at: At::Kept(increment.kept, Kept::Snapshot) }, kept);
        Ok(begun)
    }
}

impl Claimed {
    /// Checks that a write may take the place of what stands there.
    ///
    /// # Errors
    /// As [`Blob::check_settled`].
    pub(super) fn check_settled(&self, row: &Row) -> Result<(), Fault> {
        self.stands().map_or(Ok(()), |blob| blob.check_settled(row, At::Base))
    }
}

/// Checks that a blob takes this increment next; the source's snapshot that came last.
fn check_next(blob: &Blob, next: &Increment) -> Result<Timestamp, Fault> {
    if !matches!(blob.body, Body::Page { .. }) {
        return Err(Code::InvalidBlobType.into());
    }
    let last = blob.copy.as_ref().and_then(|copy| copy.incremental.as_ref());
    match last.filter(|last| last.of == next.of && last.created == next.created) {
        None => Err(Code::IncrementalCopyBlobMismatch.into()),
        Some(last) if next.snapshot < last.snapshot => Err(Code::IncrementalCopyOfEarlierVersionSnapshotNotAllowed.into()),
        Some(last) => Ok(last.snapshot),
    }
}
