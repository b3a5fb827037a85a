//! How handles open and close. SMB clients open them; requests over REST respect, list and close them.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle;
use crate::rules::file::handle::{OpenAccess, OpenHandle};
use crate::rules::file::path::Path;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, NodeId};
use crate::services::file::state::open_handles::{Handle, HandleOwner};
use crate::services::file::state::share::Share;
use crate::services::file::state::tree::Tree;
use std::sync::Arc;

impl Share {
    /// Opens a directory or a file, and returns the handle's id.
    ///
    /// # Errors
    /// 404 for a missing node; 409 SharingViolation or DeletePending because of other handles; 409 ReadOnlyAttribute for write access to
    /// a read-only file.
    #[cfg_attr(not(test), expect(dead_code, reason = "SMB clients open handles, and SMB is not served yet"))]
    pub fn open(&mut self, path: &Path, opener: HandleOwner, open: OpenHandle, now: Timestamp) -> Result<u64, StorageError> {
        let node = self.tree.find(path)?;
        handle::admit_open(self.handles.of(node.id), &open)?;
        if node.smb.attributes.is_read_only() && open.access.contains(OpenAccess::WRITE) {
            return Err(ErrorCode::ReadOnlyAttribute.into());
        }
        self.handles.last += 1;
        let id = self.handles.last;
        self.handles.open.insert((node.id, id), Arc::new(Handle { id, node: node.id, opener, opened: now, open }));
        Ok(id)
    }

    /// Changes an open handle: its locks, or whether the file is deleted when it closes.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn reopen(&mut self, id: u64, change: impl FnOnce(&mut OpenHandle)) -> Result<(), StorageError> {
        let handle = self.handles.all().find(|handle| handle.id == id).ok_or(ErrorCode::ResourceNotFound)?;
        let mut handle = Handle::clone(handle);
        change(&mut handle.open);
        self.handles.open.insert((handle.node, id), Arc::new(handle));
        Ok(())
    }

    /// The handles on a node and, if `recursive`, on the nodes below it, in order of their ids.
    pub fn handles_on(&self, node: NodeId, recursive: bool) -> Vec<Arc<Handle>> {
        let mut found: Vec<Arc<Handle>> = match recursive {
            true => self.handles.all().filter(|handle| self.tree.is_within(handle.node, node)).cloned().collect(),
            false => self.handles.all().filter(|handle| handle.node == node).cloned().collect(),
        };
        found.sort_by_key(|handle| handle.id);
        found
    }

    /// Closes a handle. With the last handle, a file with a pending deletion is deleted.
    pub fn close(&mut self, handle: &Handle, now: Timestamp) {
        self.handles.open.remove(&(handle.node, handle.id));
        if handle.open.delete_pending {
            let last = self.handles.of(handle.node).next().is_none();
            match last {
                true => delete(&mut self.tree, handle.node, now),
                // The deletion is now pending for the remaining handles.
                false => self.mark(handle.node),
            }
        }
    }

    fn mark(&mut self, node: NodeId) {
        let left: Vec<u64> = self.handles.all().filter(|handle| handle.node == node).map(|handle| handle.id).collect();
        for id in left {
            let marked = self.reopen(id, |open| open.delete_pending = true);
            debug_assert!(marked.is_ok(), "an open handle exists");
        }
    }
}

fn delete(tree: &mut Tree, id: NodeId, now: Timestamp) {
    let Some(node) = tree.node(id).cloned() else { return };
    if matches!(node.body, Body::Directory) && !tree.is_empty(id) {
        return;
    }
    if let Some(place) = node.places.first() {
        tree.remove(&node, place, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::file::path::TrailingDots;
    use crate::rules::file::posix::{PosixFileType, PosixInput};
    use crate::rules::file::share::{Settings, SettingsInput};
    use crate::rules::file::smb::SmbInput;
    use crate::rules::metadata::Metadata;
    use crate::services::file::state::admission::{Claimed, WantedNode, find};

    fn path(text: &str) -> Path {
        Path::parse(text, TrailingDots::Dropped).unwrap()
    }

    fn now() -> Timestamp {
        Timestamp::from_unix(1_000, 0)
    }

    /// A share with `dir` and `dir/file`.
    fn share() -> Share {
        let settings = Settings::create(SettingsInput::default(), false, now()).unwrap();
        let mut share = Share::new(now(), Metadata::default(), settings);
        for (text, file_type, body) in
            [("dir", PosixFileType::Directory, Body::Directory), ("dir/file", PosixFileType::File, Body::File(Box::default()))]
        {
            let place = share.tree.place(&path(text)).unwrap();
            let properties = share.properties_of_new(&SmbInput::default(), PosixInput::default(), file_type, now()).unwrap();
            share.create(Claimed { place, current: None }, now(), |new| new.node(body, properties, Metadata::default()));
        }
        share
    }

    fn opener() -> HandleOwner {
        HandleOwner { session: 7, address: "127.0.0.1:445".into(), client: "test".into() }
    }

    fn reading(share: OpenAccess) -> OpenHandle {
        OpenHandle { access: OpenAccess::READ, share, ..OpenHandle::default() }
    }

    #[test]
    fn handles_are_listed_on_their_node_and_on_its_parents() {
        let mut share = share();
        let on_file = share.open(&path("DIR/File"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        let on_dir = share.open(&path("dir"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        let dir = share.tree.find(&path("dir")).unwrap().id;
        let ids = |node, recursive| share.handles_on(node, recursive).iter().map(|handle| handle.id).collect::<Vec<_>>();
        assert_eq!(ids(dir, false), [on_dir]);
        assert_eq!(ids(dir, true), [on_file, on_dir]);
        assert_eq!(ids(NodeId::ROOT, true), [on_file, on_dir]);
        assert!(ids(NodeId::ROOT, false).is_empty());
        assert_eq!(
            share.open(&path("none"), opener(), reading(OpenAccess::ALL), now()).unwrap_err().code(),
            ErrorCode::ResourceNotFound
        );
    }

    #[test]
    fn a_pending_deletion_happens_with_the_last_handle() {
        let mut share = share();
        let first = share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        share.reopen(first, |open| open.delete_pending = true).unwrap();
        let refused = share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now());
        assert_eq!(refused.unwrap_err().code(), ErrorCode::DeletePending);
        let node = share.tree.find(&path("dir/file")).unwrap().id;
        let handles = share.handles_on(node, false);
        share.close(&handles[0], now());
        assert!(share.tree.find(&path("dir/file")).is_ok(), "a handle is still open");
        let left = share.handles_on(node, false);
        assert!(left[0].open.delete_pending);
        share.close(&left[0], now());
        assert_eq!(share.tree.find(&path("dir/file")).unwrap_err().code(), ErrorCode::ResourceNotFound);
    }

    #[test]
    fn a_directory_with_open_handles_is_not_renamed() {
        let mut share = share();
        share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        let source = find(&share.tree, &path("dir"), WantedNode::Directory).unwrap();
        let place = share.tree.place(&path("other")).unwrap();
        let refused = share.rename(&source, &Claimed { place, current: None }, now(), |_| {});
        assert_eq!(refused.unwrap_err().code(), ErrorCode::SharingViolation);
    }
}
