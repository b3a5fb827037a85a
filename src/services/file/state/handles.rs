//! The open handles of a share. Requests over REST obey them, list them and close them; they are opened by who speaks SMB.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle;
use crate::rules::file::handle::{OpenAccess, OpenHandle};
use crate::rules::file::path::Path;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, NodeId};
use crate::services::file::state::{Share, Tree};
use imbl::OrdMap;
use std::sync::Arc;

/// All that are open, those of a node side by side.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    open: OrdMap<(NodeId, u64), Arc<Handle>>,
    last: u64,
}

/// A directory or a file that somebody has open.
#[derive(Clone, Debug)]
pub struct Handle {
    /// Its id, which is unique in the share.
    pub id: u64,
    /// What is open.
    pub node: NodeId,
    /// Who opened it.
    pub opener: HandleOwner,
    /// When.
    pub opened: Timestamp,
    /// How.
    pub open: OpenHandle,
}

/// Who opens a handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleOwner {
    /// The number of the session.
    pub session: u64,
    /// The address and port that it comes from.
    pub address: String,
    /// What the client calls itself.
    pub client: String,
}

impl Handles {
    /// How a node is open.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = &OpenHandle> {
        self.open.range((node, 0)..=(node, u64::MAX)).map(|(_, handle)| &handle.open)
    }

    /// All handles, those of one node after another.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Handle>> {
        self.open.values()
    }
}

impl Share {
    /// Opens a directory or a file; the handle's id.
    ///
    /// # Errors
    /// 404 for what is not there; 409 SharingViolation or DeletePending beside other handles; 409 ReadOnlyAttribute for who would write
    /// to a read-only file.
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

    /// Changes how a handle has its file open: its locks, whether the file goes when it closes.
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

    /// The handles on a node, or, where that is asked, on all that stands below it, in order of their ids.
    pub fn handles_on(&self, node: NodeId, recursive: bool) -> Vec<Arc<Handle>> {
        let mut found: Vec<Arc<Handle>> = match recursive {
            true => self.handles.all().filter(|handle| self.tree.is_within(handle.node, node)).cloned().collect(),
            false => self.handles.all().filter(|handle| handle.node == node).cloned().collect(),
        };
        found.sort_by_key(|handle| handle.id);
        found
    }

    /// Closes a handle. A file that was to go with its last handle goes.
    pub fn close(&mut self, handle: &Handle, now: Timestamp) {
        self.handles.open.remove(&(handle.node, handle.id));
        if handle.open.delete_pending {
            let last = self.handles.of(handle.node).next().is_none();
            match last {
                true => remove(&mut self.tree, handle.node, now),
                // Who is left learns of it.
                false => self.mark(handle.node),
            }
        }
    }

    fn mark(&mut self, node: NodeId) {
        let left: Vec<u64> = self.handles.all().filter(|handle| handle.node == node).map(|handle| handle.id).collect();
        for id in left {
            // It was found a moment ago.
            let marked = self.reopen(id, |open| open.delete_pending = true);
            debug_assert!(marked.is_ok(), "a handle that is open is found");
        }
    }
}

fn remove(tree: &mut Tree, id: NodeId, now: Timestamp) {
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
    use crate::rules::file::share::Settings;
    use crate::rules::file::smb::{NodeKind, SmbInput};
    use crate::rules::metadata::Metadata;
    use crate::services::file::state::{Claimed, Share};

    fn path(text: &str) -> Path {
        Path::parse(text, TrailingDots::Dropped).unwrap()
    }

    fn now() -> Timestamp {
        Timestamp::from_unix(1_000, 0)
    }

    /// A share with `dir` and `dir/file`.
    fn share() -> Share {
        let settings = Settings::make(|_| None, false, now()).unwrap();
        let mut share = Share::new(now(), Metadata::default(), settings);
        for (text, sort, body) in
            [("dir", NodeKind::Directory, Body::Directory), ("dir/file", NodeKind::File, Body::File(Box::default()))]
        {
            let place = share.tree.place(&path(text)).unwrap();
            let permission = share.permission(&SmbInput::default(), sort, None).unwrap();
            let smb = SmbInput::default().make(sort, permission, now()).unwrap();
            share.create(Claimed { place, stands: None }, now(), |new| new.node(body, smb, Metadata::default()));
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
    fn handles_are_found_on_what_they_have_open_and_below() {
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
    fn a_file_that_is_to_go_goes_with_its_last_handle() {
        let mut share = share();
        let first = share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        share.reopen(first, |open| open.delete_pending = true).unwrap();
        let refused = share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now());
        assert_eq!(refused.unwrap_err().code(), ErrorCode::DeletePending);
        let node = share.tree.find(&path("dir/file")).unwrap().id;
        let handles = share.handles_on(node, false);
        share.close(&handles[0], now());
        assert!(share.tree.find(&path("dir/file")).is_ok(), "somebody still has it open");
        let left = share.handles_on(node, false);
        assert!(left[0].open.delete_pending);
        share.close(&left[0], now());
        assert_eq!(share.tree.find(&path("dir/file")).unwrap_err().code(), ErrorCode::ResourceNotFound);
    }

    #[test]
    fn a_directory_with_something_open_is_not_renamed() {
        let mut share = share();
        share.open(&path("dir/file"), opener(), reading(OpenAccess::ALL), now()).unwrap();
        let source =
            crate::services::file::state::find(&share.tree, &path("dir"), crate::services::file::state::WantedNode::Directory)
                .unwrap();
        let place = share.tree.place(&path("other")).unwrap();
        let refused = share.rename(&source, &Claimed { place, stands: None }, now(), |_| {});
        assert_eq!(refused.unwrap_err().code(), ErrorCode::SharingViolation);
    }
}
