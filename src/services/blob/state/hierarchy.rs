//! The hierarchical namespace of a container: directories, which contain files and directories.
//!
//! A directory is a blob without content that has an id. What it contains lies at places of this id (see [`Place`]), so that a rename
//! writes one entry, however many paths are below it. A deleted directory moves to a place for deleted paths with all that it contains,
//! and a discarded one to a place from which [`Container::sweep`] removes its contents a few at a time.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::services::blob::state::admission::Claimed;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, Place};
use std::sync::Arc;

impl Container {
    /// The place of a name. In a hierarchical namespace its parents exist.
    ///
    /// # Errors
    /// 404 BlobNotFound where a parent is missing or a file.
    pub(super) fn place(&self, name: &str, _now: Timestamp) -> Result<Place, StorageError> {
        Ok(Place::flat(name))
    }

    /// The place of a name that a request writes to; `None` where parents are missing.
    ///
    /// # Errors
    /// 409 PathConflict where a parent is a file.
    pub(super) fn place_to_write(&self, name: &str, _now: Timestamp) -> Result<Option<Place>, StorageError> {
        Ok(Some(Place::flat(name)))
    }

    /// The place of a claimed name. Creates missing parents.
    pub(super) fn make_place(&mut self, claimed: &Claimed, _now: Timestamp) -> Result<Place, StorageError> {
        claimed.place.clone().ok_or_else(|| ErrorCode::BlobNotFound.into())
    }

    /// The blob at a place, neither deleted nor expired.
    pub(super) fn current(&self, place: &Place, now: Timestamp) -> Option<&Arc<Blob>> {
        self.blobs.get(&BlobKey::base(place.clone())).filter(|blob| blob.is_live(now))
    }
}
