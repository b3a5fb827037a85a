//! Writes: a claimed name gets a new blob, an admitted blob gets another state.

use crate::operation::Request;
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::tags::Tags;
use crate::rules::conditions::CurrentState;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::rules::{conditions, lease};
use crate::services::blob::state::admission::{Admitted, Claimed};
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::container::{Container, UncommittedBlock, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Place};
use crate::store::content::Content;
use std::sync::Arc;

impl Container {
    /// Writes a new blob to a claimed name. The lease stays, the old blob is retained if the account does so, and the uncommitted blocks
    /// are deleted.
    ///
    /// # Errors
    /// 409 for a blob under an immutability policy or a legal hold, unless it stays as a version.
    pub fn create(
        &mut self,
        claimed: Claimed,
        now: Timestamp,
        retention: RetentionPolicy,
        make: impl FnOnce(NewBlob) -> Blob,
    ) -> Result<Arc<Blob>, StorageError> {
        // An account with immutability keeps versions. The blob may be from a time when the account had it.
        if let Some(current) = claimed.current().filter(|_| !retention.versions) {
            current.protection.admits_change()?;
        }
        let (place, parent) = self.make_place(&claimed, now)?;
        self.displace(&place, now, retention);
        let last_modified = self.next_last_modified(now);
        let lease = lease::after_write(self.lease_at(Some(&place), claimed.current.as_deref(), now), now);
        let version = retention.versions.then_some(last_modified);
        let path = parent.map(|parent| self.path_of_new(&claimed, &parent)).transpose()?;
        let mut blob = Blob { path, ..make(NewBlob { last_modified, lease, encryption: claimed.encryption, version }) };
        if blob.path.is_some() {
            // It is a mark of directories, and no property of the user.
            blob.metadata = blob.metadata.without(IS_FOLDER);
        }
        self.drop_uncommitted(&place);
        self.sweep(now);
        Ok(self.insert(BlobKey::base(place), blob))
    }

    /// Changes an admitted blob. Its modification time is set before `change` runs.
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
        Ok(self.insert(admitted.key, blob))
    }

    /// Changes properties of an admitted blob that affect neither its modification time nor its ETag: tags, tier.
    ///
    /// # Errors
    /// Those of the change.
    pub fn amend<T>(
        &mut self,
        admitted: Admitted,
        change: impl FnOnce(&mut Blob) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let mut blob = Blob::clone(&admitted.blob);
        let changed = change(&mut blob)?;
        self.insert(admitted.key, blob);
        Ok(changed)
    }

    /// Performs an action on the lease of the blob that the request names. Neither its modification time nor its ETag changes. A name that
    /// only has uncommitted blocks can be leased too; its modification time is that of the last block.
    ///
    /// # Errors
    /// Those of [`Container::admit`]; 409 when the lease does not allow the action.
    pub fn step_blob_lease(&mut self, request: &Request, action: lease::LeaseAction) -> Result<(Timestamp, Lease), StorageError> {
        let admitted = match self.admit(request) {
            Err(error) if error.code() == ErrorCode::BlobNotFound => {
                return self.step_lease_of_blocks(request, action).ok_or(error)?;
            }
            admitted => admitted?,
        };
        self.amend(admitted, |blob| {
            blob.lease = lease::step(blob.lease, action, LeasedResource::Blob, request.now)?;
            Ok((blob.last_modified, blob.lease))
        })
    }

    /// [`Container::step_blob_lease`] of a name that only has uncommitted blocks; `None` if it has none.
    fn step_lease_of_blocks(
        &mut self,
        request: &Request,
        action: lease::LeaseAction,
    ) -> Option<Result<(Timestamp, Lease), StorageError>> {
        let (name, _) = request.target.blob().ok()?;
        let place = self.place(name, request.now).ok()?;
        let staged = self.waiting(&place, request.now)?.clone();
        let (last_modified, no_tags) = (staged.last_modified, Tags::default());
        let stored = CurrentState { etag: ETag::of(last_modified), modified: last_modified, tags: &no_tags };
        let checked = conditions::check(&request.conditions, request.spec.conditions, Some(&stored), request.version);
        let next = checked.and_then(|()| lease::step(staged.lease, action, LeasedResource::Blob, request.now));
        Some(next.map(|lease| {
            self.set_uncommitted(place, UncommittedBlocks { lease, ..staged });
            (last_modified, lease)
        }))
    }

    /// The lease of a place: that of its blob, or else of its uncommitted blocks.
    pub(super) fn lease_at(&self, place: Option<&Place>, current: Option<&Blob>, now: Timestamp) -> Lease {
        let staged = || place.and_then(|place| self.waiting(place, now));
        match current {
            Some(blob) => blob.lease,
            None => staged().map_or(Lease::default(), |staged| staged.lease),
        }
    }

    /// Adds an uncommitted block to a claimed name.
    ///
    /// # Errors
    /// 400 InvalidBlobOrBlock when the length of its id differs from that of the other uncommitted blocks; committed blocks may differ
    /// (the SDKs' own tests). 409 BlockCountExceedsLimit.
    pub fn stage(&mut self, claimed: Claimed, id: BlockId, content: Content, now: Timestamp) -> Result<(), StorageError> {
        let (place, _) = self.make_place(&claimed, now)?;
        let uncommitted = self.waiting(&place, now);
        let lease = uncommitted.map(|staged| staged.lease).unwrap_or_default();
        let mut blocks = uncommitted.map(|staged| staged.blocks.clone()).unwrap_or_default();
        let appends = uncommitted.map(|staged| staged.appends.clone()).unwrap_or_default();
        id.check_length(blocks.keys().next())?;
        if !blocks.contains_key(&id) {
            blocks::check_room(blocks.len())?;
        }
        blocks.insert(id, UncommittedBlock { content, encryption: claimed.encryption });
        self.set_uncommitted(place, UncommittedBlocks { last_modified: now, lease, blocks, appends });
        self.sweep(now);
        Ok(())
    }

    /// An uncommitted block of a claimed name.
    pub fn uncommitted_block(&self, claimed: &Claimed, id: &BlockId, now: Timestamp) -> Option<UncommittedBlock> {
        self.waiting(claimed.place.as_ref()?, now)?.blocks.get(id).cloned()
    }
}
