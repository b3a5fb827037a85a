//! How blobs change: a claimed name gets a new blob, an admitted blob another state. Each is one edit of the container's draft.

use crate::operation::Request;
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::conditions::CurrentState;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::rules::{conditions, lease};
use crate::services::blob::state::admission::{Admitted, Claimed};
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::{BlobKey, Container, UncommittedBlock, UncommittedBlocks};
use crate::store::content::Content;
use std::sync::Arc;

impl Container {
    /// Writes a new blob to a claimed name. Its lease stays; what stood there is kept as the account keeps things, its uncommitted
    /// blocks are gone.
    pub fn create(
        &mut self,
        claimed: Claimed,
        now: Timestamp,
        keeping: RetentionPolicy,
        make: impl FnOnce(NewBlob) -> Blob,
    ) -> Arc<Blob> {
        self.displace(&claimed.name, now, keeping);
        let stamp = self.next_last_modified(now);
        let lease = lease::after_write(self.lease_at(&claimed.name, claimed.current.as_deref(), now), now);
        let version = keeping.versions.then_some(stamp);
        let blob = make(NewBlob { stamp, lease, encryption: claimed.encryption, version });
        self.drop_staged(&claimed.name);
        self.sweep(now);
        self.keep(BlobKey { name: claimed.name, at: VersionSelector::Base }, blob)
    }

    /// Changes an admitted blob, and its stamp with it, which the change may read.
    ///
    /// # Errors
    /// 409 for a blob under an immutability policy or a legal hold.
    pub fn replace(
        &mut self,
        admitted: Admitted,
        now: Timestamp,
        change: impl FnOnce(&mut Blob),
    ) -> Result<Arc<Blob>, StorageError> {
        admitted.blob.protection.admits_change()?;
        let mut blob = Blob { last_modified: self.next_last_modified(now), ..Blob::clone(&admitted.blob) };
        change(&mut blob);
        blob.lease = lease::after_write(blob.lease, now);
        Ok(self.keep(admitted.key, blob))
    }

    /// Changes what is beside an admitted blob's content: tags, tier. Its stamp stays, and its entity tag.
    pub fn amend(&mut self, admitted: Admitted, change: impl FnOnce(&mut Blob)) -> Arc<Blob> {
        let mut blob = Blob::clone(&admitted.blob);
        change(&mut blob);
        self.keep(admitted.key, blob)
    }

    /// Takes the lease of the blob that the call names one step on. Neither its stamp nor its entity tag changes. A name that only has
    /// blocks so far can be leased too; its stamp is the moment of the last of them.
    ///
    /// # Errors
    /// Those of [`Container::admit`]; 409 when the lease does not allow the step.
    pub fn step_blob_lease(&mut self, request: &Request, ask: lease::LeaseAction) -> Result<(Timestamp, Lease), StorageError> {
        let admitted = match self.admit(request) {
            Err(error) if error.code() == ErrorCode::BlobNotFound => {
                return self.step_lease_of_blocks(request, ask).ok_or(error)?;
            }
            admitted => admitted?,
        };
        let next = lease::step(admitted.blob.lease, ask, LeasedResource::Blob, request.now)?;
        let blob = self.amend(admitted, |blob| blob.lease = next);
        Ok((blob.last_modified, next))
    }

    /// [`Container::step_blob_lease`] of a name that only has blocks so far; `None` if it has none.
    fn step_lease_of_blocks(
        &mut self,
        request: &Request,
        ask: lease::LeaseAction,
    ) -> Option<Result<(Timestamp, Lease), StorageError>> {
        let (name, _) = request.target.blob().ok()?;
        let staged = self.waiting(name, request.now)?.clone();
        let (touched, untagged) = (staged.touched, Tags::default());
        let stored = CurrentState { etag: ETag::of(touched), modified: touched, tags: &untagged };
        let held = conditions::check(&request.conditions, request.spec.conditions, Some(&stored), request.version);
        let next = held.and_then(|()| lease::step(staged.lease, ask, LeasedResource::Blob, request.now));
        Some(next.map(|lease| {
            self.put_aside(Arc::from(name), UncommittedBlocks { lease, ..staged });
            (touched, lease)
        }))
    }

    /// The lease of a name: that of the blob that stands there, or else of the blocks that wait for one.
    pub(super) fn lease_at(&self, name: &str, stands: Option<&Blob>, now: Timestamp) -> Lease {
        match stands {
            Some(blob) => blob.lease,
            None => self.waiting(name, now).map_or(Lease::default(), |staged| staged.lease),
        }
    }

    /// Keeps a block for a claimed name until it is committed.
    ///
    /// # Errors
    /// 400 InvalidBlobOrBlock when its id is not as long as those that wait already: the committed ones may be of another length (the
    /// SDKs' own tests); 409 BlockCountExceedsLimit.
    pub fn stage(&mut self, claimed: Claimed, id: BlockId, content: Content, now: Timestamp) -> Result<(), StorageError> {
        let waiting = self.waiting(&claimed.name, now);
        let lease = waiting.map(|staged| staged.lease).unwrap_or_default();
        let mut blocks = waiting.map(|staged| staged.blocks.clone()).unwrap_or_default();
        id.check_length(blocks.keys().next())?;
        if !blocks.contains_key(&id) {
            blocks::check_room(blocks.len())?;
        }
        blocks.insert(id, UncommittedBlock { content, encryption: claimed.encryption });
        self.put_aside(claimed.name, UncommittedBlocks { touched: now, lease, blocks });
        self.sweep(now);
        Ok(())
    }

    /// An uncommitted block of a claimed name.
    pub fn staged_block(&self, claimed: &Claimed, id: &BlockId, now: Timestamp) -> Option<UncommittedBlock> {
        self.waiting(&claimed.name, now)?.blocks.get(id).cloned()
    }
}
