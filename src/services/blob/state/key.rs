//! The keys of a container's maps: where blobs, their snapshots and their versions lie, and what expires when.

use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Bound, Range};
use std::sync::Arc;

/// The number of a directory in a container with a hierarchical namespace. No change of the directory changes it, and no rename.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DirectoryId(u64);

impl DirectoryId {
    /// The root directory of a container.
    pub const ROOT: DirectoryId = DirectoryId(0);

    /// The next id.
    pub fn next(self) -> DirectoryId {
        DirectoryId(self.0 + 1)
    }
}

impl fmt::Display for DirectoryId {
    /// Ten hexadecimal digits, so that ids are ordered as texts too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:010x}", self.0)
    }
}

/// Where a blob lies in its container.
///
/// In a flat container that is its name. In one with a hierarchical namespace it is the number of its directory and its name in that
/// directory, so that the rename of a directory changes no place but its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(Arc<str>);

/// The places of deleted paths begin with this, which is no [`DirectoryId`].
const DELETED: &str = "deleted/";
/// The places of directories whose contents are removed a few at a time.
const DISCARDED: &str = "discarded/";

impl Place {
    /// The place of a blob in a flat container.
    pub(super) fn flat(name: impl Into<Arc<str>>) -> Place {
        Place(name.into())
    }

    /// The place of a name in a directory.
    pub(super) fn within(directory: DirectoryId, name: &str) -> Place {
        Place(format!("{directory}/{name}").into())
    }

    /// The places in a directory.
    pub(super) fn in_directory(directory: DirectoryId) -> Range<Place> {
        Place(format!("{directory}/").into())..Place(format!("{directory}0").into())
    }

    /// The place of the root directory itself.
    pub(super) fn root() -> Place {
        Place::within(DirectoryId::ROOT, "")
    }

    /// The place of a deleted path that can be restored. Slashes are written as NULs, so that places have the order of paths.
    pub(super) fn deleted(path: &str) -> Place {
        Place(format!("{DELETED}{}", path.replace('/', "\0")).into())
    }

    /// The path, if this is the place of a deleted one.
    pub(super) fn deleted_path(&self) -> Option<String> {
        Some(self.0.strip_prefix(DELETED)?.replace('\0', "/"))
    }

    /// The place of a directory whose contents are being removed.
    pub(super) fn discarded(directory: DirectoryId) -> Place {
        Place(format!("{DISCARDED}{directory}").into())
    }

    pub(super) fn is_discarded(&self) -> bool {
        self.0.starts_with(DISCARDED)
    }

    /// The directory, if this is the place of a name in one.
    pub(super) fn directory(&self) -> Option<DirectoryId> {
        let (directory, _) = self.0.split_once('/')?;
        u64::from_str_radix(directory, 16).ok().map(DirectoryId)
    }

    /// The name in its directory.
    pub(super) fn name(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// The text by which the place is stored. That of a flat container is the blob's name.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The key of a state of a blob. The snapshots and versions of a place, oldest first, come before the blob itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobKey {
    pub(super) place: Place,
    pub(super) at: VersionSelector,
}

impl BlobKey {
    /// The key of the blob at a place.
    pub(super) fn base(place: Place) -> BlobKey {
        BlobKey { place, at: VersionSelector::Base }
    }

    /// The key of an earlier state.
    pub(super) fn earlier(place: Place, time: Timestamp, kind: VersionKind) -> BlobKey {
        BlobKey { place, at: VersionSelector::Earlier(time, kind) }
    }

    /// A key before all states at a place.
    pub(super) fn first(place: Place) -> BlobKey {
        BlobKey { place, at: VersionSelector::Earlier(Timestamp::default(), VersionKind::Snapshot) }
    }

    /// The keys in a directory from a name on. The root directory does not contain itself.
    pub(super) fn in_directory(directory: DirectoryId, from: &str) -> (Bound<BlobKey>, Bound<BlobKey>) {
        let first = BlobKey::first(Place::within(directory, from));
        let first =
            if from.is_empty() { Bound::Excluded(BlobKey::base(Place::within(directory, ""))) } else { Bound::Included(first) };
        (first, Bound::Excluded(BlobKey::first(Place(format!("{directory}0").into()))))
    }
}

/// What expires at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    /// A state of a blob.
    State(BlobKey),
    /// The uncommitted blocks and appends of a place.
    Uncommitted(Place),
}
