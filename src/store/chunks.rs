//! Bytes that do not change, piece by piece: where each lies, and all of a content's on their way out.

use crate::store::content::Slices;
use crate::store::disk::extents::ExtentSlice;
use crate::store::sparse::SparseSlices;
use bytes::Bytes;
use parking_lot::Mutex;
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

/// The chunks of a part of a content, in order, whichever kind of content it is: shared, never copied.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// The first of them, once it was read.
    first: Option<Chunk>,
    rest: ChunkStorage,
}

#[derive(Clone, Debug)]
enum ChunkStorage {
    Rope(Slices),
    Sparse(SparseSlices),
}

impl From<Slices> for Chunks {
    fn from(slices: Slices) -> Chunks {
        Chunks { first: None, rest: ChunkStorage::Rope(slices) }
    }
}

impl From<SparseSlices> for Chunks {
    fn from(slices: SparseSlices) -> Chunks {
        Chunks { first: None, rest: ChunkStorage::Sparse(slices) }
    }
}

impl Iterator for Chunks {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        self.first.take().or_else(|| match &mut self.rest {
            ChunkStorage::Rope(slices) => slices.next(),
            ChunkStorage::Sparse(slices) => slices.next(),
        })
    }
}

impl Chunks {
    /// Reads the first of them.
    ///
    /// # Errors
    /// As [`Chunk::read`].
    pub fn begin(&mut self) -> io::Result<()> {
        self.first = self.next().map(|chunk| chunk.read()).transpose()?.map(Chunk::Memory);
        Ok(())
    }

    /// Their bytes, as something makes others of them that knows nothing of disks. A chunk that cannot be read ends both, with the error.
    pub fn through<M: Iterator<Item = Bytes>>(self, make: impl FnOnce(Plain) -> M) -> Through<M> {
        let failure = Failure::default();
        Through { made: make(Plain { chunks: self, failure: failure.clone() }), failure }
    }
}

/// Why the bytes end before their end, if they do.
type Failure = Arc<Mutex<Option<io::Error>>>;

/// The bytes of chunks, as far as they can be read.
#[derive(Debug)]
pub struct Plain {
    chunks: Chunks,
    failure: Failure,
}

impl Iterator for Plain {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let read = self.chunks.next()?.read();
        read.map_err(|error| *self.failure.lock() = Some(error)).ok()
    }
}

/// What is made of chunks, up to one that cannot be read.
#[derive(Debug)]
pub struct Through<M> {
    made: M,
    failure: Failure,
}

impl<M: Iterator<Item = Bytes>> Iterator for Through<M> {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        let made = self.made.next();
        // What was made of less than all there is, is wrong.
        match self.failure.lock().take() {
            Some(error) => Some(Err(error)),
            None => made.map(Ok),
        }
    }
}
