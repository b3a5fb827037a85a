//! A piece of content: immutable bytes in memory or on disk, or zeros.

use crate::store::disk::extents::ExtentSlice;
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// Immutable bytes. Parts and copies share them.
#[derive(Clone, Debug)]
pub enum Chunk {
    Memory(Bytes),
    /// A range of a slice of an extent.
    Disk(Arc<ExtentSlice>, Range<u32>),
    /// This many zeros, at most [`ZEROS`].
    Zeros(u32),
}

/// The largest chunk of zeros, in bytes.
pub const ZEROS: u32 = 64 << 10;
static ZERO: [u8; ZEROS as usize] = [0; ZEROS as usize];

impl Chunk {
    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Chunk::Memory(bytes) => bytes.len(),
            Chunk::Disk(_, range) => range.len(),
            Chunk::Zeros(count) => *count as usize,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a part, which ends at the end of the chunk at the latest.
    pub fn slice(&self, range: Range<usize>) -> Chunk {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        match self {
            Chunk::Memory(bytes) => Chunk::Memory(bytes.slice(start..end)),
            Chunk::Disk(slice, within) => Chunk::Disk(slice.clone(), within.start + start as u32..within.start + end as u32),
            Chunk::Zeros(_) => Chunk::Zeros((end - start) as u32),
        }
    }

    /// Reads the bytes.
    ///
    /// # Errors
    /// Those of the disk; InvalidData if it does not have the bytes that were written.
    pub fn read(&self) -> io::Result<Bytes> {
        match self {
            Chunk::Memory(bytes) => Ok(bytes.clone()),
            Chunk::Disk(slice, range) => Ok(slice.read()?.slice(range.start as usize..range.end as usize)),
            Chunk::Zeros(count) => Ok(Bytes::from_static(ZERO.get(..*count as usize).unwrap_or(&ZERO))),
        }
    }
}

impl PartialEq for Chunk {
    /// Chunks are equal if they share their bytes.
    fn eq(&self, other: &Chunk) -> bool {
        match (self, other) {
            (Chunk::Memory(one), Chunk::Memory(two)) => (one.as_ptr(), one.len()) == (two.as_ptr(), two.len()),
            (Chunk::Disk(one, part), Chunk::Disk(two, other)) => Arc::ptr_eq(one, two) && part == other,
            (Chunk::Zeros(one), Chunk::Zeros(two)) => one == two,
            _ => false,
        }
    }
}
