//! What a share holds, and the one door to it.
//!
//! A handler cannot get hold of a directory or a file without [`Share::admit`] or [`Share::claim`], which run every check in the
//! service's order: existence, kind, open handles, the read-only attribute, the lease. The fields that would let it are private here,
//! and `ops` is a sibling of this module, not its child.

mod copying;
mod handles;
mod named;
mod permissions;
mod record;
mod snapshots;
mod tree;

use crate::operation::{Access, Request};
use crate::rules::auth::sas::Policy;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::Path;
use crate::rules::file::share::{Protocol, Settings};
use crate::rules::file::smb::{NodeKind, Smb};
use crate::rules::file::{handle, posix, sddl};
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, File, Node, NodeId, NodeName};
use crate::services::file::state::handles::Handles;
use crate::services::file::state::snapshots::Snapshot;
pub use handles::{Handle, HandleOwner};
use imbl::OrdMap;
pub use named::{read_snapshot, refuse_root};
use std::ops::Deref;
use std::sync::Arc;
pub use tree::Tree;

/// A share, its tree, its snapshots and its open handles: one cell of the store.
#[derive(Clone, Debug)]
pub struct Share {
    /// When it was created, or last restored.
    created: Timestamp,
    properties: ShareProperties,
    lease: Lease,
    tree: Tree,
    /// By the moment, in whole seconds, that names them.
    snapshots: OrdMap<Timestamp, Arc<Snapshot>>,
    permissions: OrdMap<sddl::Key, Arc<str>>,
    handles: Handles,
    /// The last id given to a node.
    last: NodeId,
    /// The last stamp given; the next is later.
    latest: Timestamp,
}

/// What is said of a share itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareProperties {
    /// When this was last changed: its Last-Modified and, in ticks, its entity tag.
    pub last_modified: Timestamp,
    /// Its metadata.
    pub metadata: Metadata,
    /// What it was told.
    pub settings: Settings,
    /// Its stored access policies.
    pub policies: Arc<[Policy]>,
}

/// A share as it is, or as a snapshot has it.
#[derive(Clone, Copy, Debug)]
pub struct ShareView<'a> {
    /// What is said of it.
    pub about: &'a ShareProperties,
    /// Its lease.
    pub lease: Lease,
    /// What is in it.
    pub tree: &'a Tree,
    /// The moment that names the snapshot.
    pub taken: Option<Timestamp>,
}

/// Which kinds of node an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedNode {
    /// A directory.
    Directory,
    /// A file or a link.
    File,
    /// A file, and its content.
    Content,
    /// A symbolic link.
    Link,
    /// Whatever is there.
    Any,
}

impl WantedNode {
    fn fits(self, node: &Node) -> bool {
        match (self, &node.body) {
            (WantedNode::Any, _) | (WantedNode::Directory, Body::Directory) | (WantedNode::Link, Body::Link(_)) => true,
            (WantedNode::File, body) => !matches!(body, Body::Directory),
            (WantedNode::Content, Body::File(_)) => true,
            _ => false,
        }
    }
}

/// A node that the rules let this call touch. Only [`Share::admit`] makes one.
#[derive(Debug)]
pub struct Admitted {
    node: Arc<Node>,
    /// By which of its names it was found; none for the root.
    place: Option<NodeName>,
}

impl Deref for Admitted {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}

impl Admitted {
    /// The file that it is.
    ///
    /// # Errors
    /// 409 ResourceTypeMismatch for what was not admitted as [`Want::Content`].
    pub fn content(&self) -> Result<&File, StorageError> {
        Ok(self.node.file().ok_or(ErrorCode::ResourceTypeMismatch)?)
    }

    /// The directory in which it was found.
    pub fn parent(&self) -> NodeId {
        self.place.as_ref().map_or(NodeId::ROOT, |place| place.parent)
    }
}

/// A name that the rules let this call write to, whether or not something stands there. Only [`Share::claim`] makes one.
#[derive(Debug)]
pub struct Claimed {
    place: NodeName,
    stands: Option<Arc<Node>>,
}

impl Claimed {
    /// What stands there now.
    pub fn stands(&self) -> Option<&Node> {
        self.stands.as_deref()
    }

    /// The directory that it is in.
    pub fn parent(&self) -> NodeId {
        self.place.parent
    }
}

/// What [`Share::create`] decides for a new node.
#[derive(Debug)]
pub struct NewNode {
    id: NodeId,
    places: Vec<NodeName>,
    stamp: Timestamp,
    lease: Lease,
}

impl NewNode {
    /// The node.
    pub fn node(self, mut body: Body, smb: Smb, metadata: Metadata) -> Node {
        if let Body::File(file) = &mut body {
            file.lease = self.lease;
        }
        Node { id: self.id, places: self.places, last_modified: self.stamp, body, smb, posix: None, metadata }
    }

    /// Its stamp.
    pub fn stamp(&self) -> Timestamp {
        self.stamp
    }
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
        share.keep_permission(sddl::OF_DIRECTORIES);
        share
    }

    /// When it was created, or last restored: with its name, that tells it from all others.
    pub fn born(&self) -> Timestamp {
        self.created
    }

    /// As it is when it has been restored: as it was, and as new to whoever asks for its date, its entity tag or its lease. Nobody has
    /// anything open in it.
    pub fn restored(mut self, now: Timestamp) -> Share {
        self.created = self.stamp(now);
        self.properties.last_modified = self.created;
        self.lease = Lease::default();
        self.handles = Handles::default();
        self
    }

    /// What is said of the share. Reading it needs no admission: the door asks it before it lets anybody in.
    pub fn properties(&self) -> &ShareProperties {
        &self.properties
    }

    /// The share as it is.
    pub fn live(&self) -> ShareView<'_> {
        ShareView { about: &self.properties, lease: self.lease, tree: &self.tree, taken: None }
    }

    /// The share as the call means it: as it is, or as the snapshot has it that `sharesnapshot` names.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue for a moment that is none, or an operation that is not for snapshots; 404 ShareNotFound.
    pub fn view(&self, request: &Request) -> Result<ShareView<'_>, StorageError> {
        match request.target.share_snapshot() {
            None => Ok(self.live()),
            Some(taken) => Ok(self.snapshot(taken).ok_or(ErrorCode::ShareNotFound)?.view(taken)),
        }
    }

    /// As [`Share::view`], once the lease is found to allow the call.
    ///
    /// # Errors
    /// Those, and 412 for the lease.
    pub fn admit_self(&self, request: &Request) -> Result<ShareView<'_>, StorageError> {
        let view = self.view(request)?;
        lease::check(view.lease, request.spec.lease, request.lease_id, LeasedResource::Share, request.now)?;
        Ok(view)
    }

    /// Changes what is said of the share, and its stamp with it.
    pub fn revise(&mut self, now: Timestamp, change: impl FnOnce(&mut ShareProperties)) {
        change(&mut self.properties);
        self.properties.last_modified = self.stamp(now);
    }

    /// Takes the lease of the share, or of one of its snapshots, one step on.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step; 404 ShareNotFound.
    pub fn step_lease(
        &mut self,
        taken: Option<Timestamp>,
        ask: lease::LeaseAction,
        now: Timestamp,
    ) -> Result<Lease, StorageError> {
        match taken {
            None => {
                self.lease = lease::step(self.lease, ask, LeasedResource::Share, now)?;
                Ok(self.lease)
            }
            Some(taken) => self.step_snapshot_lease(taken, ask, now),
        }
    }

    /// The node that the call names, once every check is passed.
    ///
    /// # Errors
    /// 404 for what is not there, and for who reads what is of another kind; 409 ResourceTypeMismatch for others; 409 for a copy that goes on, open handles and the read-only attribute; 412 for
    /// the lease.
    pub fn admit(&self, request: &Request, want: WantedNode, touch: FileAccess) -> Result<Admitted, StorageError> {
        let view = self.view(request)?;
        // Who looks for a directory where a file is, or the other way round, finds nothing: the Azure CLI asks so before it writes.
        let reads = request.spec.access == Access::Read;
        let admitted = find(view.tree, request.target.path()?, want).map_err(|error| match error.code() {
            ErrorCode::ResourceTypeMismatch if reads => ErrorCode::ResourceNotFound.into(),
            _ => error,
        })?;
        if view.taken.is_none() {
            self.check(&admitted.node, touch, false)?;
            lease::check(admitted.node.lease(), request.spec.lease, request.lease_id, LeasedResource::File, request.now)?;
        }
        Ok(admitted)
    }

    /// The node that the call names, for who looks at its handles: whether those share it or not.
    ///
    /// # Errors
    /// 404 for what is not there; 409 ResourceTypeMismatch.
    pub fn look_at(&self, request: &Request, want: WantedNode) -> Result<Admitted, StorageError> {
        find(self.view(request)?.tree, request.target.path()?, want)
    }

    /// The node that a copy is made from, and its security descriptor. The door has let its reader in.
    ///
    /// # Errors
    /// 404 for what is not there; 409 for handles that do not share it for reading.
    pub fn source(&self, path: &Path, taken: Option<Timestamp>) -> Result<(Arc<Node>, Option<Arc<str>>), StorageError> {
        let tree = match taken {
            Some(taken) => self.snapshot(taken).ok_or(ErrorCode::ShareNotFound)?.tree(),
            None => &self.tree,
        };
        let node = find(tree, path, WantedNode::Content)?.node;
        if taken.is_none() {
            self.check(&node, FileAccess::Read, false)?;
            handle::admit_range(self.handles.of(node.id), &(0..node.size()), false)?;
        }
        let permission = self.permission_text(node.smb.permission);
        Ok((node, permission))
    }

    /// The node at a path, for a call that names it otherwise than by its own: the source of a rename or the target of a link. `shown` is
    /// the id of its lease.
    ///
    /// # Errors
    /// As [`Share::admit`].
    pub fn admit_at(
        &self,
        path: &Path,
        want: WantedNode,
        touch: FileAccess,
        shown: Option<lease::LeaseId>,
        now: Timestamp,
        despite_read_only: bool,
    ) -> Result<Admitted, StorageError> {
        let admitted = find(&self.tree, path, want)?;
        self.check(&admitted.node, touch, despite_read_only)?;
        lease::check(admitted.node.lease(), lease::LeaseCheck::Required, shown, LeasedResource::File, now)?;
        Ok(admitted)
    }

    /// The name that the call means to write to, once every check is passed. What stands there, if anything, is to be replaced.
    ///
    /// # Errors
    /// 404 ParentNotFound; 409 ResourceTypeMismatch where something else stands there than what is wanted; what [`Share::admit`] says
    /// of handles and the lease; 403 where the caller may create but not overwrite.
    pub fn claim(&self, request: &Request, want: WantedNode, despite_read_only: bool) -> Result<Claimed, StorageError> {
        let claimed = self.claim_place(request)?;
        let shown = request.lease_id;
        match claimed.stands() {
            None => lease::check(Lease::default(), request.spec.lease, shown, LeasedResource::File, request.now)?,
            Some(node) => {
                if !want.fits(node) {
                    return Err(ErrorCode::ResourceTypeMismatch.into());
                }
                if !request.authorization.may_overwrite() {
                    return Err(request.authorization.missing_permission("w"));
                }
                self.check(node, FileAccess::Replace, despite_read_only)?;
                lease::check(node.lease(), request.spec.lease, shown, LeasedResource::File, request.now)?;
            }
        }
        Ok(claimed)
    }

    /// The name that the call means to write to, where nothing may stand yet.
    ///
    /// # Errors
    /// 404 ParentNotFound; 409 ResourceAlreadyExists.
    pub fn claim_free(&self, request: &Request) -> Result<Claimed, StorageError> {
        let claimed = self.claim_place(request)?;
        match claimed.stands {
            None => Ok(claimed),
            Some(_) => Err(ErrorCode::ResourceAlreadyExists.into()),
        }
    }

    /// The name that a rename moves to. A file that stands there is replaced if that was asked for, by a directory too; a directory
    /// never is.
    ///
    /// # Errors
    /// 404 ParentNotFound; 409 ResourceAlreadyExists; what [`Share::claim`] says of handles and the lease, whose id is `shown`.
    pub fn claim_for(
        &self,
        request: &Request,
        source: &Admitted,
        replace: bool,
        despite_read_only: bool,
        shown: Option<lease::LeaseId>,
    ) -> Result<Claimed, StorageError> {
        let claimed = self.claim_place(request)?;
        let Some(node) = claimed.stands.as_ref().filter(|node| node.id != source.node.id) else { return Ok(claimed) };
        if !replace || node.sort() != NodeKind::File {
            return Err(ErrorCode::ResourceAlreadyExists.into());
        }
        self.check(node, FileAccess::Replace, despite_read_only)?;
        lease::check(node.lease(), lease::LeaseCheck::Required, shown, LeasedResource::File, request.now)?;
        Ok(claimed)
    }

    fn claim_place(&self, request: &Request) -> Result<Claimed, StorageError> {
        let place = self.tree.place(request.target.path()?)?;
        let stands = self.tree.child(place.parent, &place.name).cloned();
        Ok(Claimed { place, stands })
    }

    /// Checks that neither a copy, nor an open handle, nor the read-only attribute stands against a request.
    fn check(&self, node: &Node, touch: FileAccess, despite_read_only: bool) -> Result<(), StorageError> {
        if touch != FileAccess::Look {
            node.check_settled()?;
        }
        handle::admit(self.handles.of(node.id), touch.access())?;
        match node.smb.attributes.is_read_only() && touch.minds_read_only() && !despite_read_only {
            true => Err(ErrorCode::ReadOnlyAttribute.into()),
            false => Ok(()),
        }
    }

    /// Checks that no open handle has locked bytes of an admitted file that are to be read or written.
    ///
    /// # Errors
    /// 409 FileLockConflict.
    pub fn check_range(&self, admitted: &Admitted, range: &std::ops::Range<u64>, writes: bool) -> Result<(), StorageError> {
        handle::admit_range(self.handles.of(admitted.node.id), range, writes)
    }

    /// Puts a new node under a claimed name. A file that is replaced leaves it its id and its lease.
    pub fn create(&mut self, claimed: Claimed, now: Timestamp, make: impl FnOnce(NewNode) -> Node) -> Arc<Node> {
        let stamp = self.stamp(now);
        let new = match &claimed.stands {
            Some(node) => {
                NewNode { id: node.id, places: node.places.clone(), stamp, lease: lease::after_write(node.lease(), now) }
            }
            None => {
                self.last = self.last.next();
                NewNode { id: self.last, places: vec![claimed.place], stamp, lease: Lease::default() }
            }
        };
        self.tree.put(make(new))
    }

    /// Gives an admitted file one more name.
    pub fn link(&mut self, admitted: &Admitted, claimed: Claimed, now: Timestamp) -> Arc<Node> {
        let mut node = Node { last_modified: self.stamp(now), ..Node::clone(&admitted.node) };
        node.places.push(claimed.place);
        node.smb.changed = now;
        self.tree.put(node)
    }

    /// Changes an admitted node, and its stamp with it, which the change may read.
    pub fn replace(&mut self, admitted: &Admitted, now: Timestamp, change: impl FnOnce(&mut Node)) -> Arc<Node> {
        let mut node = Node { last_modified: self.stamp(now), ..Node::clone(&admitted.node) };
        change(&mut node);
        if let Body::File(file) = &mut node.body {
            file.lease = lease::after_write(file.lease, now);
        }
        self.tree.put(node)
    }

    /// Takes an admitted file's lease one step on. Neither its stamp nor its entity tag changes.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step.
    pub fn step_file_lease(
        &mut self,
        admitted: &Admitted,
        ask: lease::LeaseAction,
        now: Timestamp,
    ) -> Result<(Arc<Node>, Lease), StorageError> {
        let next = lease::step(admitted.node.lease(), ask, LeasedResource::File, now)?;
        let mut node = Node::clone(&admitted.node);
        if let Body::File(file) = &mut node.body {
            file.lease = next;
        }
        Ok((self.tree.put(node), next))
    }

    /// Removes an admitted node, or the name by which it was found where it has others.
    ///
    /// # Errors
    /// 409 DirectoryNotEmpty; 400 InvalidUri for the root.
    pub fn remove(&mut self, admitted: &Admitted, now: Timestamp) -> Result<(), StorageError> {
        let place =
            admitted.place.as_ref().ok_or_else(|| ErrorCode::InvalidUri.with_reason("the share's root is not to be removed"))?;
        if admitted.node.sort() == NodeKind::Directory && !self.tree.is_empty(admitted.node.id) {
            return Err(ErrorCode::DirectoryNotEmpty.into());
        }
        self.tree.remove(&admitted.node, place, now);
        Ok(())
    }

    /// Moves an admitted node to a claimed name, and changes it on the way. What is below a directory goes with it, untouched.
    ///
    /// # Errors
    /// 400 InvalidUri for the root; 409 for a directory that would stand below itself, or has something open in it.
    pub fn rename(
        &mut self,
        source: &Admitted,
        claimed: &Claimed,
        now: Timestamp,
        change: impl FnOnce(&mut Node),
    ) -> Result<Arc<Node>, StorageError> {
        let from =
            source.place.as_ref().ok_or_else(|| ErrorCode::InvalidUri.with_reason("the share's root is not to be renamed"))?;
        if source.node.sort() == NodeKind::Directory {
            if self.tree.is_within(claimed.place.parent, source.node.id) {
                return Err(ErrorCode::ResourceTypeMismatch.with_reason("a directory cannot be moved into itself"));
            }
            if self.handles.all().any(|handle| self.tree.is_within(handle.node, source.node.id)) {
                return Err(ErrorCode::SharingViolation.into());
            }
        }
        if let Some(node) = claimed.stands.as_ref().filter(|node| node.id != source.node.id) {
            self.tree.remove(node, &claimed.place, now);
        }
        let mut node = Node { last_modified: self.stamp(now), ..Node::clone(&source.node) };
        change(&mut node);
        Ok(self.tree.shift(node, from, &claimed.place))
    }

    /// A stamp later than every other of the share: now, unless something was written in this very tick.
    fn stamp(&mut self, now: Timestamp) -> Timestamp {
        self.latest = now.max(self.latest.next());
        self.latest
    }
}

fn root(now: Timestamp, protocol: Option<Protocol>) -> Node {
    let attributes = crate::rules::file::smb::Attributes::default();
    let permission = sddl::Key::of(sddl::OF_DIRECTORIES);
    let attributes = attributes.made(NodeKind::Directory).unwrap_or(attributes);
    let smb = Smb { attributes, created: now, written: now, changed: now, permission };
    let (id, body, metadata) = (NodeId::ROOT, Body::Directory, Metadata::default());
    let nfs = protocol == Some(Protocol::Nfs);
    let posix = nfs.then(|| Arc::new(posix::PosixInput::default().over(None, posix::PosixFileType::Directory)));
    Node { id, places: Vec::new(), last_modified: now, body, smb, posix, metadata }
}

fn find(tree: &Tree, path: &Path, want: WantedNode) -> Result<Admitted, StorageError> {
    let node = tree.find(path)?;
    if !want.fits(&node) {
        return Err(ErrorCode::ResourceTypeMismatch.into());
    }
    let place = if path.is_root() { None } else { Some(tree.place(path)?) };
    Ok(Admitted { node, place })
}
