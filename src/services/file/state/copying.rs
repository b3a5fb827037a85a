//! Files that a copy is making: how such a copy ends. Until then the file has its size, nobody reads it, and nothing changes it.

use crate::operation::Request;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease;
use crate::rules::lease::LeasedResource;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, FileCopy, Node, NodeId};
use crate::services::file::state::{Admitted, Share, find};
use crate::services::shared::copying::Outcome;
use crate::store::sparse::Sparse;
use std::sync::Arc;

impl Share {
    /// Ends a copy that went on in the background: with the whole content, or with what went wrong.
    ///
    /// # Errors
    /// 409 NoPendingCopyOperation when the file does not wait for this copy any more: it was stopped, or the file is gone.
    pub fn end_copy(
        &mut self,
        node: NodeId,
        id: [u8; 16],
        now: Timestamp,
        came: Result<Sparse, Box<str>>,
    ) -> Result<(), StorageError> {
        let node = self.tree.node(node).cloned().ok_or(ErrorCode::NoPendingCopyOperation)?;
        let copy = pending(&node).filter(|copy| copy.id == id).ok_or(ErrorCode::NoPendingCopyOperation)?;
        match came {
            Ok(content) => self.settle(&node, now, &copy, Some(content), Outcome::Success),
            Err(why) => self.settle(&node, now, &copy, None, Outcome::Failed(why)),
        }
        Ok(())
    }

    /// Stops the copy to the file that the call names. What came so far is dropped; the file stays, with no bytes.
    ///
    /// # Errors
    /// 404 for what is not there; 412 for the lease; 409 NoPendingCopyOperation; 409 CopyIdMismatch when another copy is going on.
    pub fn abort_copy(&mut self, request: &Request, id: [u8; 16]) -> Result<(), StorageError> {
        let Admitted { node, .. } = find(&self.tree, request.target.path()?, super::WantedNode::Content)?;
        lease::check(node.lease(), request.spec.lease, request.lease_id, LeasedResource::File, request.now)?;
        let copy = pending(&node).ok_or(ErrorCode::NoPendingCopyOperation)?;
        if copy.id != id {
            return Err(ErrorCode::CopyIdMismatch.into());
        }
        self.settle(&node, request.now, &copy, None, Outcome::Aborted);
        Ok(())
    }

    fn settle(&mut self, node: &Node, now: Timestamp, copy: &FileCopy, content: Option<Sparse>, outcome: Outcome) {
        let mut node = Node { last_modified: self.stamp(now), ..node.clone() };
        let stamp = node.last_modified;
        if let Body::File(file) = &mut node.body {
            file.content = content.unwrap_or_default();
            file.copy = Some(Arc::new(FileCopy { progress: copy.progress.over(stamp, outcome), ..copy.clone() }));
        }
        self.tree.put(node);
    }
}

fn pending(node: &Node) -> Option<Arc<FileCopy>> {
    node.file().and_then(|file| file.copy.clone()).filter(|copy| copy.progress.is_pending())
}
