//! The rename of a file, or of a directory with all that it contains.
//!
//! In a hierarchical namespace it moves one entry, or every path below if the destination is in another file system. In a flat namespace a
//! directory is a prefix of names, and the rename moves every blob below it (`flat_directories`).

use crate::operation::Request;
use crate::rules::blob::tags::Tags;
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::{Action, Caller};
use crate::rules::lake::conditions::{check_created, check_overwritten, check_rename_source};
use crate::rules::lake::path::{Namespace, Path, PathKind};
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::lake::rename::{self, Existing, Rename, RenameMode, RenamePlan};
use crate::rules::lease::{self, Lease, LeaseCheck, LeaseId, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Place};
use crate::services::blob::state::moves::with_directory;
use std::sync::Arc;

/// The rename of a request, whose URL names the destination.
#[derive(Clone, Debug)]
pub struct RenameRequest {
    pub mode: RenameMode,
    /// The file system of the source.
    pub file_system: String,
    pub source: Path,
    /// The conditions on the source.
    pub conditions: Conditions,
    /// The id of the source's lease.
    pub lease_id: Option<LeaseId>,
    /// Whose access control lists apply to the source.
    pub principal: Caller,
    /// The properties of the user that the new path has; without them it keeps those of the source.
    pub properties: Option<Metadata>,
    /// How a flat namespace retains what the rename replaces.
    pub retention: RetentionPolicy,
}

/// A rename whose checks have passed.
struct Planned {
    from: Place,
    to: Place,
    replaces: bool,
    /// The new path; `None` for a directory of a flat namespace that only the names below it imply.
    renamed: Option<Blob>,
    /// The blobs below a directory of a flat namespace, and their new places.
    below: Vec<(BlobKey, Place)>,
}

impl Container {
    /// Renames a path of this file system. Returns the new path.
    ///
    /// # Errors
    /// Those of [`Rename::plan`].
    pub fn rename(&mut self, rename: &RenameRequest, request: &Request) -> Result<Arc<Blob>, StorageError> {
        let planned = plan(self, self, rename, request)?;
        let uncommitted = planned.renamed.as_ref().and_then(|_| self.uncommitted.get(&planned.from).cloned());
        if planned.renamed.is_some() {
            self.take(&BlobKey::base(planned.from.clone()));
            self.drop_uncommitted(&planned.from);
        }
        let below = self.extract_flat(&planned.below);
        self.insert_flat(below, rename.retention, request.now);
        self.settle_rename(planned, uncommitted, rename.retention, request.now)
    }

    /// Renames a path of another file system to one of this. Each path below it moves by itself.
    ///
    /// # Errors
    /// As [`Container::rename`].
    pub fn rename_from(
        &mut self,
        source: &mut Container,
        rename: &RenameRequest,
        request: &Request,
    ) -> Result<Arc<Blob>, StorageError> {
        let mut planned = plan(source, self, rename, request)?;
        let uncommitted = planned.renamed.as_ref().and_then(|_| source.extract(&planned.from).uncommitted);
        self.insert_flat(source.extract_flat(&planned.below), rename.retention, request.now);
        let left = planned.renamed.as_ref().and_then(|renamed| renamed.directory());
        let below = left.map_or_else(Vec::new, |left| source.extract_below(left));
        let directory = left.map(|_| self.new_directory_id());
        if let (Some(renamed), Some(id)) = (&mut planned.renamed, directory) {
            renamed.path = with_directory(renamed, id);
        }
        let renamed = self.settle_rename(planned, uncommitted, rename.retention, request.now)?;
        if let (Some(left), Some(directory)) = (left, directory) {
            self.insert_below(left, directory, below);
        }
        Ok(renamed)
    }

    /// Puts a renamed path at its place, instead of what it replaces.
    ///
    /// # Errors
    /// 409 for a replaced blob under an immutability policy or a legal hold, unless it stays as a version.
    fn settle_rename(
        &mut self,
        planned: Planned,
        uncommitted: Option<Arc<UncommittedBlocks>>,
        retention: RetentionPolicy,
        now: Timestamp,
    ) -> Result<Arc<Blob>, StorageError> {
        // Also a deleted blob that can be restored.
        self.displace(&planned.to, now, retention);
        // Also blocks without a blob, and appends of a file that has expired.
        self.drop_uncommitted(&planned.to);
        if planned.replaces {
            let replaced = self.current(&planned.to, now).filter(|_| self.is_hierarchical() || !retention.versions);
            replaced.map_or(Ok(()), |replaced| replaced.protection.admits_removal(now))?;
            if let Some(replaced) = self.take(&BlobKey::base(planned.to.clone())) {
                self.discard_contents(&replaced);
            }
        }
        if let Some(uncommitted) = uncommitted {
            self.set_uncommitted(planned.to.clone(), UncommittedBlocks::clone(&uncommitted));
        }
        let renamed = planned.renamed.unwrap_or_else(|| self.directory_mark(now));
        let renamed = self.insert(BlobKey::base(planned.to), renamed);
        // ETags of this container are later than those that it got from another one.
        self.latest = self.latest.max(renamed.last_modified);
        self.sweep(now);
        Ok(renamed)
    }

    /// What exists at a place, as a rename sees it.
    fn existing(&self, place: Option<&Place>, now: Timestamp) -> Option<(Existing, Option<&Arc<Blob>>)> {
        let blob = self.current(place?, now);
        let has_entries = || match blob.and_then(|blob| blob.directory()) {
            Some(directory) => self.has_children(directory, now),
            None => !self.is_hierarchical() && !self.flat_below(place.map_or("", Place::as_str), now).is_empty(),
        };
        let existing = match blob.map(|blob| blob.path_kind()) {
            Some(PathKind::File) => Existing::File,
            _ if has_entries() => Existing::Directory,
            Some(PathKind::Directory) => Existing::EmptyDirectory,
            None => return None,
        };
        Some((existing, blob))
    }
}

/// Checks a rename, and finds the place of the new path.
fn plan(from: &Container, to: &Container, rename: &RenameRequest, request: &Request) -> Result<Planned, StorageError> {
    let (now, no_tags) = (request.now, Tags::default());
    from.check_access(&rename.principal, Action::Rename, rename.source.as_str(), now)?;
    let place = from.place(rename.source.as_str(), now).map_err(|_| ErrorCode::SourcePathNotFound)?;
    let existing_source = from.existing(Some(&place), now).ok_or(ErrorCode::SourcePathNotFound)?;
    let (source_kind, source) = (existing_source.0.kind(), existing_source.1);
    let source_check = source.map_or(Ok(()), |source| {
        source.protection.admits_removal(now)?;
        check_rename_source(&rename.conditions, &source.state(&no_tags))?;
        lease::check(source.lease, LeaseCheck::Required, rename.lease_id, LeasedResource::Blob, now)
    });

    let requested = Path::parse(request.target.blob()?.0, Namespace::Hierarchical)?;
    if requested.is_root() && !to.is_hierarchical() {
        // No blob is the root directory.
        return Err(ErrorCode::InvalidSourceOrDestinationResourceType.into());
    }
    let at_requested = to.place_to_write(requested.as_str(), now).ok().flatten();
    let kind = to.existing(at_requested.as_ref(), now).map(|(existing, _)| existing.kind());
    let path = rename::final_path(rename.mode, &rename.source, &requested, kind, Namespace::Hierarchical)?;
    let located = to.place_to_write(path.as_str(), now);
    let parent = match &located {
        Ok(Some(_)) => Some(PathKind::Directory),
        Ok(None) => None,
        Err(_) => Some(PathKind::File),
    };
    let final_place = located.ok().flatten();
    let existing = to.existing(final_place.as_ref(), now);
    if final_place.is_some() {
        let action = if existing.is_some() { Action::Rename } else { Action::Create };
        to.check_access(&request.principal, action, path.as_str(), now)?;
    }
    let check_lease = |lease| lease::check(lease, LeaseCheck::Required, request.lease_id, LeasedResource::Blob, now);
    let destination_check = match existing {
        Some((existing, Some(blob))) => {
            check_overwritten(&request.conditions, existing.kind(), &blob.state(&no_tags)).and_then(|()| check_lease(blob.lease))
        }
        // A directory that only names imply has neither an ETag nor a lease.
        None | Some((_, None)) => check_created(&request.conditions).and_then(|()| check_lease(Lease::default())),
    };

    let plan = Rename {
        source: rename::Location { file_system: &rename.file_system, path: &rename.source },
        source_kind: Some(source_kind),
        source_check,
        destination: rename::Location { file_system: request.target.resource_name()?, path: &path },
        moves_into: path != requested,
        existing: existing.map(|(existing, _)| existing),
        destination_check,
        parent,
    }
    .plan()?;
    // To create is not to overwrite; to move is.
    if plan == RenamePlan::Replace && !request.authorization.allows("mw") {
        return Err(ErrorCode::UnauthorizedBlobOverwrite.into());
    }
    let to = final_place.ok_or(ErrorCode::RenameDestinationParentPathNotFound)?;
    let replaced = existing.and_then(|(_, blob)| blob).map(|blob| blob.lease);
    let is_directory = source_kind == PathKind::Directory;
    let renamed = source.map(|source| {
        let lease = rename::lease_after(source.lease, replaced, now);
        let kept = || source.metadata.clone();
        let mut metadata = rename.properties.clone().unwrap_or_else(kept);
        if is_directory && source.path.is_none() && metadata.get(IS_FOLDER).is_none() {
            metadata = metadata.with(IS_FOLDER, "true");
        }
        Blob { lease, metadata, ..Blob::clone(source) }
    });
    let below = match is_directory && !from.is_hierarchical() {
        true => from.flat_moves(&place, &to, now)?,
        false => Vec::new(),
    };
    Ok(Planned { from: place, to, replaces: plan == RenamePlan::Replace, renamed, below })
}
