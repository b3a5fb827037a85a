//! The hierarchical namespace of a container: directories, which contain files and directories.
//!
//! A directory is a blob without content that has an id. What it contains lies at places of this id (see [`Place`]), so that a rename
//! writes one entry, however many paths are below it.

use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Caller;
use crate::rules::lake::acl::NewAccess;
use crate::rules::lake::append::WrittenBy;
use crate::rules::lake::path::{PathKind, segments};
use crate::rules::lease::Lease;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::admission::Claimed;
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::content::Content;
use std::sync::Arc;

/// How much of a path exists.
pub(super) struct Location<'n> {
    /// The directories on the way, from the root on.
    pub(super) ancestors: Vec<Arc<Blob>>,
    /// The names below the last of them: none for the root directory, one if all parents exist.
    pub(super) names: Vec<&'n str>,
}

impl Location<'_> {
    fn parent(&self) -> Result<&Arc<Blob>, StorageError> {
        Ok(self.ancestors.last().ok_or(ErrorCode::InternalError)?)
    }

    /// The place of the path; `None` where a parent is missing.
    pub(super) fn place(&self) -> Result<Option<Place>, StorageError> {
        Ok(match self.names[..] {
            [] => Some(Place::root()),
            [name] => Some(Place::within(self.parent()?.directory().ok_or(ErrorCode::PathConflict)?, name)),
            _ => None,
        })
    }
}

impl Container {
    /// Returns true if the container has directories.
    pub fn is_hierarchical(&self) -> bool {
        self.next_directory.is_some()
    }

    /// Gives an empty container a hierarchical namespace, whose root directory this caller owns.
    pub fn with_hierarchy(mut self, creator: &Caller, now: Timestamp) -> Container {
        self.next_directory = Some(DirectoryId::ROOT.next());
        self.insert_directory(Place::root(), PathProperties::of_root(creator), now);
        self
    }

    /// The place of a name. In a hierarchical namespace its parents exist.
    ///
    /// # Errors
    /// 404 BlobNotFound where a parent is missing or a file.
    pub(super) fn place(&self, name: &str, now: Timestamp) -> Result<Place, StorageError> {
        match self.place_to_write(name, now) {
            Ok(Some(place)) => Ok(place),
            Ok(None) | Err(_) => Err(ErrorCode::BlobNotFound.into()),
        }
    }

    /// The place of a name that a request writes to; `None` where parents are missing.
    ///
    /// # Errors
    /// 409 PathConflict where a parent is a file.
    pub(super) fn place_to_write(&self, name: &str, now: Timestamp) -> Result<Option<Place>, StorageError> {
        match self.is_hierarchical() {
            true => self.locate(name, now)?.place(),
            false => Ok(Some(Place::flat(name))),
        }
    }

    /// Follows a path from the root directory to its last name, or to the first one that is missing.
    ///
    /// # Errors
    /// 409 PathConflict where a parent is a file.
    pub(super) fn locate<'n>(&self, name: &'n str, now: Timestamp) -> Result<Location<'n>, StorageError> {
        let mut names: Vec<&str> = segments(name).collect();
        names.reverse();
        let root = self.current(&Place::root(), now).ok_or(ErrorCode::InternalError)?.clone();
        let (mut ancestors, mut above) = (vec![root], DirectoryId::ROOT);
        while let [_, .., next] = names[..] {
            let Some(blob) = self.current(&Place::within(above, next), now) else { break };
            above = blob.directory().ok_or(ErrorCode::PathConflict)?;
            ancestors.push(blob.clone());
            names.pop();
        }
        names.reverse();
        Ok(Location { ancestors, names })
    }

    /// The place of a claimed name, and its directory in a hierarchical namespace. Creates missing parents.
    ///
    /// # Errors
    /// 409 PathConflict where a parent is a file.
    pub(super) fn make_place(&mut self, claimed: &Claimed, now: Timestamp) -> Result<(Place, Option<Arc<Blob>>), StorageError> {
        if !self.is_hierarchical() {
            return Ok((Place::flat(claimed.name.clone()), None));
        }
        let location = self.locate(&claimed.name, now)?;
        let mut parent = location.parent()?.clone();
        let Some((last, parents)) = location.names.split_last() else { return Ok((Place::root(), Some(parent))) };
        for name in parents {
            let (above, id) = (parent.directory().ok_or(ErrorCode::PathConflict)?, self.new_directory_id());
            let properties = PathProperties::of_new(parent.path()?, &claimed.path.parent(), Some(id))?;
            parent = self.insert_directory(Place::within(above, name), properties, now);
        }
        Ok((Place::within(parent.directory().ok_or(ErrorCode::PathConflict)?, last), Some(parent)))
    }

    /// The blob at a place, neither deleted nor expired.
    pub(super) fn current(&self, place: &Place, now: Timestamp) -> Option<&Arc<Blob>> {
        self.blobs.get(&BlobKey::base(place.clone())).filter(|blob| blob.is_live(now))
    }

    /// The id of a new directory.
    pub(super) fn new_directory_id(&mut self) -> DirectoryId {
        let id = self.next_directory.unwrap_or(DirectoryId::ROOT);
        self.next_directory = Some(id.next());
        id
    }

    /// The properties of a path that a request creates or overwrites. The Blob API keeps those of a file that it overwrites, and a directory
    /// keeps its access control unless the request has another.
    ///
    /// # Errors
    /// 400 InvaldAccessControlList for default entries of a file.
    pub(super) fn path_of_new(&mut self, claimed: &Claimed, parent: &Blob) -> Result<Arc<PathProperties>, StorageError> {
        let new = &claimed.path;
        match (claimed.current().and_then(|current| current.path.as_deref()), new.kind) {
            (Some(current), _) if new.keeps_access => {
                let encryption_context = new.encryption_context.clone();
                Ok(PathProperties { encryption_context, written_by: new.written_by, ..current.clone() })
            }
            (Some(current), PathKind::Directory) => {
                let properties = PathProperties::of_new(parent.path()?, new, current.directory)?;
                let acl = if new.access == NewAccess::default() { current.acl.clone() } else { properties.acl };
                Ok(PathProperties { acl, ..properties })
            }
            (Some(current), PathKind::File) if new.written_by == WrittenBy::Blob => {
                Ok(PathProperties { written_by: WrittenBy::Blob, ..current.clone() })
            }
            (_, PathKind::File) => PathProperties::of_new(parent.path()?, new, None),
            (None, PathKind::Directory) => {
                let id = self.new_directory_id();
                PathProperties::of_new(parent.path()?, new, Some(id))
            }
        }
        .map(Arc::new)
    }

    fn insert_directory(&mut self, place: Place, properties: PathProperties, now: Timestamp) -> Arc<Blob> {
        let last_modified = self.next_last_modified(now);
        let new = NewBlob { last_modified, lease: Lease::default(), encryption: Encryption::Service, version: None };
        let body = Body::Block { content: Content::default(), blocks: Arc::default() };
        let blob = Blob { path: Some(Arc::new(properties)), ..new.blob(body, ContentHeaders::default()) };
        self.insert(BlobKey::base(place), blob)
    }
}
