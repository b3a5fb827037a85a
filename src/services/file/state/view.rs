//! A share as a request sees it: the current one, or one of its snapshots.

use crate::rules::auth::sas::Policy;
use crate::rules::file::share::Settings;
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::state::tree::Tree;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The properties of a share itself.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareProperties {
    /// Last-Modified and, in ticks, the entity tag.
    pub last_modified: Timestamp,
    pub metadata: Metadata,
    pub settings: Settings,
    /// The stored access policies.
    pub policies: Arc<[Policy]>,
}

/// The current share, or one of its snapshots.
#[derive(Clone, Copy, Debug)]
pub struct ShareView<'a> {
    pub properties: &'a ShareProperties,
    pub lease: Lease,
    pub tree: &'a Tree,
    /// The time that names the snapshot.
    pub snapshot: Option<Timestamp>,
}

/// A share at a time.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) properties: ShareProperties,
    pub(super) lease: Lease,
    pub(super) tree: Tree,
    /// The creation time, to the tick. The name of the snapshot has whole seconds.
    pub(super) at: Timestamp,
}

impl PartialEq for Snapshot {
    /// A snapshot equals only itself.
    fn eq(&self, other: &Snapshot) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Snapshot {
    /// The view of the snapshot with this name.
    pub(super) fn view(&self, name: Timestamp) -> ShareView<'_> {
        ShareView { properties: &self.properties, lease: self.lease, tree: &self.tree, snapshot: Some(name) }
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The creation time, to the tick.
    pub fn at(&self) -> Timestamp {
        self.at
    }
}
