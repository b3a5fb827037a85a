//! The open handles of a share.

use crate::rules::file::handle::OpenHandle;
use crate::rules::time::Timestamp;
use crate::services::file::node::NodeId;
use imbl::OrdMap;
use std::sync::Arc;

/// All open handles, ordered by node.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    pub(super) open: OrdMap<(NodeId, u64), Arc<Handle>>,
    /// The id of the last one.
    pub(super) last: u64,
}

/// An open handle on a directory or a file.
#[derive(Clone, Debug)]
pub struct Handle {
    /// The id, unique in the share.
    pub id: u64,
    pub node: NodeId,
    pub opener: HandleOwner,
    pub opened: Timestamp,
    pub open: OpenHandle,
}

/// The client that opened a handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandleOwner {
    /// The id of the SMB session.
    pub session: u64,
    /// The address and port of the client.
    pub address: String,
    /// The name of the client.
    pub client: String,
}

impl Handles {
    /// The open handles on a node.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = &OpenHandle> {
        self.open.range((node, 0)..=(node, u64::MAX)).map(|(_, handle)| &handle.open)
    }

    /// All handles, ordered by node.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Handle>> {
        self.open.values()
    }
}
