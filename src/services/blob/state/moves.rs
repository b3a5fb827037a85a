//! The paths below a directory that moves to another file system, where directories have other ids.

use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A path, removed to be inserted in another file system, where its directory has another id.
pub(super) struct Moved {
    place: Place,
    /// `None` where there are only uncommitted blocks.
    blob: Option<Arc<Blob>>,
    pub(super) uncommitted: Option<Arc<UncommittedBlocks>>,
}

impl Container {
    /// Removes a path, and not what is below it.
    pub(super) fn extract(&mut self, place: &Place) -> Moved {
        let uncommitted = self.uncommitted.get(place).cloned();
        self.drop_uncommitted(place);
        Moved { place: place.clone(), blob: self.take(&BlobKey::base(place.clone())), uncommitted }
    }

    /// Removes all that is below a directory. A directory comes before its entries. Without recursion, because renames below each other
    /// make paths deeper than any that a request creates.
    pub(super) fn extract_below(&mut self, directory: DirectoryId) -> Vec<Moved> {
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

    /// Inserts what was below the directory `left` of another container below `directory` of this one, under new ids.
    pub(super) fn insert_below(&mut self, left: DirectoryId, directory: DirectoryId, below: Vec<Moved>) {
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
}

/// The properties of a directory under another id.
pub(super) fn with_directory(blob: &Blob, id: DirectoryId) -> Option<Arc<PathProperties>> {
    blob.path.as_ref().map(|path| Arc::new(PathProperties { directory: Some(id), ..PathProperties::clone(path) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::permissions::PublicAccess;
    use crate::rules::encryption::{DefaultEncryption, Encryption};
    use crate::rules::lake::access::Caller;
    use crate::rules::metadata::Metadata;
    use crate::rules::retention::RetentionPolicy;
    use crate::rules::time::Timestamp;
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
