//! The body of a blob, by its type.

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
