//! Bytes that do not change, piece by piece: where each lies, and all of a content's on their way out.

use crate::store::chunk::Chunk;
use crate::store::content::Slices;
use crate::store::sparse::SparseSlices;
use bytes::Bytes;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;

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
