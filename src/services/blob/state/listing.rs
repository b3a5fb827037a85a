//! Lists: the blocks of a name, and the blobs of a container in order of their names.

use crate::operation::Request;
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::PathKind;
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::time::Timestamp;
use crate::services::blob::state::admission::Admitted;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Place};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Container {
    /// Checks that there is no blob, no snapshot and no version. In an account with immutability, a container that has one cannot be
    /// deleted, protected or not.
    ///
    /// # Errors
    /// 409 BlobImmutableDueToPolicy.
    pub fn check_empty(&self, now: Timestamp) -> Result<(), StorageError> {
        if self.blobs.values().any(|blob| blob.is_live(now)) { Err(ErrorCode::BlobImmutableDueToPolicy.into()) } else { Ok(()) }
    }

    /// Checks that no blob, snapshot or version is protected, also in an account that no longer has immutability.
    ///
    /// # Errors
    /// 409 BlobImmutableDueToLegalHold, or BlobImmutableDueToPolicy before a policy's end.
    pub fn check_unprotected(&self, now: Timestamp) -> Result<(), StorageError> {
        self.blobs.values().filter(|blob| blob.is_live(now)).try_for_each(|blob| blob.protection.admits_removal(now))
    }

    /// The committed and the uncommitted blocks of the name in the request.
    ///
    /// # Errors
    /// As [`Container::admit`]; 404 BlobNotFound when there are neither.
    pub fn block_lists(&self, request: &Request) -> Result<BlockLists, StorageError> {
        let (name, version) = request.target.blob()?;
        let place = self.place(name, request.now).ok().filter(|_| version == VersionSelector::Base);
        let staged = place.and_then(|place| self.waiting(&place, request.now));
        let mut uncommitted: Vec<_> = staged
            .map(|staged| staged.blocks.iter().map(|(id, block)| (id.clone(), block.content.len())).collect())
            .unwrap_or_default();
        // In the order of the decoded ids, which agrees with all recordings; the order of the base64 texts does not. Clients commit
        // blocks in the order of this list.
        uncommitted.sort_by_cached_key(|(id, _)| id.bytes());
        match (self.admit(request), staged) {
            (Ok(admitted), _) => Ok(BlockLists { blob: Some(admitted), uncommitted }),
            (Err(error), Some(staged)) if error.code() == ErrorCode::BlobNotFound => {
                lease::check(staged.lease, request.spec.lease, request.lease_id, LeasedResource::Blob, request.now)?;
                Ok(BlockLists { blob: None, uncommitted })
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The blobs from a name on, in order.
    pub fn list_from<'a>(
        &'a self,
        from: &str,
        also: ListInclude,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, ListedBlob<'a>)> + use<'a> {
        let mut blobs = self.states_from(from, also, now).peekable();
        let staged =
            also.uncommitted.then(|| self.uncommitted.range(Place::flat(from)..).filter(move |(_, staged)| staged.is_live(now)));
        let mut staged = staged.into_iter().flatten().map(|(place, staged)| (place.as_str(), staged.lease)).peekable();
        std::iter::from_fn(move || {
            loop {
                return match (blobs.peek(), staged.peek()) {
                    (Some((blob, listed)), Some((name, _))) if blob == name && listed.is_current(now) => {
                        staged.next();
                        continue;
                    }
                    (Some((blob, _)), Some((name, _))) if blob <= name => blobs.next(),
                    (_, Some(_)) => staged.next().map(|(name, lease)| (name, ListedBlob::Uncommitted(lease))),
                    (_, None) => blobs.next(),
                };
            }
        })
    }

    /// All states from a name on. If versions-only names are included, the last version of a deleted blob comes once more, after its other
    /// states.
    fn states_from<'a>(
        &'a self,
        from: &str,
        also: ListInclude,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, ListedBlob<'a>)> + use<'a> {
        let mut states = self.blobs.range(BlobKey::first(Place::flat(from))..).peekable();
        let mut version: Option<(&str, &Arc<Blob>)> = None;
        std::iter::from_fn(move || {
            if let Some((name, last)) =
                version.take_if(|(name, _)| states.peek().is_none_or(|(next, _)| next.place.as_str() != *name))
            {
                return Some((name, ListedBlob::VersionsOnly(last)));
            }
            let (key, blob) = states.next()?;
            match key.at {
                VersionSelector::Earlier(_, VersionKind::Version) if also.versions_only && blob.is_retained(now) => {
                    version = Some((key.place.as_str(), blob));
                }
                VersionSelector::Base if blob.is_live(now) => version = None,
                VersionSelector::Earlier(..) | VersionSelector::Base => {}
            }
            Some((key.place.as_str(), ListedBlob::Blob(key.at, blob)))
        })
    }

    /// The paths below a directory of a flat namespace: blobs, and the directories that their names imply, each with the first blob in it
    /// and whether it is a directory. The walk reads all names from that of the directory on.
    pub fn flat_paths(&self, directory: &str, recursive: bool, now: Timestamp) -> Vec<(String, &Arc<Blob>, bool)> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let (mut paths, mut known) = (Vec::new(), BTreeSet::new());
        for (name, listed) in self.list_from(&prefix, ListInclude::default(), now) {
            let Some(below) = name.strip_prefix(prefix.as_str()) else { break };
            let ListedBlob::Blob(VersionSelector::Base, blob) = listed else { continue };
            if !blob.is_live(now) || below.is_empty() {
                continue;
            }
            let ends: Vec<usize> = below.match_indices('/').map(|(at, _)| at).collect();
            for end in ends.iter().take(if recursive { ends.len() } else { 1 }) {
                let implied = below.get(..*end).filter(|path| !path.is_empty() && known.insert((*path).to_owned()));
                paths.extend(implied.map(|path| (format!("{prefix}{path}"), blob, true)));
            }
            let is_directory = blob.path_kind() == PathKind::Directory;
            if (recursive || ends.is_empty()) && !below.ends_with('/') && (!is_directory || known.insert(below.to_owned())) {
                paths.push((name.to_owned(), blob, is_directory));
            }
        }
        paths
    }

    /// The uncommitted data of a place. Blocks can wait for their blob, but appends are part of a file and gone with it when it expires.
    pub(super) fn waiting(&self, place: &Place, now: Timestamp) -> Option<&UncommittedBlocks> {
        let staged = self.uncommitted.get(place).map(Arc::as_ref).filter(|staged| staged.is_live(now))?;
        (!staged.blocks.is_empty() || self.current(place, now).is_some()).then_some(staged)
    }
}

impl UncommittedBlocks {
    fn is_live(&self, now: Timestamp) -> bool {
        now < self.end()
    }

    /// When they expire.
    pub(super) fn end(&self) -> Timestamp {
        self.last_modified.after_seconds(blocks::UNCOMMITTED_SECONDS)
    }
}

/// The blocks of a name.
#[derive(Debug)]
pub struct BlockLists {
    /// The blob, if there is one.
    pub blob: Option<Admitted>,
    /// The uncommitted blocks in order of the bytes of their ids, and their sizes in bytes.
    pub uncommitted: Vec<(BlockId, u64)>,
}

/// The names that a listing includes besides those of blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListInclude {
    /// Names that have uncommitted blocks and no blob.
    pub uncommitted: bool,
    /// Names that only have versions.
    pub versions_only: bool,
}

/// An entry of a listing.
#[derive(Clone, Copy, Debug)]
pub enum ListedBlob<'a> {
    /// A blob, or an earlier state of it, deleted or not.
    Blob(VersionSelector, &'a Arc<Blob>),
    /// The last version of a name that only has versions.
    VersionsOnly(&'a Arc<Blob>),
    /// The lease of a name that has uncommitted blocks and no blob, or only a deleted one.
    Uncommitted(Lease),
}

/// The time by which a listing orders a deleted blob, or a name that only has versions.
const DELETED: Timestamp = Timestamp::from_ticks(Timestamp::NEVER.ticks() - 1);

impl ListedBlob<'_> {
    /// Returns true for the blob itself, neither deleted nor expired.
    fn is_current(&self, now: Timestamp) -> bool {
        matches!(self, ListedBlob::Blob(VersionSelector::Base, blob) if blob.is_live(now))
    }

    /// The time by which a listing orders it: a deleted blob comes after its earlier states, and before uncommitted blocks of its name.
    pub fn time(&self) -> Timestamp {
        match self {
            ListedBlob::Blob(VersionSelector::Base, blob) if blob.deleted.is_some() => DELETED,
            ListedBlob::Blob(at, _) => at.time(),
            ListedBlob::VersionsOnly(_) => DELETED,
            ListedBlob::Uncommitted(_) => Timestamp::NEVER,
        }
    }
}
