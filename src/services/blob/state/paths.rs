//! Changes of paths in a hierarchical namespace: creation, rename, deletion and restore.

use crate::operation::Request;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::version_selector::VersionKind;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::lake::conditions::{check_created, check_overwritten};
use crate::rules::lake::create;
use crate::rules::lake::error::directory_not_empty;
use crate::rules::lake::path::{Path, PathKind, segments};
use crate::rules::lease::{self, Lease, LeaseAction, LeaseDuration, LeaseId, LeasedResource};
use crate::rules::retention::{Deletion, RetentionPolicy};
use crate::rules::time::Timestamp;
use crate::services::blob::path_properties::NewPath;
use crate::services::blob::state::admission::Claimed;
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use std::sync::Arc;

/// The id of a deletion: its time, which distinguishes deletions of the same path.
pub type DeletionId = Timestamp;

impl Container {
    /// Creates a file or a directory, or overwrites a file. A directory that exists gets new properties and keeps what it contains. The path
    /// may have a lease from the beginning.
    ///
    /// # Errors
    /// As [`Container::claim`]; 409 PathAlreadyExists for `If-None-Match: *`; 409 PathConflict where something of the other kind exists, or
    /// a parent is a file.
    pub fn create_path(
        &mut self,
        request: &Request,
        new: NewPath,
        leased: Option<(LeaseId, LeaseDuration)>,
        retention: RetentionPolicy,
        make: impl FnOnce(NewBlob) -> Blob,
    ) -> Result<Arc<Blob>, StorageError> {
        let mut claimed = self.claim_unchecked(request)?;
        if !self.is_hierarchical() && claimed.name.is_empty() {
            // The root directory exists, and no blob is it.
            return Err(ErrorCode::PathConflict.into());
        }
        claimed.check_settled(request.spec)?;
        let existing = claimed.current().map(|current| (current, current.path_kind()));
        match existing {
            Some((current, kind)) => check_overwritten(&request.conditions, kind, &current.state(&Tags::default()))?,
            None => check_created(&request.conditions)?,
        }
        let lease = self.lease_at(claimed.place.as_ref(), claimed.current(), request.now);
        lease::check(lease, request.spec.lease, request.lease_id, LeasedResource::Blob, request.now)?;
        create::plan(new.kind, existing.map(|(_, kind)| kind))?;
        let keeps_access = existing.is_some_and(|(_, kind)| !self.may_replace(request, &claimed.name, kind));
        claimed.path = NewPath { keeps_access, ..new };
        let retention = if self.is_hierarchical() { RetentionPolicy::default() } else { retention };
        let blob = self.create(claimed, request.now, retention, make)?;
        let Some((id, term)) = leased else { return Ok(blob) };
        let acquire = LeaseAction::Acquire { term, proposed: Some(id), fresh: id };
        let lease = lease::step(blob.lease, acquire, LeasedResource::Blob, request.now)?;
        let key = BlobKey::base(self.place(request.target.blob()?.0, request.now)?);
        Ok(self.insert(key, Blob { lease, ..Blob::clone(&blob) }))
    }

    /// Returns true if the caller may give an existing path a new owner and new access control: it is the owner, or could delete the file
    /// and create another one. Whoever may only write to a path does not become its owner.
    fn may_replace(&self, request: &Request, name: &str, kind: PathKind) -> bool {
        let may = |action| self.check_access(&request.principal, action, name, request.now).is_ok();
        may(Action::SetAccess) || kind == PathKind::File && may(Action::Delete)
    }

    /// Deletes the path that the request names.
    ///
    /// # Errors
    /// As [`Container::admit`]; 409 DirectoryNotEmpty for a directory that contains something, unless the deletion is recursive.
    pub fn delete_admitted(
        &mut self,
        request: &Request,
        recursive: bool,
        retention: RetentionPolicy,
    ) -> Result<Option<DeletionId>, StorageError> {
        let path = segments(request.target.blob()?.0).collect::<Vec<_>>().join("/");
        if path.is_empty() {
            return Err(ErrorCode::InvalidUri.with_reason("the root directory cannot be deleted"));
        }
        if !self.is_hierarchical() {
            return self.delete_flat(request, recursive, retention).map(|()| None);
        }
        let admitted = self.admit(request)?;
        match admitted.directory() {
            Some(directory) if !recursive && self.has_children(directory, request.now) => {
                return Err(directory_not_empty());
            }
            _ => {}
        }
        if recursive {
            self.check_emptied(&request.principal, &admitted.blob, request.now)?;
        }
        let deletion = self.delete_path(&path, &admitted.key.place, request.now, retention);
        self.sweep(request.now);
        deletion
    }

    /// Restores a deleted path, with all that was deleted with it, as the path that the request names. Without an id it is the last
    /// deletion of the path.
    ///
    /// # Errors
    /// 404 BlobNotFound when no such deletion is retained; 409 BlobAlreadyExists where something exists; 409 PathConflict below a file.
    pub fn undelete_path(
        &mut self,
        request: &Request,
        path: &str,
        deletion: Option<DeletionId>,
    ) -> Result<Arc<Blob>, StorageError> {
        let now = request.now;
        self.check_access(&request.principal, Action::Create, request.target.blob()?.0, now)?;
        let place = Place::deleted(&segments(path).collect::<Vec<_>>().join("/"));
        let deletions = self.blobs.range(BlobKey::first(place.clone())..BlobKey::base(place));
        let mut retained =
            deletions.filter(|(key, blob)| blob.is_retained(now) && deletion.is_none_or(|deletion| key.at.time() == deletion));
        let (key, blob) = retained.next_back().map(|(key, blob)| (key.clone(), blob.clone())).ok_or(ErrorCode::BlobNotFound)?;
        let claimed = Claimed {
            name: request.target.blob()?.0.into(),
            place: None,
            current: None,
            encryption: Encryption::Service,
            path: NewPath::by(&request.principal),
        };
        let (to, _) = self.make_place(&claimed, now)?;
        if self.current(&to, now).is_some() {
            return Err(ErrorCode::BlobAlreadyExists.into());
        }
        self.take(&key);
        // An expired file may lie there, and what was appended to it.
        self.drop_uncommitted(&to);
        Ok(self.insert(BlobKey::base(to), Blob { deleted: None, ..Blob::clone(&blob) }))
    }

    /// What exists at a path, and its id if it is a directory.
    ///
    /// # Errors
    /// 404 BlobNotFound.
    pub fn directory_at(&self, path: &Path, now: Timestamp) -> Result<(Arc<Blob>, Option<DirectoryId>), StorageError> {
        let place = self.place(path.as_str(), now)?;
        let blob = self.current(&place, now).ok_or(ErrorCode::BlobNotFound)?.clone();
        let id = blob.directory();
        Ok((blob, id))
    }

    /// Returns true if a directory contains something.
    pub(super) fn has_children(&self, directory: DirectoryId, now: Timestamp) -> bool {
        self.children(directory, "", now).next().is_some()
    }

    /// The files and directories in a directory from a name on, in the order of their names.
    pub(super) fn children<'a>(
        &'a self,
        directory: DirectoryId,
        from: &str,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, &'a Arc<Blob>)> + use<'a> {
        let range = self.blobs.range(BlobKey::in_directory(directory, from));
        range.filter(move |(_, blob)| blob.is_live(now)).map(|(key, blob)| (key.place.name(), blob))
    }

    /// Deletes what is at a place, with all that is below it. If the account retains deleted paths, all of it can be restored under the
    /// id of the deletion.
    pub(super) fn delete_path(
        &mut self,
        path: &str,
        place: &Place,
        now: Timestamp,
        retention: RetentionPolicy,
    ) -> Result<Option<DeletionId>, StorageError> {
        self.drop_uncommitted(place);
        let Some(blob) = self.take(&BlobKey::base(place.clone())) else { return Ok(None) };
        blob.protection.admits_removal(now)?;
        let Some(deletion) = retention.deletion(now) else {
            self.discard_contents(&blob);
            return Ok(None);
        };
        let id = self.next_last_modified(now);
        let deleted = Blob { deleted: Some(Deletion { at: id, ..deletion }), lease: Lease::default(), ..Blob::clone(&blob) };
        self.insert(BlobKey::earlier(Place::deleted(path), id, VersionKind::Snapshot), deleted);
        Ok(Some(id))
    }

    /// Lets [`Container::sweep`] remove what a directory contained.
    pub(super) fn discard_contents(&mut self, blob: &Arc<Blob>) {
        if let Some(directory) = blob.directory() {
            let deleted = Deletion { at: blob.last_modified, days: 0 };
            self.blobs.insert(
                BlobKey::base(Place::discarded(directory)),
                Arc::new(Blob { deleted: Some(deleted), ..Blob::clone(blob) }),
            );
        }
    }

    /// Removes some of what discarded directories contain. Returns true if there is more.
    pub fn sweep_discarded(&mut self, most: usize) -> bool {
        for _ in 0..most {
            let Some((key, directory)) = self.first_discarded() else { return false };
            let below = self.blobs.range(BlobKey::in_directory(directory, "")).next().map(|(key, _)| key.clone());
            let uncommitted = || self.uncommitted.range(Place::in_directory(directory)).next().map(|(place, _)| place.clone());
            match (below, uncommitted()) {
                (Some(below), _) => {
                    self.drop_uncommitted(&below.place);
                    if let Some(blob) = self.take(&below) {
                        self.discard_contents(&blob);
                    }
                }
                (None, Some(place)) => self.drop_uncommitted(&place),
                (None, None) => _ = self.blobs.remove(&key),
            }
        }
        self.has_discarded()
    }

    /// Returns true if there is more to remove.
    pub fn has_discarded(&self) -> bool {
        self.first_discarded().is_some()
    }

    /// A directory whose contents are being removed.
    fn first_discarded(&self) -> Option<(BlobKey, DirectoryId)> {
        // Each write looks for one. A flat container has none, also where a blob has such a name.
        if !self.is_hierarchical() {
            return None;
        }
        let first = BlobKey::first(Place::discarded(DirectoryId::ROOT));
        let (key, directory) = self.blobs.range(first..).next().filter(|(key, _)| key.place.is_discarded())?;
        Some((key.clone(), directory.directory()?))
    }
}
