//! Lists of the blobs of a hierarchical namespace: of its files and directories, and of the deleted ones that can be restored.

use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::listing::Position;
use crate::rules::time::Timestamp;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use crate::services::blob::state::listing::ListedBlob;
use crate::services::blob::state::walk::WalkOptions;
use std::cmp::Ordering;

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
    /// Whether it contains names that only have uncommitted blocks.
    pub uncommitted: bool,
    /// The position of the first entry.
    pub start: Option<&'a Position>,
}

/// A path in a list: its name, and what it is.
pub type ListedPath<'a> = (String, ListedBlob<'a>);

/// The order of a walk: a directory comes right before what it contains.
fn compare(one: &str, other: &str) -> Ordering {
    one.split('/').cmp(other.split('/'))
}

/// Two ordered lists as one. Of equal names, that of the first list comes first.
fn merged<'a>(
    first: impl Iterator<Item = ListedPath<'a>>,
    second: impl Iterator<Item = ListedPath<'a>>,
) -> impl Iterator<Item = ListedPath<'a>> {
    let (mut first, mut second) = (first.peekable(), second.peekable());
    std::iter::from_fn(move || {
        let is_second = match (first.peek(), second.peek()) {
            (Some((name, _)), Some((other, _))) => compare(other, name) == Ordering::Less,
            (None, _) => true,
            (Some(_), None) => false,
        };
        if is_second { second.next() } else { first.next() }
    })
}

impl Container {
    /// The paths of a list, in the order of a walk.
    pub fn list_paths<'a>(&'a self, listing: PathListing<'a>, now: Timestamp) -> impl Iterator<Item = ListedPath<'a>> + use<'a> {
        // The deleted states of a name come before what exists there, as in a flat namespace: a position has the time of a deletion.
        let existing = merged(self.current_paths(listing, now), self.uncommitted_paths(listing, now).into_iter());
        merged(self.deleted_paths(listing, now), existing)
    }

    /// The names of a list that only have uncommitted blocks. The walk reads all directories of the list.
    fn uncommitted_paths(&self, listing: PathListing<'_>, now: Timestamp) -> Vec<ListedPath<'_>> {
        let (top, prefix) = listing.prefix.rsplit_once('/').unwrap_or(("", listing.prefix));
        let place = self.place(top, now).ok().filter(|_| listing.uncommitted);
        let Some(id) = place.and_then(|place| self.current(&place, now)?.directory()) else { return Vec::new() };
        let options = WalkOptions { recursive: true, from: "", prefix };
        let below = listing.recursive.then(|| self.walk(top, id, options, now)).into_iter().flatten();
        let below = below.filter_map(|(path, blob)| Some((path, blob.directory()?)));
        let in_directory = |(path, id): (String, DirectoryId)| {
            self.uncommitted.range(Place::in_directory(id)).filter_map(move |(place, _)| {
                let waiting = self.waiting(place, now).filter(|waiting| !waiting.blocks.is_empty())?;
                let name = if path.is_empty() { place.name().to_owned() } else { format!("{path}/{}", place.name()) };
                self.current(place, now).is_none().then_some((name, ListedBlob::Uncommitted(waiting.lease)))
            })
        };
        let named = std::iter::once((top.to_owned(), id)).chain(below).flat_map(in_directory);
        let is_listed = |name: &str| {
            name.starts_with(listing.prefix) && listing.start.is_none_or(|start| compare(&start.name, name) != Ordering::Greater)
        };
        let mut names: Vec<_> = named.filter(|(name, _)| is_listed(name)).collect();
        names.sort_by(|(one, _), (other, _)| compare(one, other));
        names
    }

    fn current_paths<'a>(&'a self, listing: PathListing<'a>, now: Timestamp) -> impl Iterator<Item = ListedPath<'a>> + use<'a> {
        let (directory, prefix) = listing.prefix.rsplit_once('/').unwrap_or(("", listing.prefix));
        let place = self.place(directory, now).ok().filter(|_| listing.current);
        let id = place.and_then(|place| self.current(&place, now)?.directory());
        let start = listing.start.map_or("", |start| start.name.as_str());
        // A position in another directory is before or after all that the list contains.
        let is_below = |below: &&str| directory.is_empty() || below.is_empty() || below.starts_with('/');
        let from = match start.strip_prefix(directory).filter(is_below) {
            Some(below) => Some(below.trim_start_matches('/')),
            None => (compare(start, directory) == Ordering::Less).then_some(""),
        };
        let walk = id
            .zip(from)
            .map(|(id, from)| self.walk(directory, id, WalkOptions { recursive: listing.recursive, from, prefix }, now));
        walk.into_iter().flatten().map(|(name, blob)| (name, ListedBlob::Blob(VersionSelector::Base, blob)))
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
        listed.take_while(move |_| listing.deleted).map(|(path, at, blob)| (path, ListedBlob::Blob(at, blob)))
    }
}
