//! What a container tells of its blobs as a whole: the blocks of a name, and the names in order.

use super::blob::Blob;
use super::door::{Admitted, asked_state};
use super::{At, Container, Key, Staged};
use crate::op::Call;
use crate::rules::{
    blocks::{self, BlockId},
    fault::{Code, Fault},
    time::Timestamp,
};
use std::sync::Arc;

impl Container {
    /// The committed and the uncommitted blocks of the name that the call asks about.
    ///
    /// # Errors
    /// As [`Container::admit`]; 404 BlobNotFound when there are neither.
    pub fn block_lists(&self, call: &Call) -> Result<BlockLists, Fault> {
        let waiting: Vec<_> = self
            .waiting(call.blob(), call.now)
            .filter(|_| asked_state(call) == Ok(At::Base))
            .map(|staged| staged.blocks.iter().map(|(id, content)| (id.clone(), content.len())).collect())
            .unwrap_or_default();
        match self.admit(call) {
            Ok(admitted) => Ok(BlockLists { blob: Some(admitted), waiting }),
            Err(fault) if fault.code() == Code::BlobNotFound && !waiting.is_empty() => Ok(BlockLists { blob: None, waiting }),
            Err(fault) => Err(fault),
        }
    }

    /// The blobs from a name on, in order: what a listing reads. With `uncommitted`, names that only have blocks come too.
    pub fn list_from<'a>(
        &'a self,
        from: &str,
        uncommitted: Option<Timestamp>,
    ) -> impl Iterator<Item = (&'a str, Listed<'a>)> + use<'a> {
        let first = Key::first(from);
        let mut blobs = self.blobs.range(first..).map(|(key, blob)| (&*key.name, Listed::Blob(key.at, blob))).peekable();
        let staged =
            uncommitted.map(|now| self.staged.range(Arc::<str>::from(from)..).filter(move |(_, staged)| staged.lives(now)));
        let mut staged = staged.into_iter().flatten().map(|(name, _)| &**name).peekable();
        std::iter::from_fn(move || {
            loop {
                return match (blobs.peek(), staged.peek()) {
                    (Some((blob, _)), Some(waiting)) if blob == waiting => {
                        staged.next();
                        continue;
                    }
                    (Some((blob, _)), Some(waiting)) if waiting < blob => staged.next().map(|name| (name, Listed::Uncommitted)),
                    (None, Some(_)) => staged.next().map(|name| (name, Listed::Uncommitted)),
                    _ => blobs.next(),
                };
            }
        })
    }

    pub(super) fn waiting(&self, name: &str, now: Timestamp) -> Option<&Staged> {
        self.staged.get(name).map(Arc::as_ref).filter(|staged| staged.lives(now))
    }
}

impl Staged {
    fn lives(&self, now: Timestamp) -> bool {
        now < self.touched.after_seconds(blocks::UNCOMMITTED_SECONDS)
    }
}

/// The blocks of a name: those that make the blob, and those that wait to.
#[derive(Debug)]
pub struct BlockLists {
    /// The blob, if there is one.
    pub blob: Option<Admitted>,
    /// The uncommitted blocks in order of their ids, and their sizes in bytes.
    pub waiting: Vec<(BlockId, u64)>,
}

/// What a listing meets.
#[derive(Clone, Copy, Debug)]
pub enum Listed<'a> {
    /// A blob, or an earlier state of it; deleted ones too.
    Blob(At, &'a Arc<Blob>),
    /// A name that has uncommitted blocks and no blob yet.
    Uncommitted,
}
