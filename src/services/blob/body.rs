//! What a blob is made of: bytes by its type, and the headers that describe them.

use crate::rules::blob::blocks::BlockId;
use crate::store::chunks::Chunks;
use crate::store::content::Content;
use crate::store::sparse::Sparse;
use std::ops::Range;
use std::sync::Arc;

/// The bytes of a blob, by its type.
#[derive(Clone, Debug)]
pub enum Body {
    /// A block blob.
    Block {
        /// Its bytes.
        content: Content,
        /// The committed blocks in order, which together are its bytes; none when it was written whole.
        blocks: Arc<[Block]>,
    },
    /// An append blob.
    Append {
        /// Its bytes: never a hole, but cheap to add to.
        content: Sparse,
        /// How many blocks were appended.
        blocks: u32,
        /// Whether it takes no more.
        sealed: bool,
    },
    /// A page blob.
    Page {
        /// Its pages.
        content: Sparse,
        /// Its sequence number.
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

    /// How many bytes there are.
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

    /// The pages of a page blob, the bytes of an append blob.
    pub fn sparse(&self) -> Option<&Sparse> {
        match self {
            Body::Append { content, .. } | Body::Page { content, .. } => Some(content),
            Body::Block { .. } => None,
        }
    }

    /// The committed blocks, which only a block blob has.
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
    /// Its id.
    pub id: BlockId,
    /// Its bytes.
    pub content: Content,
}

/// The headers that describe a content to whoever reads it. Each may be absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentHeaders {
    /// Content-Type; absent: application/octet-stream; empty once it was cleared.
    pub content_type: Option<Box<str>>,
    /// Content-Encoding.
    pub encoding: Option<Box<str>>,
    /// Content-Language.
    pub language: Option<Box<str>>,
    /// Content-MD5, as it was given: recorded values are no MD5 at all.
    pub md5: Option<Box<str>>,
    /// Cache-Control.
    pub cache_control: Option<Box<str>>,
    /// Content-Disposition.
    pub disposition: Option<Box<str>>,
}

impl ContentHeaders {
    /// These, and where one is absent, the other's.
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
