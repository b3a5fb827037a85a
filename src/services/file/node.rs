//! The nodes of a share: directories, files and symbolic links.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::file::posix::Posix;
use crate::rules::file::smb::{NodeKind, Smb};
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::copying::Progress;
use crate::store::cleared_ranges::Marks;
use crate::store::content::Content;
use crate::store::sparse::{Change, Sparse};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// The id of a node in its share. No change of the node changes it, and no rename.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(u64);

impl NodeId {
    /// The share's root directory.
    pub const ROOT: NodeId = NodeId(0);

    pub fn number(self) -> u64 {
        self.0
    }

    /// The id with this number.
    pub fn numbered(number: u64) -> NodeId {
        NodeId(number)
    }

    /// The next id.
    pub fn next(self) -> NodeId {
        NodeId(self.0 + 1)
    }

    /// `x-ms-file-id`: 0 for the root, and otherwise a large number whose bits count from the top (recorded).
    pub fn wire(self) -> u64 {
        match self {
            NodeId::ROOT => 0,
            NodeId(number) => 1 << 63 | number.reverse_bits() >> 1,
        }
    }
}

/// A state of a directory, a file or a link. A write replaces it with another under the same id.
#[derive(Clone, Debug)]
pub struct Node {
    pub id: NodeId,
    /// The names of the node: one, but several for a file with hard links, and none for the root. The first is the name in responses.
    pub places: Vec<NodeName>,
    /// Last-Modified and, in ticks, the entity tag.
    pub last_modified: Timestamp,
    pub body: Body,
    pub smb: Smb,
    /// Only in an NFS share.
    pub posix: Option<Arc<Posix>>,
    pub metadata: Metadata,
}

/// A name in a directory, as it was written.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeName {
    /// The directory.
    pub parent: NodeId,
    pub name: Arc<str>,
}

#[derive(Clone, Debug)]
pub enum Body {
    /// A directory. Its entries are in the share's tree.
    Directory,
    File(Box<File>),
    /// A symbolic link, and its target.
    Link(Arc<str>),
}

#[derive(Clone, Debug, Default)]
pub struct File {
    /// The bytes. Ranges that were never written are zeros, and occupy no space.
    pub content: Sparse,
    /// The cleared ranges, and when they were cleared. A listing of changes includes ranges that were written and cleared again since
    /// the snapshot (recorded).
    pub cleared: Marks,
    pub headers: ContentHeaders,
    /// The copy that created the file.
    pub copy: Option<Arc<FileCopy>>,
    pub lease: Lease,
}

/// The copy that created a file, or is creating it.
#[derive(Clone, Debug)]
pub struct FileCopy {
    pub id: [u8; 16],
    /// The source's URL, without its signature.
    pub source: String,
    /// The source's size in bytes.
    pub total: u64,
    pub progress: Progress,
}

/// The unit in which files occupy and free space, in bytes.
pub const SECTOR: u64 = 512;

impl File {
    /// Writes bytes at an offset.
    pub fn write(&mut self, start: u64, bytes: &Content, now: Timestamp) {
        self.cleared.unmark(&(start..start + bytes.len()));
        self.content.write(start, bytes, now);
    }

    /// Clears a range. Frees the whole sectors in it, and overwrites the rest with zeros.
    pub fn clear(&mut self, range: Range<u64>, now: Timestamp) {
        let end = if range.end == self.content.len() { range.end } else { range.end / SECTOR * SECTOR };
        let whole = range.start.next_multiple_of(SECTOR)..end;
        let zeros = |range: Range<u64>| Content::from(&vec![0; (range.end - range.start) as usize][..]);
        if whole.start >= whole.end {
            return self.write(range.start, &zeros(range), now);
        }
        self.write(range.start, &zeros(range.start..whole.start), now);
        self.write(whole.end, &zeros(whole.end..range.end), now);
        self.cleared.mark(whole.clone(), now);
        self.content.clear(whole);
    }

    /// Truncates the file, or extends it with zeros.
    pub fn resize(&mut self, size: u64) {
        self.cleared.unmark(&(size..u64::MAX));
        self.content.resize(size);
    }

    /// The changes in a range since an earlier state, in order. Without an earlier state, all written ranges.
    pub fn changes(&self, earlier: Option<(&File, Timestamp)>, range: Range<u64>) -> Vec<Change> {
        let Some((earlier, since)) = earlier else {
            return self.content.written(range).into_iter().map(Change::Written).collect();
        };
        let mut marks = Marks::default();
        let mut written = Vec::new();
        for change in self.content.changes(&earlier.content, since, range.clone()) {
            match change {
                Change::Written(_) => written.push(change),
                Change::Cleared(range) => marks.mark(range, Timestamp::NEVER),
            }
        }
        self.cleared.since(since, &range).into_iter().for_each(|range| marks.mark(range, Timestamp::NEVER));
        let mut cleared: Vec<Range<u64>> = Vec::new();
        for range in marks.since(since, &range) {
            match cleared.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => cleared.push(range),
            }
        }
        let mut changes: Vec<Change> = written.into_iter().chain(cleared.into_iter().map(Change::Cleared)).collect();
        changes.sort_by_key(|change| change.range().start);
        changes
    }
}

impl PartialEq for Node {
    /// A state equals only itself, whatever the contents of two states.
    fn eq(&self, other: &Node) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Node {
    pub fn etag(&self) -> ETag {
        ETag::of(self.last_modified)
    }

    /// The kind of the node: a link counts as a file.
    pub fn kind(&self) -> NodeKind {
        match self.body {
            Body::Directory => NodeKind::Directory,
            Body::File(_) | Body::Link(_) => NodeKind::File,
        }
    }

    /// The node as a file, if it is one.
    pub fn file(&self) -> Option<&File> {
        match &self.body {
            Body::File(file) => Some(file),
            Body::Directory | Body::Link(_) => None,
        }
    }

    /// The size in bytes, including ranges that were never written.
    pub fn size(&self) -> u64 {
        self.file().map_or(0, |file| file.content.len())
    }

    /// Checks that no copy to the file is pending.
    ///
    /// # Errors
    /// 409 PendingCopyOperation.
    pub fn check_settled(&self) -> Result<(), StorageError> {
        match self.file().and_then(|file| file.copy.as_ref()).is_some_and(|copy| copy.progress.is_pending()) {
            true => Err(ErrorCode::PendingCopyOperation.into()),
            false => Ok(()),
        }
    }

    /// The lease of a file; other nodes have none.
    pub fn lease(&self) -> Lease {
        self.file().map_or(Lease::default(), |file| file.lease)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_on_the_wire() {
        assert_eq!(NodeId::ROOT.wire(), 0);
        let ids: Vec<u64> = (1..=4).map(|number| NodeId(number).wire()).collect();
        assert_eq!(ids, [0xC000 << 48, 0xA000 << 48, 0xE000 << 48, 0x9000 << 48]);
    }
}
