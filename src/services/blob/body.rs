//! The body of a blob, by its type, and the headers that describe it.

use crate::rules::blob::blocks::BlockId;
use crate::store::chunks::Chunks;
use crate::store::content::Content;
use crate::store::sparse::Sparse;
use std::ops::Range;
use std::sync::Arc;

/// The body of a blob, by its type.
#[derive(Clone, Debug)]
pub enum Body {
    /// A block blob.
    Block {
        content: Content,
        /// The committed blocks in order, which together are the content; empty if the blob was written by Put Blob.
        blocks: Arc<[Block]>,
    },
    /// An append blob.
    Append {
        /// It has no holes; a sparse content is cheap to append to.
        content: Sparse,
        /// The number of appended blocks.
        blocks: u32,
        sealed: bool,
    },
    /// A page blob.
    Page {
        content: Sparse,
        /// The sequence number.
        sequence: u64,
    },
}

impl Body {
    /// The type's name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            Body::Block { .. } => "BlockBlob",
            Body::Append { .. } => "AppendBlob",
            Body::Page { .. } => "PageBlob",
        }
    }

    /// The size in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Body::Block { content, .. } => content.len(),
            Body::Append { content, .. } | Body::Page { content, .. } => content.len(),
        }
    }

    /// The bytes of a range.
    pub fn slice(&self, range: Range<u64>) -> Chunks {
        match self {
            Body::Block { content, .. } => content.slice(range).into(),
            Body::Append { content, .. } | Body::Page { content, .. } => content.slice(range).into(),
        }
    }

    /// The content of a page or append blob.
    pub fn sparse(&self) -> Option<&Sparse> {
        match self {
            Body::Append { content, .. } | Body::Page { content, .. } => Some(content),
            Body::Block { .. } => None,
        }
    }

    /// The committed blocks of a block blob.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Body::Block { blocks, .. } => blocks,
            Body::Append { .. } | Body::Page { .. } => &[],
        }
    }
}

/// A committed block.
#[derive(Clone, Debug)]
pub struct Block {
    pub id: BlockId,
    pub content: Content,
}

/// The headers that describe the content of a blob.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentHeaders {
    /// Content-Type: application/octet-stream if absent, none if empty (it was cleared).
    pub content_type: Option<Box<str>>,
    pub encoding: Option<Box<str>>,
    pub language: Option<Box<str>>,
    /// Content-MD5 as the client wrote it, which may be no MD5 (recorded).
    pub md5: Option<Box<str>>,
    pub cache_control: Option<Box<str>>,
    pub disposition: Option<Box<str>>,
}

impl ContentHeaders {
    /// These headers, and where one is absent, the other's.
    pub fn over(self, other: &ContentHeaders) -> ContentHeaders {
        ContentHeaders {
            content_type: self.content_type.or_else(|| other.content_type.clone()),
            encoding: self.encoding.or_else(|| other.encoding.clone()),
            language: self.language.or_else(|| other.language.clone()),
            md5: self.md5.or_else(|| other.md5.clone()),
            cache_control: self.cache_control.or_else(|| other.cache_control.clone()),
            disposition: self.disposition.or_else(|| other.disposition.clone()),
        }
    }
}
