//! Immutable bytes: a rope of shared chunks.
//!
//! A committed block list, a copied blob and a range that is read share chunks, without touching a byte. No change of one blob is seen
//! by another, because a chunk never changes once it is filled.

use crate::store::Store;
use crate::store::chunk::Chunk;
use bytes::Bytes;
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The largest chunk in bytes. A longer body consists of several, so that no single allocation has to hold it.
pub const CHUNK: usize = 1 << 20;

/// A chunk with fewer bytes is small.
const SMALL: usize = 64 << 10;

/// The number of small chunks at the end of a content from which on they are merged.
const MANY_SMALL: usize = 64;

/// The most bytes that a merge copies.
const MERGED: u64 = 4 << 20;

/// Immutable bytes, in chunks that other contents may share. Cheap to clone. Two contents are equal if they share all chunks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    chunks: Chunks,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum Chunks {
    #[default]
    None,
    One(Chunk),
    Many(Arc<[Piece]>),
}

/// A chunk and its position in the content.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    start: u64,
    chunk: Chunk,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.chunk.len() as u64
    }
}

impl Content {
    /// The number of bytes.
    pub fn len(&self) -> u64 {
        match &self.chunks {
            Chunks::None => 0,
            Chunks::One(chunk) => chunk.len() as u64,
            Chunks::Many(pieces) => pieces.last().map_or(0, Piece::end),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chunks of a range, which ends at the end of the content at the latest. The chunks are cut to the range and shared.
    pub fn slice(&self, range: Range<u64>) -> Slices {
        Slices { content: self.clone(), next: range.start, end: range.end.min(self.len()) }
    }

    /// The content of a range. It shares the chunks.
    pub fn part(&self, range: Range<u64>) -> Content {
        Content::from_chunks(self.slice(range))
    }

    /// Concatenates contents. The result shares their chunks.
    pub fn concat<'a>(parts: impl IntoIterator<Item = &'a Content>) -> Content {
        let chunks = parts.into_iter().flat_map(|part| part.slice(0..part.len()));
        Content::from_chunks(chunks)
    }

    /// The content with fewer chunks, if there are many small ones at its end: a client that writes a line at a time would make each line
    /// cost as much as there are lines before it, because the record of a content names all chunks.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn with_merged_end(self, store: &Store) -> io::Result<Content> {
        let Chunks::Many(pieces) = &self.chunks else { return Ok(self) };
        let mut bytes = 0;
        let is_small = |piece: &&Piece| {
            bytes += piece.chunk.len() as u64;
            piece.chunk.len() < SMALL && bytes <= MERGED
        };
        let count = pieces.iter().rev().take_while(is_small).count();
        if count < MANY_SMALL {
            return Ok(self);
        }
        let (large, small) = pieces.split_at(pieces.len() - count);
        let expected = small.iter().map(|piece| piece.chunk.len() as u64).sum();
        let mut filling = Filling::new(store, expected);
        for piece in small {
            filling.push(&piece.chunk.read()?)?;
        }
        let merged = filling.finish()?;
        Ok(Content::from_chunks(large.iter().map(|piece| &piece.chunk).chain(merged.chunks()).cloned()))
    }

    /// The chunks in order.
    pub(super) fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        let (one, many) = match &self.chunks {
            Chunks::None => (None, &[][..]),
            Chunks::One(chunk) => (Some(chunk), &[][..]),
            Chunks::Many(pieces) => (None, &pieces[..]),
        };
        one.into_iter().chain(many.iter().map(|piece| &piece.chunk))
    }

    /// Concatenates chunks.
    pub fn from_chunks(chunks: impl IntoIterator<Item = Chunk>) -> Content {
        let mut pieces: Vec<Piece> = Vec::new();
        for chunk in chunks.into_iter().filter(|chunk| !chunk.is_empty()) {
            pieces.push(Piece { start: pieces.last().map_or(0, Piece::end), chunk });
        }
        let chunks = match pieces.len() {
            0 => Chunks::None,
            1 => pieces.pop().map_or(Chunks::None, |piece| Chunks::One(piece.chunk)),
            _ => Chunks::Many(pieces.into()),
        };
        Content { chunks }
    }
}

/// The chunks of a part of a content, in order.
#[derive(Clone, Debug)]
pub struct Slices {
    content: Content,
    next: u64,
    end: u64,
}

impl Iterator for Slices {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        if self.next >= self.end {
            return None;
        }
        let (start, chunk) = match &self.content.chunks {
            Chunks::None => return None,
            Chunks::One(chunk) => (0, chunk),
            Chunks::Many(pieces) => {
                let piece = pieces.get(pieces.partition_point(|piece| piece.end() <= self.next))?;
                (piece.start, &piece.chunk)
            }
        };
        let stop = self.end.min(start + chunk.len() as u64);
        let part = chunk.slice((self.next - start) as usize..(stop - start) as usize);
        self.next = stop;
        Some(part)
    }
}

/// Builds a content from the frames of a body.
///
/// Frames are copied once into chunks, because a frame is a slice of a connection's read buffer: a blob of a few bytes that stored one
/// would keep the entire buffer in memory.
#[derive(Debug)]
pub struct Filling {
    store: Store,
    full: Vec<Chunk>,
    open: Vec<u8>,
    expected: u64,
}

impl Filling {
    /// Begins a content in a store. `expected` is the announced number of bytes, so that the last chunk is no larger than necessary.
    pub fn new(store: &Store, expected: u64) -> Filling {
        Filling { store: store.clone(), full: Vec::new(), open: Vec::new(), expected }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn push(&mut self, mut frame: &[u8]) -> io::Result<()> {
        while !frame.is_empty() {
            if self.open.capacity() == 0 {
                let rest = usize::try_from(self.expected).unwrap_or(usize::MAX);
                self.open.reserve_exact(rest.clamp(frame.len().min(CHUNK), CHUNK));
            }
            let take = frame.len().min(self.open.capacity() - self.open.len());
            let (now, later) = frame.split_at(take);
            self.open.extend_from_slice(now);
            self.expected = self.expected.saturating_sub(take as u64);
            frame = later;
            if self.open.len() == self.open.capacity() {
                self.full.push(self.store.write(std::mem::take(&mut self.open).into())?);
            }
        }
        Ok(())
    }

    /// Returns the content.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn finish(mut self) -> io::Result<Content> {
        if !self.open.is_empty() {
            self.open.shrink_to_fit();
            self.full.push(self.store.write(self.open.into())?);
        }
        Ok(Content::from_chunks(self.full))
    }
}

impl From<&[u8]> for Content {
    /// Copies bytes to memory.
    fn from(bytes: &[u8]) -> Content {
        Content::from_chunks(bytes.chunks(CHUNK).map(|chunk| Chunk::Memory(Bytes::copy_from_slice(chunk))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(content: &Content, range: Range<u64>) -> Vec<u8> {
        content.slice(range).flat_map(|chunk| chunk.read().unwrap()).collect()
    }

    #[test]
    fn small_bodies_use_as_much_memory_as_they_have_bytes() {
        let mut filling = Filling::new(&Store::MEMORY, 5);
        filling.push(b"he").unwrap();
        filling.push(b"llo").unwrap();
        let content = filling.finish().unwrap();
        assert!(matches!(&content.chunks, Chunks::One(chunk) if chunk.len() == 5));
        assert_eq!(flat(&content, 1..3), b"el");
    }

    #[test]
    fn copies_share_their_bytes() {
        let one = Content::from(&b"one"[..]);
        let both = Content::concat([&one, &one]);
        let (a, b) = (one.slice(0..3).next().unwrap(), both.slice(3..6).next().unwrap());
        assert_eq!(a, b);
    }

    #[test]
    fn many_small_chunks_are_merged() {
        let large = Content::from(&vec![b'l'; SMALL][..]);
        let (mut content, mut plain, mut most) = (large.clone(), vec![b'l'; SMALL], 0);
        for line in 0..20_000_u32 {
            let line = format!("line {line}\n");
            content = Content::concat([&content, &Content::from(line.as_bytes())]).with_merged_end(&Store::MEMORY).unwrap();
            plain.extend_from_slice(line.as_bytes());
            most = most.max(content.chunks().count());
        }
        assert_eq!(flat(&content, 0..u64::MAX), plain);
        assert!(most <= MANY_SMALL + 1 + plain.len() / SMALL, "{most} chunks");
        // A large chunk is not copied.
        assert_eq!(content.chunks().next(), large.chunks().next());
        // Neither are more bytes than the limit.
        let small = Content::from(&vec![b's'; SMALL - 1][..]);
        let parts = vec![&small; 200];
        let merged = Content::concat(parts.iter().copied()).with_merged_end(&Store::MEMORY).unwrap();
        let count = merged.chunks().filter(|chunk| chunk.len() == SMALL - 1).count();
        assert_eq!((merged.len(), count), (200 * (SMALL as u64 - 1), 200 - MERGED as usize / (SMALL - 1)));
    }

    proptest! {
        /// A rope of any parts has the same bytes as a flat buffer, in any range.
        #[test]
        fn reads_as_flat_bytes(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8), cut in any::<(u16, u16)>()) {
            let contents: Vec<Content> = parts.iter().map(|part| Content::from(&part[..])).collect();
            let whole = Content::concat(&contents);
            let plain: Vec<u8> = parts.concat();
            prop_assert_eq!(whole.len(), plain.len() as u64);
            let start = usize::from(cut.0) % (plain.len() + 1);
            let end = start + usize::from(cut.1) % (plain.len() + 1 - start);
            prop_assert_eq!(flat(&whole, start as u64..end as u64), &plain[start..end]);
            prop_assert_eq!(flat(&whole, start as u64..u64::MAX), &plain[start..]);
        }

        /// The content has the same bytes however they are split into frames.
        #[test]
        fn fills_from_any_frames(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8), announced in 0u64..400) {
            let mut filling = Filling::new(&Store::MEMORY, announced);
            for frame in &frames { filling.push(frame).unwrap(); }
            let content = filling.finish().unwrap();
            prop_assert_eq!(flat(&content, 0..u64::MAX), frames.concat());
        }
    }
}
