//! Removal of what no request can reach: deleted states after their retention, expired blobs, and blocks that were never committed.
//!
//! Requests ignore such states by their time, without a timer. So that they do not stay in memory, every write to the container removes a
//! few of them: they are ordered by their end, so that a write compares one time if none is due.

use crate::rules::time::Timestamp;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Due, Place};
use std::sync::Arc;

/// The most entries that a write removes.
const MAX_REMOVED: usize = 16;

impl Container {
    /// Inserts a state, in place of the one with this key.
    pub(super) fn insert(&mut self, key: BlobKey, blob: Blob) -> Arc<Blob> {
        let blob = Arc::new(blob);
        self.due.extend(blob.end().map(|end| (end, Due::State(key.clone()))));
        if let Some(before) = self.blobs.insert(key.clone(), blob.clone()).filter(|before| before.end() != blob.end()) {
            self.forget(&before, key);
        }
        blob
    }

    /// Removes a state.
    pub(super) fn take(&mut self, key: &BlobKey) -> Option<Arc<Blob>> {
        let blob = self.blobs.remove(key)?;
        self.forget(&blob, key.clone());
        Some(blob)
    }

    fn forget(&mut self, blob: &Blob, key: BlobKey) {
        if let Some(end) = blob.end() {
            self.due.remove(&(end, Due::State(key)));
        }
    }

    /// Sets the uncommitted blocks of a place.
    pub(super) fn set_uncommitted(&mut self, place: Place, staged: UncommittedBlocks) {
        self.drop_uncommitted(&place);
        self.due.insert((staged.end(), Due::Uncommitted(place.clone())));
        self.uncommitted.insert(place, Arc::new(staged));
    }

    /// Deletes the uncommitted blocks of a place.
    pub(super) fn drop_uncommitted(&mut self, place: &Place) {
        if let Some(staged) = self.uncommitted.remove(place) {
            self.due.remove(&(staged.end(), Due::Uncommitted(place.clone())));
        }
    }

    /// Finds what ends at a time, in a container that was read from the disk.
    pub(super) fn schedule(&mut self) {
        let states = self.blobs.iter().filter_map(|(key, blob)| Some((blob.end()?, Due::State(key.clone()))));
        let uncommitted = self.uncommitted.iter().map(|(place, staged)| (staged.end(), Due::Uncommitted(place.clone())));
        self.due = states.chain(uncommitted).collect();
    }

    /// Removes some of what has ended.
    pub(super) fn sweep(&mut self, now: Timestamp) {
        for _ in 0..MAX_REMOVED {
            let Some(next) = self.due.get_min().filter(|(end, _)| *end <= now).cloned() else { break };
            // What a state ends with may have been removed in another way, as markers of discarded directories are.
            self.due.remove(&next);
            match next.1 {
                Due::State(key) => _ = self.take(&key).map(|ended| self.discard_contents(&ended)),
                Due::Uncommitted(place) => self.drop_uncommitted(&place),
            }
        }
        self.sweep_discarded(MAX_REMOVED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::auth::permissions::PublicAccess;
    use crate::rules::blob::blocks::{BlockId, UNCOMMITTED_SECONDS};
    use crate::rules::encryption::{DefaultEncryption, Encryption};
    use crate::rules::lake::access::Caller;
    use crate::rules::metadata::Metadata;
    use crate::rules::retention::RetentionPolicy;
    use crate::services::blob::body::Body;
    use crate::services::blob::path_properties::NewPath;
    use crate::services::blob::state::admission::{Admitted, Claimed};
    use crate::services::shared::content_headers::ContentHeaders;
    use crate::store::content::Content;

    const DAY: u64 = 24 * 60 * 60;
    const RETAINED: RetentionPolicy = RetentionPolicy { versions: false, days: Some(1) };

    fn start() -> Timestamp {
        Timestamp::from_unix(1_000_000, 0)
    }

    fn container() -> Container {
        Container::new(start(), Metadata::default(), PublicAccess::Private, DefaultEncryption::default())
    }

    fn claimed(name: &str) -> Claimed {
        Claimed {
            name: name.into(),
            place: Some(Place::flat(name)),
            current: None,
            encryption: Encryption::Service,
            path: NewPath::by(&Caller::SuperUser),
        }
    }

    fn put(container: &mut Container, name: &str, now: Timestamp, expires: Option<Timestamp>) -> Admitted {
        let body = Body::Block { content: Content::default(), blocks: Arc::default() };
        let make = |new: crate::services::blob::state::blob::NewBlob| new.blob(body, ContentHeaders::default()).expiring(expires);
        let blob = container.create(claimed(name), now, RETAINED, make).unwrap();
        Admitted { key: BlobKey::base(Place::flat(name)), blob }
    }

    #[test]
    fn writes_remove_what_has_ended() {
        let mut container = container();
        for n in 0..MAX_REMOVED + 5 {
            let admitted = put(&mut container, &format!("deleted{n:02}"), start(), None);
            container.remove(&admitted, None, false, start(), RETAINED).unwrap();
        }
        put(&mut container, "expiring", start(), Some(start().after_seconds(DAY)));
        container.stage(claimed("blocks"), BlockId::named("YQ=="), Content::default(), start()).unwrap();
        assert_eq!(
            (container.blobs.len(), container.uncommitted.len(), container.due.len()),
            (MAX_REMOVED + 6, 1, MAX_REMOVED + 7)
        );
        // Nothing is removed early, and then a limited number at a time.
        put(&mut container, "one", start().after_seconds(DAY - 1), None);
        assert_eq!(container.blobs.len(), MAX_REMOVED + 7);
        put(&mut container, "two", start().after_seconds(DAY), None);
        assert_eq!(container.blobs.len(), 6 + 2);
        put(&mut container, "three", start().after_seconds(DAY), None);
        assert_eq!((container.blobs.len(), container.uncommitted.len(), container.due.len()), (3, 1, 1));
        put(&mut container, "four", start().after_seconds(UNCOMMITTED_SECONDS), None);
        assert_eq!((container.uncommitted.len(), container.due.len()), (0, 0));
    }

    /// Markers of deleted directories are due after a restart, and whatever removes them, the rest is still removed.
    #[test]
    fn deleted_directories_hold_up_nothing_after_a_restart() {
        let mut container = container().with_hierarchy(&Caller::SuperUser, start());
        let claimed = |name: &str| Claimed { place: None, ..claimed(name) };
        let make = |new: crate::services::blob::state::blob::NewBlob| {
            let body = Body::Block { content: Content::default(), blocks: Arc::default() };
            new.blob(body, ContentHeaders::default()).expiring(Some(start().after_seconds(DAY)))
        };
        for n in 0..3 * MAX_REMOVED {
            container.create(claimed(&format!("d/{n:02}/f")), start(), RetentionPolicy::default(), make).unwrap();
        }
        container.create(claimed("f"), start(), RetentionPolicy::default(), make).unwrap();
        let directory = container.place("d", start()).unwrap();
        container.delete_path("d", &directory, start(), RetentionPolicy::default()).unwrap();
        // The directories in it become markers too.
        container.sweep_discarded(3 * MAX_REMOVED);
        container.schedule();
        while container.sweep_discarded(1) {}
        for _ in 0..10 {
            container.sweep(start().after_seconds(DAY));
        }
        assert_eq!((container.blobs.len(), container.due.len()), (1, 0));
    }

    #[test]
    fn restored_states_and_committed_blocks_are_not_due() {
        let mut container = container();
        let admitted = put(&mut container, "back", start(), None);
        container.remove(&admitted, None, false, start(), RETAINED).unwrap();
        container.undelete("back", start()).unwrap();
        for n in 0..3 {
            container.stage(claimed("blob"), BlockId::named("YQ=="), Content::default(), start().after_seconds(n)).unwrap();
        }
        assert_eq!(container.due.len(), 1);
        put(&mut container, "blob", start(), None);
        assert_eq!(container.due.len(), 0);
        put(&mut container, "later", start().after_seconds(400 * DAY), None);
        assert_eq!(container.blobs.len(), 3);
    }

    #[test]
    fn nothing_remains_of_a_deleted_directory() {
        const FILES: usize = 3000;
        for (retention, waited) in [(RetentionPolicy::default(), 0), (RETAINED, DAY + 1)] {
            let mut container = container().with_hierarchy(&Caller::SuperUser, start());
            for n in 0..FILES {
                let name = format!("d/{}/{n}", n % 10);
                let path = Claimed { place: None, ..claimed(&name) };
                if n % 3 == 0 {
                    container.stage(path, BlockId::named("YQ=="), Content::default(), start()).unwrap();
                } else {
                    let body = Body::Block { content: Content::default(), blocks: Arc::default() };
                    let make = |new: crate::services::blob::state::blob::NewBlob| new.blob(body, ContentHeaders::default());
                    container.create(path, start(), RETAINED, make).unwrap();
                }
            }
            let count = |container: &Container| (container.blobs.len(), container.uncommitted.len(), container.due.len());
            assert_eq!(count(&container), (12 + FILES * 2 / 3, FILES / 3, FILES / 3));
            let place = container.place("d", start()).unwrap();
            container.delete_path("d", &place, start(), retention).unwrap();
            container.sweep(start().after_seconds(waited));
            let mut steps = 1;
            while container.sweep_discarded(1000) {
                steps += 1;
            }
            assert_eq!((count(&container), steps), ((1, 0, 0), FILES / 1000 + 1), "{retention:?}");
        }
    }
}
