//! What a container tells of its blobs as a whole: the blocks of a name, and the names in order.

use crate::operation::Request;
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease;
use crate::rules::lease::{Lease, LeasedResource};
use crate::rules::time::Timestamp;
use crate::services::blob::state::admission::Admitted;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::{BlobKey, Container, UncommittedBlocks};
use std::sync::Arc;

impl Container {
    /// Checks that there is no blob, no snapshot and no version: where blobs can be immutable, their container stays as long as it
    /// holds one, protected or not.
    ///
    /// # Errors
    /// 409 BlobImmutableDueToPolicy.
    pub fn check_empty(&self, now: Timestamp) -> Result<(), StorageError> {
        if self.blobs.values().any(|blob| blob.is_live(now)) { Err(ErrorCode::BlobImmutableDueToPolicy.into()) } else { Ok(()) }
    }

    /// The committed and the uncommitted blocks of the name that the call asks about.
    ///
    /// # Errors
    /// As [`Container::admit`]; 404 BlobNotFound when there are neither.
    pub fn block_lists(&self, request: &Request) -> Result<BlockLists, StorageError> {
        let (name, version) = request.target.blob()?;
        let staged = self.waiting(name, request.now).filter(|_| version == VersionSelector::Base);
        let mut waiting: Vec<_> = staged
            .map(|staged| staged.blocks.iter().map(|(id, block)| (id.clone(), block.content.len())).collect())
            .unwrap_or_default();
        // By the bytes that the ids stand for: programs commit blocks in the order of this list. It fits all recordings, where the order
        // of the base64 texts does not put digits before letters.
        waiting.sort_by_cached_key(|(id, _)| id.bytes());
        match (self.admit(request), staged) {
            (Ok(admitted), _) => Ok(BlockLists { blob: Some(admitted), waiting }),
            (Err(error), Some(staged)) if error.code() == ErrorCode::BlobNotFound => {
                lease::check(staged.lease, request.spec.lease, request.lease_id, LeasedResource::Blob, request.now)?;
                Ok(BlockLists { blob: None, waiting })
            }
            (Err(error), _) => Err(error),
        }
    }

    /// The blobs from a name on, in order: what a listing reads.
    pub fn list_from<'a>(
        &'a self,
        from: &str,
        also: ListInclude,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, ListedBlob<'a>)> + use<'a> {
        let mut blobs = self.states_from(from, also, now).peekable();
        let staged = also
            .uncommitted
            .then(|| self.uncommitted.range(Arc::<str>::from(from)..).filter(move |(_, staged)| staged.lives(now)));
        let mut staged = staged.into_iter().flatten().map(|(name, staged)| (&**name, staged.lease)).peekable();
        std::iter::from_fn(move || {
            loop {
                return match (blobs.peek(), staged.peek()) {
                    (Some((blob, _)), Some((waiting, _))) if blob == waiting => {
                        staged.next();
                        continue;
                    }
                    (Some((blob, _)), Some((waiting, _))) if blob < waiting => blobs.next(),
                    (_, Some(_)) => staged.next().map(|(name, lease)| (name, ListedBlob::Uncommitted(lease))),
                    (_, None) => blobs.next(),
                };
            }
        })
    }

    /// All states from a name on; after those of a name that is no blob's any more, if asked for, the last of its versions.
    fn states_from<'a>(
        &'a self,
        from: &str,
        also: ListInclude,
        now: Timestamp,
    ) -> impl Iterator<Item = (&'a str, ListedBlob<'a>)> + use<'a> {
        let mut states = self.blobs.range(BlobKey::first(from)..).peekable();
        let mut version: Option<(&str, &Arc<Blob>)> = None;
        std::iter::from_fn(move || {
            if let Some((name, last)) = version.take_if(|(name, _)| states.peek().is_none_or(|(next, _)| *next.name != **name)) {
                return Some((name, ListedBlob::VersionsOnly(last)));
            }
            let (key, blob) = states.next()?;
            match key.at {
                VersionSelector::Earlier(_, VersionKind::Version) if also.versions_only && blob.is_kept(now) => {
                    version = Some((&key.name, blob));
                }
                VersionSelector::Base if blob.is_live(now) => version = None,
                VersionSelector::Earlier(..) | VersionSelector::Base => {}
            }
            Some((&*key.name, ListedBlob::Blob(key.at, blob)))
        })
    }

    pub(super) fn waiting(&self, name: &str, now: Timestamp) -> Option<&UncommittedBlocks> {
        self.uncommitted.get(name).map(Arc::as_ref).filter(|staged| staged.lives(now))
    }
}

impl UncommittedBlocks {
    fn lives(&self, now: Timestamp) -> bool {
        now < self.end()
    }

    /// From when on they are gone.
    pub(super) fn end(&self) -> Timestamp {
        self.touched.after_seconds(blocks::UNCOMMITTED_SECONDS)
    }
}

/// The blocks of a name: those that make the blob, and those that wait to.
#[derive(Debug)]
pub struct BlockLists {
    /// The blob, if there is one.
    pub blob: Option<Admitted>,
    /// The uncommitted blocks in order of the bytes of their ids, and their sizes in bytes.
    pub waiting: Vec<(BlockId, u64)>,
}

/// What a listing shows beside blobs and their earlier states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListInclude {
    /// Names that only have blocks so far.
    pub uncommitted: bool,
    /// Names that have versions, and no blob any more.
    pub versions_only: bool,
}

/// What a listing meets.
#[derive(Clone, Copy, Debug)]
pub enum ListedBlob<'a> {
    /// A blob, or an earlier state of it; deleted ones too.
    Blob(VersionSelector, &'a Arc<Blob>),
    /// A name that has versions and no blob any more: the last of them.
    VersionsOnly(&'a Arc<Blob>),
    /// A name that has uncommitted blocks and no blob yet, and its lease.
    Uncommitted(Lease),
}
