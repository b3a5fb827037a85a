//! Lists of the blobs of a hierarchical namespace: of its files and directories, and of the deleted ones that can be restored.

use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::listing::Position;
use crate::rules::time::Timestamp;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, Place};
use crate::services::blob::state::walk::WalkOptions;
use std::cmp::Ordering;
use std::sync::Arc;

/// What a list of a hierarchical namespace contains.
#[derive(Clone, Copy, Debug)]
pub struct PathListing<'a> {
    /// The prefix of the paths.
    pub prefix: &'a str,
    /// Whether it contains what lies in directories below that of the prefix.
    pub recursive: bool,
    /// Whether it contains paths that exist.
    pub current: bool,
    /// Whether it contains deleted paths.
    pub deleted: bool,
    /// The position of the first entry.
    pub start: Option<&'a Position>,
}

/// A path in a list: its name, its deletion if it is deleted, and what it is.
pub type ListedPath<'a> = (String, VersionSelector, &'a Arc<Blob>);

/// The order of a walk: a directory comes right before what it contains.
fn compare(one: &str, other: &str) -> Ordering {
    one.split('/').cmp(other.split('/'))
}

impl Container {
    /// The paths of a list, in the order of a walk.
    pub fn list_paths<'a>(&'a self, listing: PathListing<'a>, now: Timestamp) -> impl Iterator<Item = ListedPath<'a>> + use<'a> {
        let mut current = self.current_paths(listing, now).peekable();
        let mut deleted = self.deleted_paths(listing, now).peekable();
        std::iter::from_fn(move || {
            let first_is_deleted = match (current.peek(), deleted.peek()) {
                (Some((name, ..)), Some((other, ..))) => compare(other, name) == Ordering::Less,
                (None, _) => true,
                (Some(_), None) => false,
            };
            if first_is_deleted { deleted.next() } else { current.next() }
        })
    }

    fn current_paths<'a>(&'a self, listing: PathListing<'a>, now: Timestamp) -> impl Iterator<Item = ListedPath<'a>> + use<'a> {
        let (directory, prefix) = listing.prefix.rsplit_once('/').unwrap_or(("", listing.prefix));
        let place = self.place(directory, now).ok().filter(|_| listing.current);
        let id = place.and_then(|place| self.current(&place, now)?.directory());
        let start = listing.start.map_or("", |start| start.name.as_str());
        // A position in another directory is before or after all that the list contains.
        let from = match start.strip_prefix(directory) {
            Some(below) => Some(below.trim_start_matches('/')),
            None => (compare(start, directory) == Ordering::Less).then_some(""),
        };
        let walk = id
            .zip(from)
            .map(|(id, from)| self.walk(directory, id, WalkOptions { recursive: listing.recursive, from, prefix }, now));
        walk.into_iter().flatten().map(|(name, blob)| (name, VersionSelector::Base, blob))
    }

    fn deleted_paths<'a>(&'a self, listing: PathListing<'a>, now: Timestamp) -> impl Iterator<Item = ListedPath<'a>> + use<'a> {
        let from = listing.start.map_or(listing.prefix, |start| start.name.as_str());
        let from = if compare(from, listing.prefix) == Ordering::Less { listing.prefix } else { from };
        let time = listing.start.map_or(Timestamp::default(), |start| start.time);
        let range = self.blobs.range(BlobKey::first(Place::deleted(from))..);
        let listed =
            range.map_while(|(key, blob)| Some((key.place.deleted_path()?, key.at, blob))).filter(move |(path, at, blob)| {
                path.starts_with(listing.prefix) && blob.is_retained(now) && (path != from || at.time() >= time)
            });
        listed.take_while(move |_| listing.deleted)
    }
}
