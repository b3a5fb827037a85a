//! The chunks of a content, as a response sends them.

use crate::store::chunk::Chunk;
use crate::store::content::Slices;
use crate::store::sparse::SparseSlices;
use bytes::Bytes;
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;

/// The chunks of a part of a content of either kind, in order.
#[derive(Clone, Debug)]
pub struct Chunks {
    /// The first chunk, if it was read ahead.
    first: Option<Chunk>,
    rest: Rest,
}

#[derive(Clone, Debug)]
enum Rest {
    Dense(Slices),
    Sparse(SparseSlices),
}

impl From<Slices> for Chunks {
    fn from(slices: Slices) -> Chunks {
        Chunks { first: None, rest: Rest::Dense(slices) }
    }
}

impl From<SparseSlices> for Chunks {
    fn from(slices: SparseSlices) -> Chunks {
        Chunks { first: None, rest: Rest::Sparse(slices) }
    }
}

impl Iterator for Chunks {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        self.first.take().or_else(|| match &mut self.rest {
            Rest::Dense(slices) => slices.next(),
            Rest::Sparse(slices) => slices.next(),
        })
    }
}

impl Chunks {
    /// Reads the first chunk ahead.
    ///
    /// # Errors
    /// Those of [`Chunk::read`].
    pub fn begin(&mut self) -> io::Result<()> {
        self.first = self.next().map(|chunk| chunk.read()).transpose()?.map(Chunk::Memory);
        Ok(())
    }

    /// Transforms the bytes with an iterator that cannot fail. A chunk that cannot be read ends both, with the error.
    pub fn through<M: Iterator<Item = Bytes>>(self, transform: impl FnOnce(Plain) -> M) -> Through<M> {
        let failure = Failure::default();
        Through { output: transform(Plain { chunks: self, failure: failure.clone() }), failure }
    }
}

/// The error that ended the bytes early, if there was one.
type Failure = Arc<Mutex<Option<io::Error>>>;

/// The bytes of chunks, up to one that cannot be read.
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

/// The transformed bytes of chunks, up to one that cannot be read.
#[derive(Debug)]
pub struct Through<M> {
    output: M,
    failure: Failure,
}

impl<M: Iterator<Item = Bytes>> Iterator for Through<M> {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        let bytes = self.output.next();
        // Bytes that were made of incomplete input are wrong.
        match self.failure.lock().take() {
            Some(error) => Some(Err(error)),
            None => bytes.map(Ok),
        }
    }
}
