//! Pending copies to files, and how they end. Until then the file has its final size, and nobody reads or changes it.

use crate::operation::Request;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease;
use crate::rules::lease::LeasedResource;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, FileCopy, Node, NodeId};
use crate::services::file::state::admission::{Admitted, WantedNode, find};
use crate::services::file::state::named::NodePath;
use crate::services::file::state::share::Share;
use crate::services::shared::copying::Outcome;
use crate::store::sparse::Sparse;
use std::sync::Arc;

impl Share {
    /// Ends a background copy, with the content or with the description of its failure.
    ///
    /// # Errors
    /// 409 NoPendingCopyOperation when the copy was aborted or the file was deleted.
    pub fn end_copy(
        &mut self,
        node: NodeId,
        id: [u8; 16],
        now: Timestamp,
        outcome: Result<Sparse, Box<str>>,
    ) -> Result<(), StorageError> {
        let node = self.tree.node(node).cloned().ok_or(ErrorCode::NoPendingCopyOperation)?;
        let copy = pending(&node).filter(|copy| copy.id == id).ok_or(ErrorCode::NoPendingCopyOperation)?;
        match outcome {
            Ok(content) => self.settle(&node, now, &copy, Some(content), Outcome::Success),
            Err(reason) => self.settle(&node, now, &copy, None, Outcome::Failed(reason)),
        }
        Ok(())
    }

    /// Aborts the pending copy to a file. The file remains, with no bytes.
    ///
    /// # Errors
    /// 404 for a missing file; 412 for the lease; 409 NoPendingCopyOperation; 409 CopyIdMismatch when another copy is pending.
    pub fn abort_copy(&mut self, request: &Request, at: &NodePath, id: [u8; 16]) -> Result<(), StorageError> {
        let Admitted { node, .. } = find(&self.tree, &at.path, WantedNode::Content)?;
        lease::check(node.lease(), request.spec.lease, request.lease_id, LeasedResource::File, request.now)?;
        let copy = pending(&node).ok_or(ErrorCode::NoPendingCopyOperation)?;
        if copy.id != id {
            return Err(ErrorCode::CopyIdMismatch.into());
        }
        self.settle(&node, request.now, &copy, None, Outcome::Aborted);
        Ok(())
    }

    fn settle(&mut self, node: &Node, now: Timestamp, copy: &FileCopy, content: Option<Sparse>, outcome: Outcome) {
        let mut node = Node { last_modified: self.next_last_modified(now), ..node.clone() };
        let ended = node.last_modified;
        if let Body::File(file) = &mut node.body {
            file.content = content.unwrap_or_default();
            // Snapshots that were taken during the copy do not have these bytes.
            file.content.set_written(ended);
            file.copy = Some(Arc::new(FileCopy { progress: copy.progress.over(ended, outcome), ..copy.clone() }));
        }
        self.tree.put(node);
    }
}

fn pending(node: &Node) -> Option<Arc<FileCopy>> {
    node.file().and_then(|file| file.copy.clone()).filter(|copy| copy.progress.is_pending())
}
