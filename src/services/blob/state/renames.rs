//! The rename of a file, or of a directory with all that it contains. Within a file system it moves one entry.

use crate::operation::Request;
use crate::rules::blob::tags::Tags;
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::{Action, Caller};
use crate::rules::lake::conditions::{check_created, check_overwritten, check_rename_source};
use crate::rules::lake::path::{Namespace, Path, PathKind};
use crate::rules::lake::rename::{self, Existing, Rename, RenameMode, RenamePlan};
use crate::rules::lease::{self, LeaseCheck, LeaseId, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use std::collections::{BTreeMap, BTreeSet};
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
}

/// A rename that may proceed.
struct Planned {
    from: Place,
    to: Place,
    replaces: bool,
    /// The new path.
    renamed: Blob,
}

/// A path that leaves its file system for another one, in which its directory has another id.
struct Moved {
    place: Place,
    /// `None` where there are only uncommitted blocks.
    blob: Option<Arc<Blob>>,
    uncommitted: Option<Arc<UncommittedBlocks>>,
}

impl Container {
    /// Renames a path of this file system. Returns the new path.
    ///
    /// # Errors
    /// Those of [`Rename::plan`].
    pub fn rename(&mut self, rename: &RenameRequest, request: &Request) -> Result<Arc<Blob>, StorageError> {
        let planned = plan(self, self, rename, request)?;
        let uncommitted = self.uncommitted.get(&planned.from).cloned();
        self.take(&BlobKey::base(planned.from.clone()));
        self.drop_uncommitted(&planned.from);
        let renamed = self.settle_rename(planned, uncommitted, request.now);
        Ok(renamed)
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
        let planned = plan(source, self, rename, request)?;
        let moved = source.extract(&planned.from);
        let Some(left) = planned.renamed.directory() else {
            return Ok(self.settle_rename(planned, moved.uncommitted, request.now));
        };
        let below = source.extract_below(left);
        let directory = self.new_directory_id();
        let renamed = Blob { path: with_directory(&planned.renamed, directory), ..planned.renamed };
        let renamed = self.settle_rename(Planned { renamed, ..planned }, moved.uncommitted, request.now);
        self.insert_below(left, directory, below);
        Ok(renamed)
    }

    /// Puts a renamed path at its place, instead of what it replaces.
    fn settle_rename(&mut self, planned: Planned, uncommitted: Option<Arc<UncommittedBlocks>>, now: Timestamp) -> Arc<Blob> {
        // Also blocks without a blob, and appends of a file that has expired.
        self.drop_uncommitted(&planned.to);
        if planned.replaces
            && let Some(replaced) = self.take(&BlobKey::base(planned.to.clone()))
        {
            self.discard_contents(&replaced);
        }
        if let Some(uncommitted) = uncommitted {
            self.set_uncommitted(planned.to.clone(), UncommittedBlocks::clone(&uncommitted));
        }
        let renamed = self.insert(BlobKey::base(planned.to), planned.renamed);
        // ETags of this container are later than those that it got from another one.
        self.latest = self.latest.max(renamed.last_modified);
        self.sweep(now);
        renamed
    }

    /// Removes a path, and not what is below it.
    fn extract(&mut self, place: &Place) -> Moved {
        let uncommitted = self.uncommitted.get(place).cloned();
        self.drop_uncommitted(place);
        Moved { place: place.clone(), blob: self.take(&BlobKey::base(place.clone())), uncommitted }
    }

    /// Removes all that is below a directory. A directory comes before its entries. Without recursion, because renames below each other
    /// make paths deeper than any that a request creates.
    fn extract_below(&mut self, directory: DirectoryId) -> Vec<Moved> {
        let (mut below, mut directories) = (Vec::new(), vec![directory]);
        while let Some(directory) = directories.pop() {
            let entries = self.blobs.range(BlobKey::in_directory(directory, "")).map(|(key, _)| &key.place);
            let uncommitted = self.uncommitted.range(Place::in_directory(directory)).map(|(place, _)| place);
            let places: BTreeSet<Place> = entries.chain(uncommitted).cloned().collect();
            for moved in places.iter().map(|place| self.extract(place)) {
                directories.extend(moved.blob.as_ref().and_then(|blob| blob.directory()));
                below.push(moved);
            }
        }
        below
    }

    /// Inserts what was below a directory of another container, under new ids.
    fn insert_below(&mut self, left: DirectoryId, directory: DirectoryId, below: Vec<Moved>) {
        let mut ids = BTreeMap::from([(left, directory)]);
        for Moved { place, blob, uncommitted } in below {
            let Some(&parent) = place.directory().and_then(|left| ids.get(&left)) else { continue };
            let place = Place::within(parent, place.name());
            if let Some(blob) = blob {
                let mut blob = Blob::clone(&blob);
                if let Some(left) = blob.directory() {
                    let id = self.new_directory_id();
                    blob.path = with_directory(&blob, id);
                    ids.insert(left, id);
                }
                self.latest = self.latest.max(blob.last_modified);
                self.insert(BlobKey::base(place.clone()), blob);
            }
            if let Some(uncommitted) = uncommitted {
                self.set_uncommitted(place, UncommittedBlocks::clone(&uncommitted));
            }
        }
    }

    /// What a rename meets at a path.
    fn existing(&self, place: Option<&Place>, now: Timestamp) -> Option<(Existing, &Arc<Blob>)> {
        let blob = self.current(place?, now)?;
        let existing = match blob.directory() {
            None => Existing::File,
            Some(directory) if self.has_children(directory, now) => Existing::Directory,
            Some(_) => Existing::EmptyDirectory,
        };
        Some((existing, blob))
    }
}

/// The properties of a directory under another id.
fn with_directory(blob: &Blob, id: DirectoryId) -> Option<Arc<PathProperties>> {
    blob.path.as_ref().map(|path| Arc::new(PathProperties { directory: Some(id), ..PathProperties::clone(path) }))
}

fn kind_of(blob: &Blob) -> PathKind {
    if blob.directory().is_some() { PathKind::Directory } else { PathKind::File }
}

/// Checks a rename, and finds the place of the new path.
fn plan(from: &Container, to: &Container, rename: &RenameRequest, request: &Request) -> Result<Planned, StorageError> {
    if !from.is_hierarchical() && !from.flat_paths(rename.source.as_str(), false, request.now).is_empty() {
        return Err(ErrorCode::NotImplemented.with_reason("only files are renamed in an account without hns"));
    }
    let (now, no_tags) = (request.now, Tags::default());
    from.check_access(&rename.principal, Action::Rename, rename.source.as_str(), now)?;
    let place = from.place(rename.source.as_str(), now).map_err(|_| ErrorCode::SourcePathNotFound)?;
    let source = from.current(&place, now).ok_or(ErrorCode::SourcePathNotFound)?;
    let source_check = check_rename_source(&rename.conditions, &source.state(&no_tags))
        .and_then(|()| lease::check(source.lease, LeaseCheck::Required, rename.lease_id, LeasedResource::Blob, now));

    let requested = Path::parse(request.target.blob()?.0, Namespace::Hierarchical)?;
    let at_requested = to.place_to_write(requested.as_str(), now).ok().flatten();
    let kind = to.existing(at_requested.as_ref(), now).map(|(_, blob)| kind_of(blob));
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
        None => check_created(&request.conditions).and_then(|()| check_lease(lease::Lease::default())),
        Some((_, blob)) => {
            check_overwritten(&request.conditions, kind_of(blob), &blob.state(&no_tags)).and_then(|()| check_lease(blob.lease))
        }
    };

    let plan = Rename {
        source: rename::Location { file_system: &rename.file_system, path: &rename.source },
        source_kind: Some(kind_of(source)),
        source_check,
        destination: rename::Location { file_system: request.target.resource_name()?, path: &path },
        moves_into: path != requested,
        existing: existing.map(|(existing, _)| existing),
        destination_check,
        parent,
    }
    .plan()?;
    let lease = rename::lease_after(source.lease, existing.map(|(_, blob)| blob.lease), now);
    let metadata = rename.properties.clone().unwrap_or_else(|| source.metadata.clone());
    Ok(Planned {
        from: place,
        to: final_place.ok_or(ErrorCode::RenameDestinationParentPathNotFound)?,
        replaces: plan == RenamePlan::Replace,
        renamed: Blob { lease, metadata, ..Blob::clone(source) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::permissions::PublicAccess;
    use crate::rules::encryption::{DefaultEncryption, Encryption};
    use crate::rules::retention::RetentionPolicy;
    use crate::services::blob::body::Body;
    use crate::services::blob::path_properties::NewPath;
    use crate::services::blob::state::admission::Claimed;
    use crate::services::blob::state::walk::WalkOptions;
    use crate::services::shared::content_headers::ContentHeaders;
    use crate::store::content::Content;

    /// Deeper than a request can name: renames of directories below each other make such paths.
    const LEVELS: usize = 10_000;

    fn file_system(now: Timestamp) -> Container {
        Container::new(now, Metadata::default(), PublicAccess::Private, DefaultEncryption::default())
            .with_hierarchy(&Caller::SuperUser, now)
    }

    #[test]
    fn directories_of_any_depth_move_to_another_file_system() {
        let now = Timestamp::from_unix(1_000_000, 0);
        let (mut from, mut to) = (file_system(now), file_system(now));
        let claimed = Claimed {
            name: vec!["d"; LEVELS].join("/").into(),
            place: None,
            current: None,
            encryption: Encryption::Service,
            path: NewPath::by(&Caller::SuperUser),
        };
        let body = Body::Block { content: Content::default(), blocks: Arc::default() };
        from.create(claimed, now, RetentionPolicy::default(), |new| new.blob(body, ContentHeaders::default())).unwrap();

        let below = from.extract_below(DirectoryId::ROOT);
        assert_eq!((below.len(), from.has_children(DirectoryId::ROOT, now)), (LEVELS, false));
        to.insert_below(DirectoryId::ROOT, DirectoryId::ROOT, below);
        let walk = to.walk("", DirectoryId::ROOT, WalkOptions { recursive: true, ..WalkOptions::default() }, now);
        let paths: Vec<String> = walk.map(|(path, _)| path).collect();
        assert_eq!(paths.len(), LEVELS);
        assert_eq!(paths.last().map(|path| path.matches('/').count()), Some(LEVELS - 1));
    }
}
