//! What a share is made of: directories, files and symbolic links.

use crate::rules::metadata::Metadata;
use crate::rules::{etag::ETag, lease::Lease, posix::Posix, smb::Smb, smb::Sort, time::Timestamp};
use crate::store::sparse::Sparse;
use std::sync::Arc;

/// The name that a share itself has for a directory, a file or a link. It stays through every change, renames too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u64);

impl NodeId {
    /// The share's root directory.
    pub const ROOT: NodeId = NodeId(0);
    /// After all others.
    pub const LAST: NodeId = NodeId(u64::MAX);

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
    pub places: Vec<Place>,
    /// When this state was made: its Last-Modified and, in ticks, its entity tag.
    pub stamp: Timestamp,
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
pub struct Place {
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
    /// What a reader is told of them.
    pub headers: ContentHeaders,
    /// Where they were copied from, if they were.
    pub copy: Option<Arc<Copied>>,
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

/// What a file remembers of the copy that made it.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The copy's id.
    pub id: [u8; 16],
    /// The source's URL, without its signature.
    pub source: String,
    /// How many bytes were copied.
    pub bytes: u64,
    /// When it ended.
    pub completed: Timestamp,
}

impl Node {
    /// Its entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.stamp)
    }

    /// Whether it is a directory, as far as its attributes go.
    pub fn sort(&self) -> Sort {
        match self.body {
            Body::Directory => Sort::Directory,
            Body::File(_) | Body::Link(_) => Sort::File,
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
