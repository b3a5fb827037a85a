//! Whether a hierarchical namespace is consistent: every directory is in exactly one place, and every path in a directory.

use crate::rules::blob::version_selector::VersionSelector;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use std::collections::{BTreeMap, BTreeSet};

/// What a hierarchical namespace contains, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consistency {
    /// The paths that exist, without the root directory, and those that expired.
    pub paths: usize,
    /// The deletions that are retained.
    pub deleted: usize,
    /// Sentences about damage.
    pub wrong: Vec<String>,
}

impl Container {
    /// Compares the paths of a hierarchical namespace with its directories; `None` in a flat one.
    pub fn consistency(&self) -> Option<Consistency> {
        let next = self.next_directory?;
        let mut found = Consistency::default();
        let mut directories: BTreeMap<DirectoryId, usize> = BTreeMap::new();
        // The directories that are in no other: the root, deleted ones, and those whose contents are being removed.
        let mut reachable = vec![DirectoryId::ROOT];
        for (key, blob) in &self.blobs {
            let is_inside = key.place.directory().is_some() && key.place != Place::root();
            found.paths += usize::from(is_inside);
            found.deleted += usize::from(key.place.deleted_path().is_some());
            if is_inside && key.at != VersionSelector::Base {
                found.wrong.push(format!("{:?} is an earlier state of a path", key.place.as_str()));
            }
            if let Some(directory) = blob.directory() {
                *directories.entry(directory).or_default() += 1;
                reachable.extend(Some(directory).filter(|_| !is_inside));
            }
        }
        if !self.blobs.contains_key(&BlobKey::base(Place::root())) {
            found.wrong.push("there is no root directory".to_owned());
        }
        for (id, times) in directories {
            if times > 1 {
                found.wrong.push(format!("directory {id} is in {times} places"));
            }
            if id >= next {
                found.wrong.push(format!("directory {id} has an id that the next directory gets, too"));
            }
        }
        let mut visited = BTreeSet::new();
        while let Some(directory) = reachable.pop() {
            if visited.insert(directory) {
                let below = self.blobs.range(BlobKey::in_directory(directory, ""));
                reachable.extend(below.filter_map(|(_, blob)| blob.directory()));
            }
        }
        let places = self.blobs.keys().map(|key| &key.place).chain(self.uncommitted.keys());
        let unreached = places.filter(|place| place.directory().is_some_and(|directory| !visited.contains(&directory)));
        let unreached: BTreeSet<&Place> = unreached.collect();
        if let Some(first) = unreached.first() {
            let count = unreached.len();
            found
                .wrong
                .push(format!("{count} paths are in directories that no path leads to, the first at {:?}", first.as_str()));
        }
        Some(found)
    }
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
    use crate::services::blob::state::blob::NewBlob;
    use crate::services::shared::content_headers::ContentHeaders;
    use crate::store::content::Content;
    use std::sync::Arc;

    fn now() -> Timestamp {
        Timestamp::from_unix(1_000_000, 0)
    }

    /// A container with the directories `a`, `a/b` and `c`, which have ids in this order, and a file in each.
    fn container() -> Container {
        let flat = Container::new(now(), Metadata::default(), PublicAccess::Private, DefaultEncryption::default());
        let mut container = flat.with_hierarchy(&Caller::SuperUser, now());
        for name in ["a/f", "a/b/f", "c/f"] {
            let path = NewPath::by(&Caller::SuperUser);
            let claimed = Claimed { name: name.into(), place: None, current: None, encryption: Encryption::Service, path };
            let body = Body::Block { content: Content::default(), blocks: Arc::default() };
            let make = |new: NewBlob| new.blob(body, ContentHeaders::default());
            container.create(claimed, now(), RetentionPolicy::default(), make).unwrap();
        }
        container
    }

    fn key(container: &Container, path: &str) -> BlobKey {
        BlobKey::base(container.place(path, now()).unwrap())
    }

    #[test]
    fn operations_leave_a_namespace_consistent() {
        let sound = |container: &Container, paths, deleted| {
            assert_eq!(container.consistency(), Some(Consistency { paths, deleted, wrong: Vec::new() }));
        };
        let mut container = container();
        sound(&container, 6, 0);
        let place = container.place("a/b", now()).unwrap();
        container.delete_path("a/b", &place, now(), RetentionPolicy { versions: false, days: Some(1) }).unwrap();
        sound(&container, 5, 1);
        let place = container.place("a", now()).unwrap();
        container.delete_path("a", &place, now(), RetentionPolicy::default()).unwrap();
        sound(&container, 4, 1);
        container.sweep_discarded(100);
        sound(&container, 3, 1);
        container.sweep(now().after_seconds(2 * 24 * 60 * 60));
        sound(&container, 2, 0);
        let flat = Container::new(now(), Metadata::default(), PublicAccess::Private, DefaultEncryption::default());
        assert_eq!(flat.consistency(), None);
    }

    #[test]
    fn damage_is_found() {
        let damaged = |damage: fn(&mut Container), expected: &str| {
            let mut container = container();
            damage(&mut container);
            assert_eq!(container.consistency().unwrap().wrong, [expected]);
        };
        damaged(
            |container| _ = container.take(&key(container, "a")),
            r#"3 paths are in directories that no path leads to, the first at "0000000001/b""#,
        );
        damaged(
            |container| {
                let blob = container.blobs[&key(container, "a")].clone();
                container.blobs.insert(BlobKey::base(Place::within(DirectoryId::ROOT, "copy")), blob);
            },
            "directory 0000000001 is in 2 places",
        );
        damaged(
            |container| {
                let blob = container.take(&key(container, "a")).unwrap();
                let inside = Place::within(DirectoryId::ROOT.next().next(), "circle");
                container.blobs.insert(BlobKey::base(inside), blob);
            },
            r#"4 paths are in directories that no path leads to, the first at "0000000001/b""#,
        );
        damaged(
            |container| container.next_directory = Some(DirectoryId::ROOT.next().next().next()),
            "directory 0000000003 has an id that the next directory gets, too",
        );
        damaged(|container| _ = container.take(&BlobKey::base(Place::root())), "there is no root directory");
    }
}
