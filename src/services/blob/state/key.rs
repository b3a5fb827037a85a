//! The keys of the states of blobs, and of what ends at a time.

use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::time::Timestamp;
use std::sync::Arc;

/// The key of a state of a blob. The snapshots and versions of a name, oldest first, come before the blob itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobKey {
    pub(super) name: Arc<str>,
    pub(super) at: VersionSelector,
}

impl BlobKey {
    /// The key of the blob of this name.
    pub(super) fn base(name: impl Into<Arc<str>>) -> BlobKey {
        BlobKey { name: name.into(), at: VersionSelector::Base }
    }

    /// The key of an earlier state.
    pub(super) fn earlier(name: impl Into<Arc<str>>, time: Timestamp, kind: VersionKind) -> BlobKey {
        BlobKey { name: name.into(), at: VersionSelector::Earlier(time, kind) }
    }

    /// A key before all states of a name.
    pub(super) fn first(name: &str) -> BlobKey {
        BlobKey { name: name.into(), at: VersionSelector::Earlier(Timestamp::default(), VersionKind::Snapshot) }
    }
}

/// What ends at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// A state of a blob.
    State(BlobKey),
    /// The uncommitted blocks of a name.
    Blocks(Arc<str>),
}
