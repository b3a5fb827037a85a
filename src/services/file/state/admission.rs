//! The nodes and the names that a request may access.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path::Path;
use crate::rules::file::posix::Posix;
use crate::rules::file::smb::Smb;
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, File, Node, NodeId, NodeName};
use crate::services::file::state::tree::Tree;
use std::ops::Deref;
use std::sync::Arc;

/// The kinds of node that an operation accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedNode {
    Directory,
    /// A file or a symbolic link.
    File,
    /// A file with content: no link.
    Content,
    /// A symbolic link.
    Link,
    Any,
}

impl WantedNode {
    pub(super) fn accepts(self, node: &Node) -> bool {
        match (self, &node.body) {
            (WantedNode::Any, _) | (WantedNode::Directory, Body::Directory) | (WantedNode::Link, Body::Link(_)) => true,
            (WantedNode::File, body) => !matches!(body, Body::Directory),
            (WantedNode::Content, Body::File(_)) => true,
            _ => false,
        }
    }
}

/// A node that the rules let the request access. Only `Share::admit` and its siblings create one.
#[derive(Debug)]
pub struct Admitted {
    pub(super) node: Arc<Node>,
    /// The name by which the request addresses the node; `None` for the root.
    pub(super) place: Option<NodeName>,
}

impl Deref for Admitted {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}

impl Admitted {
    /// The node as a file.
    ///
    /// # Errors
    /// 409 ResourceTypeMismatch for a node that was not admitted as [`WantedNode::Content`].
    pub fn content(&self) -> Result<&File, StorageError> {
        Ok(self.node.file().ok_or(ErrorCode::ResourceTypeMismatch)?)
    }

    /// The directory that the request names the node in.
    pub fn parent(&self) -> NodeId {
        self.place.as_ref().map_or(NodeId::ROOT, |place| place.parent)
    }
}

/// A name that the rules let the request write to, whether or not it is in use. Only `Share::claim` and its siblings create one.
#[derive(Debug)]
pub struct Claimed {
    pub(super) place: NodeName,
    pub(super) current: Option<Arc<Node>>,
}

impl Claimed {
    /// The directory that the name is in.
    pub fn parent(&self) -> NodeId {
        self.place.parent
    }
}

/// The identity of a node that `Share::create` creates.
#[derive(Debug)]
pub struct NewNode {
    pub(super) id: NodeId,
    pub(super) places: Vec<NodeName>,
    pub(super) last_modified: Timestamp,
    pub(super) lease: Lease,
}

impl NewNode {
    /// Builds the node.
    pub fn node(self, mut body: Body, (smb, posix): (Smb, Option<Arc<Posix>>), metadata: Metadata) -> Node {
        if let Body::File(file) = &mut body {
            file.lease = self.lease;
        }
        Node { id: self.id, places: self.places, last_modified: self.last_modified, body, smb, posix, metadata }
    }

    pub fn last_modified(&self) -> Timestamp {
        self.last_modified
    }
}

/// The node at a path.
///
/// # Errors
/// 404; 409 ResourceTypeMismatch for a node of another kind.
pub(super) fn find(tree: &Tree, path: &Path, wanted: WantedNode) -> Result<Admitted, StorageError> {
    let node = tree.find(path)?;
    if !wanted.accepts(&node) {
        return Err(ErrorCode::ResourceTypeMismatch.into());
    }
    let place = if path.is_root() { None } else { Some(tree.place(path)?) };
    Ok(Admitted { node, place })
}
