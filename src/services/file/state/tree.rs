//! The tree of a share: nodes by their ids in one map, and in another the names in each directory. A snapshot is a clone of both,
//! and a rename moves one entry, however many nodes are below it.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path;
use crate::rules::file::path::Path;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, Node, NodeId, NodeName};
use imbl::OrdMap;
use std::sync::Arc;

/// Directories, files and links.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: OrdMap<NodeId, Arc<Node>>,
    names: OrdMap<Name, NodeId>,
    /// The bytes of all files.
    used: u64,
}

/// A name in a directory, in the form for lookups.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    parent: NodeId,
    folded: Arc<str>,
}

impl Name {
    fn of(place: &NodeName) -> Name {
        Name::new(place.parent, &place.name)
    }

    fn new(parent: NodeId, name: &str) -> Name {
        Name { parent, folded: path::folded(name).into() }
    }
}

/// Returns true if these are the same name, in any letter case.
pub(super) fn is_same(one: &NodeName, other: &NodeName) -> bool {
    Name::of(one) == Name::of(other)
}

impl Tree {
    /// A tree with only this root.
    pub(super) fn new(root: Node) -> Tree {
        Tree { nodes: OrdMap::unit(NodeId::ROOT, Arc::new(root)), names: OrdMap::new(), used: 0 }
    }

    pub(super) fn nodes(&self) -> &OrdMap<NodeId, Arc<Node>> {
        &self.nodes
    }

    /// The tree of these nodes; `None` if the root is missing.
    pub(super) fn of(nodes: Vec<Node>) -> Option<Tree> {
        let mut tree = Tree { nodes: OrdMap::new(), names: OrdMap::new(), used: 0 };
        nodes.into_iter().for_each(|node| _ = tree.put(node));
        tree.nodes.contains_key(&NodeId::ROOT).then_some(tree)
    }

    /// The total size of all files in bytes.
    pub fn used(&self) -> u64 {
        self.used
    }

    pub fn node(&self, id: NodeId) -> Option<&Arc<Node>> {
        self.nodes.get(&id)
    }

    /// The node of this name in a directory, in any case.
    pub fn child(&self, parent: NodeId, name: &str) -> Option<&Arc<Node>> {
        self.names.get(&Name::new(parent, name)).and_then(|id| self.node(*id))
    }

    /// The parent directory of a path, and its last name.
    ///
    /// # Errors
    /// 404 ParentNotFound where a parent is missing or not a directory; 400 InvalidUri for the root, which has no name.
    pub fn place(&self, path: &Path) -> Result<NodeName, StorageError> {
        let (above, name) =
            path.split().ok_or_else(|| ErrorCode::InvalidUri.with_reason("the root directory cannot be created or deleted"))?;
        Ok(NodeName { parent: self.directory(above)?, name: name.into() })
    }

    /// The node at the end of a path.
    ///
    /// # Errors
    /// 404 ParentNotFound, or ResourceNotFound where only the last name is missing.
    pub fn find(&self, path: &Path) -> Result<Arc<Node>, StorageError> {
        let found = match path.split() {
            None => self.node(NodeId::ROOT),
            Some((above, name)) => self.child(self.directory(above)?, name),
        };
        Ok(found.ok_or(ErrorCode::ResourceNotFound)?.clone())
    }

    fn directory(&self, names: &[String]) -> Result<NodeId, StorageError> {
        names.iter().try_fold(NodeId::ROOT, |at, name| match self.child(at, name) {
            Some(node) if matches!(node.body, Body::Directory) => Ok(node.id),
            _ => Err(ErrorCode::ParentNotFound.into()),
        })
    }

    /// The path of a node.
    pub fn path(&self, id: NodeId) -> String {
        let mut names: Vec<&str> = Vec::new();
        let mut at = id;
        while let Some(place) = self.node(at).and_then(|node| node.places.first()) {
            names.push(&place.name);
            at = place.parent;
        }
        names.reverse();
        names.join("/")
    }

    /// Whether a node is this directory or is somewhere below it.
    pub fn is_within(&self, id: NodeId, directory: NodeId) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            if id == directory {
                return true;
            }
            at = self.node(id).and_then(|node| node.places.first()).map(|place| place.parent);
        }
        false
    }

    /// The entries of a directory from a name on, in the order of the names in their form for lookups; each with its name as written.
    pub fn list(&self, directory: NodeId, from: &str) -> impl Iterator<Item = (&str, &Arc<Node>)> {
        let found = self.names.range(Name::new(directory, from)..).take_while(move |(name, _)| name.parent == directory);
        found.filter_map(|(name, id)| {
            let node = self.node(*id)?;
            let place = node.places.iter().find(|place| Name::of(place) == *name)?;
            Some((&*place.name, node))
        })
    }

    pub fn is_empty(&self, directory: NodeId) -> bool {
        self.list(directory, "").next().is_none()
    }

    /// Inserts a node, or a new state of it. Its names are the current ones, or free.
    pub(super) fn put(&mut self, node: Node) -> Arc<Node> {
        for place in &node.places {
            self.names.insert(Name::of(place), node.id);
        }
        let node = Arc::new(node);
        let before = self.nodes.insert(node.id, node.clone());
        self.used = self.used + node.size() - before.map_or(0, |before| before.size());
        node
    }

    /// Deletes a name, and with the last name the node.
    pub(super) fn remove(&mut self, node: &Node, place: &NodeName, now: Timestamp) {
        let deleted = Name::of(place);
        self.names.remove(&deleted);
        let mut left = node.clone();
        left.places.retain(|place| Name::of(place) != deleted);
        if left.places.is_empty() {
            self.nodes.remove(&node.id);
            self.used -= node.size();
        } else {
            left.smb.changed = now;
            self.nodes.insert(node.id, Arc::new(left));
        }
    }

    /// Renames a node. The new name is free, or the current one in another case.
    pub(super) fn shift(&mut self, mut node: Node, from: &NodeName, to: &NodeName) -> Arc<Node> {
        let left = Name::of(from);
        self.names.remove(&left);
        for place in &mut node.places {
            if Name::of(place) == left {
                place.clone_from(to);
            }
        }
        self.put(node)
    }
}
