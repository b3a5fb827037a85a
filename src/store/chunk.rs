//! A piece of content: immutable bytes in memory or on disk, or zeros.

use crate::store::disk::extents::ExtentSlice;
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Some bytes, wherever they lie. Parts of them and copies share them.
#[derive(Clone, Debug)]
pub enum Chunk {
    /// In memory.
    Memory(Bytes),
    /// On disk: a range of what was written there at once.
    Disk(Arc<ExtentSlice>, Range<u32>),
    /// Nowhere: so many zeros, at most [`ZEROS`].
    Zeros(u32),
}

/// The largest piece of a hole that is handed out at once, in bytes.
pub const ZEROS: u32 = 64 << 10;
static ZERO: [u8; ZEROS as usize] = [0; ZEROS as usize];

impl Chunk {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Chunk::Memory(bytes) => bytes.len(),
            Chunk::Disk(_, range) => range.len(),
            Chunk::Zeros(count) => *count as usize,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part of them. What lies past the end is left out.
    pub fn slice(&self, range: Range<usize>) -> Chunk {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match self {
            Chunk::Memory(bytes) => Chunk::Memory(bytes.slice(start..end)),
            Chunk::Disk(piece, within) => Chunk::Disk(piece.clone(), within.start + start as u32..within.start + end as u32),
            Chunk::Zeros(_) => Chunk::Zeros((end - start) as u32),
        }
    }

    /// The bytes themselves.
    ///
    /// # Errors
    /// Those of the disk; InvalidData when it does not have what was written to it.
    pub fn read(&self) -> io::Result<Bytes> {
        match self {
            Chunk::Memory(bytes) => Ok(bytes.clone()),
            Chunk::Disk(piece, range) => Ok(piece.read()?.slice(range.start as usize..range.end as usize)),
            Chunk::Zeros(count) => Ok(Bytes::from_static(ZERO.get(..*count as usize).unwrap_or(&ZERO))),
        }
    }
}

impl PartialEq for Chunk {
    /// Chunks are equal when they are the same bytes at the same place.
    fn eq(&self, other: &Chunk) -> bool {
        match (self, other) {
            (Chunk::Memory(one), Chunk::Memory(two)) => (one.as_ptr(), one.len()) == (two.as_ptr(), two.len()),
            (Chunk::Disk(one, part), Chunk::Disk(two, other)) => Arc::ptr_eq(one, two) && part == other,
            (Chunk::Zeros(one), Chunk::Zeros(two)) => one == two,
            _ => false,
        }
    }
}
