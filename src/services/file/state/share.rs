//! A share, and the ways to read and change its directories and files.

use crate::operation::{Access, Request};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::Path;
use crate::rules::file::posix::{Posix, PosixFileType};
use crate::rules::file::share::{Protocol, Settings};
use crate::rules::file::smb::{Attributes, NodeKind, Smb};
use crate::rules::file::{handle, sddl};
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, Node, NodeId};
use crate::services::file::state::admission::{Admitted, Claimed, NewNode, WantedNode, find};
use crate::services::file::state::named::{CurrentPath, NodePath};
use crate::services::file::state::open_handles::Handles;
use crate::services::file::state::tree::{self, Tree};
use crate::services::file::state::view::{ShareProperties, ShareView, Snapshot};
use imbl::OrdMap;
use std::sync::Arc;

/// A share, its tree, its snapshots and its open handles: one cell of the store.
#[derive(Clone, Debug)]
pub struct Share {
    /// When the share was created, or last restored.
    pub(super) created: Timestamp,
    pub(super) properties: ShareProperties,
    pub(super) lease: Lease,
    pub(super) tree: Tree,
    /// By the time, in whole seconds, that names them.
    pub(super) snapshots: OrdMap<Timestamp, Arc<Snapshot>>,
    pub(super) permissions: OrdMap<sddl::Key, Arc<str>>,
    pub(super) handles: Handles,
    /// The id of the newest node.
    pub(super) last: NodeId,
    /// The newest Last-Modified in the share. The next one is later.
    pub(in crate::services::file) latest: Timestamp,
}

impl Share {
    /// An empty share.
    pub fn new(now: Timestamp, metadata: Metadata, settings: Settings) -> Share {
        let mut share = Share {
            created: now,
            properties: ShareProperties { last_modified: now, metadata, settings, policies: Arc::default() },
            lease: Lease::default(),
            tree: Tree::new(root(now, settings.protocol)),
            snapshots: OrdMap::new(),
            permissions: OrdMap::new(),
            handles: Handles::default(),
            last: NodeId::ROOT,
            latest: now,
        };
        share.store_permission(sddl::OF_DIRECTORIES);
        share
    }

    /// When the share was created, or last restored. Name and creation time identify a share.
    pub fn created(&self) -> Timestamp {
        self.created
    }

    /// The share after its restoration, with new times and without a lease or open handles.
    pub fn restored(mut self, now: Timestamp) -> Share {
        self.created = self.next_last_modified(now);
        self.properties.last_modified = self.created;
        self.lease = Lease::default();
        self.handles = Handles::default();
        self
    }

    /// The share's own properties. Reading them needs no admission: authorization reads the stored access policies.
    pub fn properties(&self) -> &ShareProperties {
        &self.properties
    }

    /// The current share.
    pub fn current(&self) -> ShareView<'_> {
        ShareView { properties: &self.properties, lease: self.lease, tree: &self.tree, snapshot: None }
    }

    /// The current share, or the snapshot of this time.
    ///
    /// # Errors
    /// 404 ShareNotFound.
    pub fn view(&self, snapshot: Option<Timestamp>) -> Result<ShareView<'_>, StorageError> {
        match snapshot {
            None => Ok(self.current()),
            Some(time) => Ok(self.snapshot(time).ok_or(ErrorCode::ShareNotFound)?.view(time)),
        }
    }

    /// As [`Share::view`], after the check of the lease.
    ///
    /// # Errors
    /// 404 ShareNotFound; 412 for the lease.
    pub fn admit_share(&self, request: &Request, snapshot: Option<Timestamp>) -> Result<ShareView<'_>, StorageError> {
        let view = self.view(snapshot)?;
        lease::check(view.lease, request.spec.lease, request.lease_id, LeasedResource::Share, request.now)?;
        Ok(view)
    }

    /// Checks the lease of the current share, changes its properties, and returns them.
    ///
    /// # Errors
    /// 412 for the lease, and the errors of `change`.
    pub fn set_properties(
        &mut self,
        request: &Request,
        change: impl FnOnce(&mut ShareProperties) -> Result<(), StorageError>,
    ) -> Result<ShareProperties, StorageError> {
        let mut properties = self.admit_share(request, None)?.properties.clone();
        change(&mut properties)?;
        self.revise(request.now, |current| *current = properties);
        Ok(self.properties.clone())
    }

    /// Changes the properties of the current share, and its Last-Modified with them.
    pub fn revise(&mut self, now: Timestamp, change: impl FnOnce(&mut ShareProperties)) {
        change(&mut self.properties);
        self.properties.last_modified = self.next_last_modified(now);
    }

    /// Performs a lease action on the share, or on one of its snapshots.
    ///
    /// # Errors
    /// 409 when the lease does not allow the action; 404 ShareNotFound.
    pub fn step_lease(
        &mut self,
        snapshot: Option<Timestamp>,
        action: lease::LeaseAction,
        now: Timestamp,
    ) -> Result<Lease, StorageError> {
        match snapshot {
            None => {
                self.lease = lease::step(self.lease, action, LeasedResource::Share, now)?;
                Ok(self.lease)
            }
            Some(time) => self.step_snapshot_lease(time, action, now),
        }
    }

    /// The node that the request addresses, after every check.
    ///
    /// # Errors
    /// 404 for a missing node, and for a read of a node of another kind; 409 ResourceTypeMismatch for a write to one; 409 for a
    /// pending copy, open handles and the read-only attribute; 412 for the lease.
    pub fn admit(
        &self,
        request: &Request,
        at: &NodePath,
        wanted: WantedNode,
        access: FileAccess,
    ) -> Result<Admitted, StorageError> {
        let view = self.view(at.snapshot)?;
        // A read of a directory where a file exists, or the reverse, is 404: the Azure CLI relies on it before it writes.
        let reads = request.spec.access == Access::Read;
        let admitted = find(view.tree, &at.path, wanted).map_err(|error| match error.code() {
            ErrorCode::ResourceTypeMismatch if reads => ErrorCode::ResourceNotFound.into(),
            _ => error,
        })?;
        if view.snapshot.is_none() {
            self.check(&admitted.node, access, false)?;
            lease::check(admitted.node.lease(), request.spec.lease, request.lease_id, LeasedResource::File, request.now)?;
        } else if access != FileAccess::Look {
            // A copy that was pending when the snapshot was taken has no content there.
            admitted.node.check_settled()?;
        }
        Ok(admitted)
    }

    /// The node that the request addresses, without regard to its open handles.
    ///
    /// # Errors
    /// 404 for a missing node; 409 ResourceTypeMismatch.
    pub fn admit_any(&self, at: &NodePath) -> Result<Admitted, StorageError> {
        find(self.view(at.snapshot)?.tree, &at.path, WantedNode::Any)
    }

    /// The source of a copy, and its security descriptor. The caller is already authorized to read it.
    ///
    /// # Errors
    /// 404 for a missing file; 409 for a pending copy, and for handles that do not share it for reading.
    pub fn source(&self, at: &NodePath) -> Result<(Arc<Node>, Option<Arc<str>>), StorageError> {
        let node = find(self.view(at.snapshot)?.tree, &at.path, WantedNode::Content)?.node;
        if at.snapshot.is_none() {
            self.check(&node, FileAccess::Read, false)?;
            handle::admit_range(self.handles.of(node.id), &(0..node.size()), false)?;
        } else {
            node.check_settled()?;
        }
        let permission = self.permission_text(node.smb.permission);
        Ok((node, permission))
    }

    /// The node at another path than the request's own: the source of a rename or the target of a link.
    ///
    /// # Errors
    /// As [`Share::admit`].
    pub fn admit_at(
        &self,
        path: &Path,
        wanted: WantedNode,
        access: FileAccess,
        lease_id: Option<lease::LeaseId>,
        now: Timestamp,
        ignore_read_only: bool,
    ) -> Result<Admitted, StorageError> {
        let admitted = find(&self.tree, path, wanted)?;
        self.check(&admitted.node, access, ignore_read_only)?;
        lease::check(admitted.node.lease(), lease::LeaseCheck::Required, lease_id, LeasedResource::File, now)?;
        Ok(admitted)
    }

    /// The name that the request writes to, after every check. An existing file or link of this name is replaced.
    ///
    /// # Errors
    /// 404 ParentNotFound; 409 ResourceTypeMismatch for an existing directory; the errors of [`Share::admit`] for handles and the
    /// lease; 403 for a caller that may create but not overwrite.
    pub fn claim(&self, request: &Request, at: &CurrentPath, ignore_read_only: bool) -> Result<Claimed, StorageError> {
        let claimed = self.claim_place(at)?;
        let check_lease = |lease| lease::check(lease, request.spec.lease, request.lease_id, LeasedResource::File, request.now);
        match &claimed.current {
            None => check_lease(Lease::default())?,
            Some(node) => {
                if !WantedNode::File.accepts(node) {
                    return Err(ErrorCode::ResourceTypeMismatch.into());
                }
                if !request.authorization.may_overwrite() {
                    return Err(request.authorization.missing_permission("w"));
                }
                self.check(node, FileAccess::Replace, ignore_read_only)?;
                check_lease(node.lease())?;
            }
        }
        Ok(claimed)
    }

    /// The name that the request writes to, which must not be in use.
    ///
    /// # Errors
    /// 404 ParentNotFound; 409 ResourceAlreadyExists.
    pub fn claim_free(&self, at: &CurrentPath) -> Result<Claimed, StorageError> {
        let claimed = self.claim_place(at)?;
        match claimed.current {
            None => Ok(claimed),
            Some(_) => Err(ErrorCode::ResourceAlreadyExists.into()),
        }
    }

    /// The name that a rename moves to. Where `replace` is set, a directory or a file replaces an existing file; nothing replaces a
    /// directory.
    ///
    /// # Errors
    /// 404 ParentNotFound; 409 ResourceAlreadyExists; the errors of [`Share::claim`] for handles and the lease.
    pub fn claim_for(
        &self,
        at: &CurrentPath,
        source: &Admitted,
        replace: bool,
        lease_id: Option<lease::LeaseId>,
        now: Timestamp,
        ignore_read_only: bool,
    ) -> Result<Claimed, StorageError> {
        let claimed = self.claim_place(at)?;
        let Some(node) = claimed.current.as_ref().filter(|node| node.id != source.node.id) else { return Ok(claimed) };
        if !replace || node.kind() != NodeKind::File {
            return Err(ErrorCode::ResourceAlreadyExists.into());
        }
        self.check(node, FileAccess::Replace, ignore_read_only)?;
        lease::check(node.lease(), lease::LeaseCheck::Required, lease_id, LeasedResource::File, now)?;
        Ok(claimed)
    }

    fn claim_place(&self, at: &CurrentPath) -> Result<Claimed, StorageError> {
        let place = self.tree.place(&at.path)?;
        let current = self.tree.child(place.parent, &place.name).cloned();
        Ok(Claimed { place, current })
    }

    /// Checks that no pending copy, no open handle and no read-only attribute forbids the access.
    fn check(&self, node: &Node, access: FileAccess, ignore_read_only: bool) -> Result<(), StorageError> {
        if access != FileAccess::Look {
            node.check_settled()?;
        }
        handle::admit(self.handles.of(node.id), access.required())?;
        match node.smb.attributes.is_read_only() && access.is_refused_by_read_only() && !ignore_read_only {
            true => Err(ErrorCode::ReadOnlyAttribute.into()),
            false => Ok(()),
        }
    }

    /// Checks that no open handle has a lock on these bytes of an admitted file.
    ///
    /// # Errors
    /// 409 FileLockConflict.
    pub fn check_range(&self, admitted: &Admitted, range: &std::ops::Range<u64>, is_write: bool) -> Result<(), StorageError> {
        handle::admit_range(self.handles.of(admitted.node.id), range, is_write)
    }

    /// Creates a node under a claimed name. It inherits the id and the lease of a file that it replaces.
    pub fn create(&mut self, claimed: Claimed, now: Timestamp, make: impl FnOnce(NewNode) -> Node) -> Arc<Node> {
        let last_modified = self.next_last_modified(now);
        let new = match &claimed.current {
            Some(node) => {
                let lease = lease::after_write(node.lease(), now);
                NewNode { id: node.id, places: node.places.clone(), last_modified, lease }
            }
            None => {
                self.last = self.last.next();
                NewNode { id: self.last, places: vec![claimed.place], last_modified, lease: Lease::default() }
            }
        };
        self.tree.put(make(new))
    }

    /// Adds a hard link to an admitted file.
    pub fn link(&mut self, admitted: &Admitted, claimed: Claimed, now: Timestamp) -> Arc<Node> {
        let mut node = Node { last_modified: self.next_last_modified(now), ..Node::clone(&admitted.node) };
        node.places.push(claimed.place);
        node.smb.changed = now;
        self.tree.put(node)
    }

    /// Changes an admitted node. `change` finds the new Last-Modified in the node.
    pub fn replace(&mut self, admitted: &Admitted, now: Timestamp, change: impl FnOnce(&mut Node)) -> Arc<Node> {
        let mut node = Node { last_modified: self.next_last_modified(now), ..Node::clone(&admitted.node) };
        change(&mut node);
        if let Body::File(file) = &mut node.body {
            file.lease = lease::after_write(file.lease, now);
        }
        self.tree.put(node)
    }

    /// Performs a lease action on an admitted file. Last-Modified and the entity tag do not change.
    ///
    /// # Errors
    /// 409 when the lease does not allow the action.
    pub fn step_file_lease(
        &mut self,
        admitted: &Admitted,
        action: lease::LeaseAction,
        now: Timestamp,
    ) -> Result<Lease, StorageError> {
        let next = lease::step(admitted.node.lease(), action, LeasedResource::File, now)?;
        let mut node = Node::clone(&admitted.node);
        if let Body::File(file) = &mut node.body {
            file.lease = next;
        }
        self.tree.put(node);
        Ok(next)
    }

    /// Deletes the node that the request addresses; of a file with several hard links, only the one that the request names.
    ///
    /// # Errors
    /// As [`Share::admit`]; 409 DirectoryNotEmpty; 400 InvalidUri for the root.
    pub fn delete(&mut self, request: &Request, at: &NodePath, wanted: WantedNode) -> Result<(), StorageError> {
        let admitted = self.admit(request, at, wanted, FileAccess::Remove)?;
        let place =
            admitted.place.as_ref().ok_or_else(|| ErrorCode::InvalidUri.with_reason("the root directory cannot be deleted"))?;
        if admitted.node.kind() == NodeKind::Directory && !self.tree.is_empty(admitted.node.id) {
            return Err(ErrorCode::DirectoryNotEmpty.into());
        }
        self.tree.remove(&admitted.node, place, request.now);
        Ok(())
    }

    /// Moves an admitted node to a claimed name, and changes it. The nodes below a directory move with it, unchanged. As in POSIX, nothing
    /// happens if the claimed name is another hard link of the same file.
    ///
    /// # Errors
    /// 400 InvalidUri for the root; 409 for a move of a directory below itself, or with open handles in it.
    pub fn rename(
        &mut self,
        source: &Admitted,
        claimed: &Claimed,
        now: Timestamp,
        change: impl FnOnce(&mut Node),
    ) -> Result<Arc<Node>, StorageError> {
        let from =
            source.place.as_ref().ok_or_else(|| ErrorCode::InvalidUri.with_reason("the root directory cannot be renamed"))?;
        if source.node.kind() == NodeKind::Directory {
            if self.tree.is_within(claimed.place.parent, source.node.id) {
                return Err(ErrorCode::ResourceTypeMismatch.with_reason("a directory cannot be moved into itself"));
            }
            if self.handles.all().any(|handle| self.tree.is_within(handle.node, source.node.id)) {
                return Err(ErrorCode::SharingViolation.into());
            }
        }
        match &claimed.current {
            Some(node) if node.id != source.node.id => self.tree.remove(node, &claimed.place, now),
            Some(_) if !tree::is_same(from, &claimed.place) => return Ok(source.node.clone()),
            Some(_) | None => {}
        }
        let mut node = Node { last_modified: self.next_last_modified(now), ..Node::clone(&source.node) };
        change(&mut node);
        Ok(self.tree.shift(node, from, &claimed.place))
    }

    /// The Last-Modified of a write: now, unless an earlier write has that or a later time. No two writes have the same.
    pub(super) fn next_last_modified(&mut self, now: Timestamp) -> Timestamp {
        self.latest = now.max(self.latest.next());
        self.latest
    }
}

fn root(now: Timestamp, protocol: Option<Protocol>) -> Node {
    let attributes = Attributes::default();
    let attributes = attributes.of_new(NodeKind::Directory).unwrap_or(attributes);
    let permission = sddl::Key::of(sddl::OF_DIRECTORIES);
    let smb = Smb { attributes, created: now, written: now, changed: now, permission };
    let (id, body, metadata) = (NodeId::ROOT, Body::Directory, Metadata::default());
    let posix = (protocol == Some(Protocol::Nfs)).then(|| Arc::new(Posix::of_new(PosixFileType::Directory)));
    Node { id, places: Vec::new(), last_modified: now, body, smb, posix, metadata }
}
