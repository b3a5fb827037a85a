//! How blobs change: a claimed name gets a new blob, an admitted blob another state. Each is one edit of the container's draft.

use super::blob::{Blob, New};
use super::door::{Admitted, Claimed};
use super::{Aside, At, Container, Key, Staged};
use crate::rules::{
    blocks::{self, BlockId},
    fault::Fault,
    lease::{self, Lease, Subject},
    retention::Keeping,
    time::Timestamp,
};
use crate::store::content::Content;
use std::sync::Arc;

impl Container {
    /// Writes a new blob to a claimed name. Its lease stays; what stood there is kept as the account keeps things, its uncommitted
    /// blocks are gone.
    pub fn create(&mut self, claimed: Claimed, now: Timestamp, keeping: Keeping, make: impl FnOnce(New) -> Blob) -> Arc<Blob> {
        self.displace(&claimed.name, now, keeping);
        let stamp = self.stamp(now);
        let lease = claimed.stands.as_ref().map_or(Lease::default(), |blob| lease::after_write(blob.lease, now));
        let version = keeping.versions.then_some(stamp);
        let blob = make(New { stamp, lease, encryption: claimed.encryption, version });
        self.drop_staged(&claimed.name);
        self.sweep(now);
        self.keep(Key { name: claimed.name, at: At::Base }, blob)
    }

    /// Changes an admitted blob, and its stamp with it, which the change may read.
    ///
    /// # Errors
    /// 409 for a blob under an immutability policy or a legal hold.
    pub fn replace(&mut self, admitted: Admitted, now: Timestamp, change: impl FnOnce(&mut Blob)) -> Result<Arc<Blob>, Fault> {
        admitted.blob.protection.admits_change()?;
        let mut blob = Blob { stamp: self.stamp(now), ..Blob::clone(&admitted.blob) };
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

    /// Takes an admitted blob's lease one step on. Neither its stamp nor its entity tag changes.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step.
    pub fn step_blob_lease(&mut self, admitted: Admitted, ask: lease::Ask, now: Timestamp) -> Result<Arc<Blob>, Fault> {
        let next = lease::step(admitted.blob.lease, ask, Subject::Blob, now)?;
        Ok(self.amend(admitted, |blob| blob.lease = next))
    }

    /// Keeps a block for a claimed name until it is committed.
    ///
    /// # Errors
    /// 400 InvalidBlobOrBlock when its id is not as long as those already there; 409 BlockCountExceedsLimit.
    pub fn stage(&mut self, claimed: Claimed, id: BlockId, content: Content, now: Timestamp) -> Result<(), Fault> {
        let mut blocks = self.waiting(&claimed.name, now).map(|staged| staged.blocks.clone()).unwrap_or_default();
        let mut others =
            blocks.keys().chain(claimed.stands.iter().flat_map(|blob| blob.body.blocks().iter().map(|block| &block.id)));
        id.check_length(others.next())?;
        if !blocks.contains_key(&id) {
            blocks::check_room(blocks.len())?;
        }
        blocks.insert(id, Aside { content, encryption: claimed.encryption });
        self.put_aside(claimed.name, Staged { touched: now, blocks });
        self.sweep(now);
        Ok(())
    }

    /// An uncommitted block of a claimed name.
    pub fn staged_block(&self, claimed: &Claimed, id: &BlockId, now: Timestamp) -> Option<Aside> {
        self.waiting(&claimed.name, now)?.blocks.get(id).cloned()
    }
}
