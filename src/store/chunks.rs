//! The bytes of a content on their way out, whichever kind of content it is.

use super::content::Slices;
use super::sparse::SparseSlices;
use bytes::Bytes;

/// The chunks of a part of a content, in order: shared, never copied.
#[derive(Clone, Debug)]
pub enum Chunks {
    /// Of a rope.
    Rope(Slices),
    /// Of a content with holes.
    Sparse(SparseSlices),
}

impl Iterator for Chunks {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        match self {
            Chunks::Rope(slices) => slices.next(),
            Chunks::Sparse(slices) => slices.next(),
        }
    }
}
