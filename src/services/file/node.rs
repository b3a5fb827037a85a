//! What a share is made of: directories, files and symbolic links.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::etag::ETag;
use crate::rules::file::posix::Posix;
use crate::rules::file::smb::{NodeKind, Smb};
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::shared::copying::Progress;
use crate::store::cleared_ranges::Marks;
use crate::store::content::Content;
use crate::store::sparse::{Change, Sparse};
use std::ops::Range;
use std::sync::Arc;

/// The name that a share itself has for a directory, a file or a link. It stays through every change, renames too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u64);

impl NodeId {
    /// The share's root directory.
    pub const ROOT: NodeId = NodeId(0);
    /// After all others.
    pub const LAST: NodeId = NodeId(u64::MAX);

    /// Its number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// The id of this number.
    pub fn numbered(number: u64) -> NodeId {
        NodeId(number)
    }

    /// The next one.
    pub fn next(self) -> NodeId {
        NodeId(self.0 + 1)
    }

    /// `x-ms-file-id`. Recorded: the root is 0, and all others are large numbers whose bits count from the top.
    pub fn wire(self) -> u64 {
        match self {
            NodeId::ROOT => 0,
            NodeId(number) => 1 << 63 | number.reverse_bits() >> 1,
        }
    }
}

/// A directory, a file or a link. It never changes; a write makes another under the same id.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its id.
    pub id: NodeId,
    /// Where it stands: in one directory under one name, unless a file has several hard links. The first one is what it is called.
    pub places: Vec<NodeName>,
    /// When this state was made: its Last-Modified and, in ticks, its entity tag.
    pub last_modified: Timestamp,
    /// What it is.
    pub body: Body,
    /// What it has because Windows knows it.
    pub smb: Smb,
    /// What it has because Unix knows it, in a share that is served over NFS.
    pub posix: Option<Arc<Posix>>,
    /// Its metadata.
    pub metadata: Metadata,
}

/// A directory, and a name in it as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeName {
    /// The directory.
    pub parent: NodeId,
    /// The name.
    pub name: Arc<str>,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Body {
    /// A directory. What is in it is not told here, but by the share's names.
    Directory,
    /// A file.
    File(Box<File>),
    /// A symbolic link, and the text that it leads to.
    Link(Arc<str>),
}

/// A file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its bytes. What was never written is zeros, and takes no room.
    pub content: Sparse,
    /// Which of them were cleared, and when: recorded, a difference tells even what was a hole before it was written and cleared.
    pub cleared: Marks,
    /// What a reader is told of them.
    pub headers: ContentHeaders,
    /// Where they were copied from, if they were.
    pub copy: Option<Arc<FileCopy>>,
    /// Who may write.
    pub lease: Lease,
}

/// The headers that describe a content to whoever reads it. Each may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentHeaders {
    /// Content-Type.
    pub content_type: Option<Box<str>>,
    /// Content-Encoding.
    pub encoding: Option<Box<str>>,
    /// Content-Language.
    pub language: Option<Box<str>>,
    /// Cache-Control.
    pub cache_control: Option<Box<str>>,
    /// Content-MD5, as it was given: recorded values are no MD5 at all.
    pub md5: Option<Box<str>>,
    /// Content-Disposition.
    pub disposition: Option<Box<str>>,
}

/// What a file remembers of the copy that made it, or is making it.
#[derive(Clone, Debug)]
pub struct FileCopy {
    /// The copy's id.
    pub id: [u8; 16],
    /// The source's URL, without its signature.
    pub source: String,
    /// The source's size in bytes.
    pub total: u64,
    /// How far it is.
    pub progress: Progress,
}

/// The unit in which files take space and give it back.
pub const SECTOR: u64 = 512;

impl File {
    /// Writes bytes over what was there.
    pub fn write(&mut self, start: u64, bytes: &Content, now: Timestamp) {
        self.cleared.unmark(&(start..start + bytes.len()));
        self.content.write(start, bytes, now);
    }

    /// Makes a range zeros. The whole sectors in it are given back; of others the part is overwritten.
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

    /// Cuts off what lies beyond the new size, or adds zeros up to it.
    pub fn resize(&mut self, size: u64) {
        self.cleared.unmark(&(size..u64::MAX));
        self.content.resize(size);
    }

    /// What changed in a range since an earlier state was current, in order. Without an earlier state, all that was ever written.
    pub fn changes(&self, earlier: Option<(&File, Timestamp)>, range: Range<u64>) -> Vec<Change> {
        let Some((earlier, since)) = earlier else {
            return self.content.written(range).into_iter().map(Change::Written).collect();
        };
        let mut gone = Marks::default();
        let mut written = Vec::new();
        for change in self.content.changes(&earlier.content, since, range.clone()) {
            match change {
                Change::Written(_) => written.push(change),
                Change::Cleared(range) => gone.mark(range, Timestamp::NEVER),
            }
        }
        self.cleared.since(since, &range).into_iter().for_each(|range| gone.mark(range, Timestamp::NEVER));
        let mut cleared: Vec<Range<u64>> = Vec::new();
        for range in gone.since(since, &range) {
            match cleared.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => cleared.push(range),
            }
        }
        let mut changes: Vec<Change> = written.into_iter().chain(cleared.into_iter().map(Change::Cleared)).collect();
        changes.sort_by_key(|change| match change {
            Change::Written(range) | Change::Cleared(range) => range.start,
        });
        changes
    }
}

impl PartialEq for Node {
    /// A node is equal to itself alone: of two states one is never taken for the other, whatever is in them.
    fn eq(&self, other: &Node) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Node {
    /// Its entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.last_modified)
    }

    /// Whether it is a directory, as far as its attributes go.
    pub fn sort(&self) -> NodeKind {
        match self.body {
            Body::Directory => NodeKind::Directory,
            Body::File(_) | Body::Link(_) => NodeKind::File,
        }
    }

    /// The file that it is, if it is one.
    pub fn file(&self) -> Option<&File> {
        match &self.body {
            Body::File(file) => Some(file),
            Body::Directory | Body::Link(_) => None,
        }
    }

    /// How many bytes it has, holes and all.
    pub fn size(&self) -> u64 {
        self.file().map_or(0, |file| file.content.len())
    }

    /// Checks that no copy is at work on it.
    ///
    /// # Errors
    /// 409 PendingCopyOperation.
    pub fn check_settled(&self) -> Result<(), StorageError> {
        match self.file().and_then(|file| file.copy.as_ref()).is_some_and(|copy| copy.progress.is_pending()) {
            true => Err(ErrorCode::PendingCopyOperation.into()),
            false => Ok(()),
        }
    }

    /// Its lease, which only a file has.
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
