//! Where bytes lie: a rope of shared chunks.
//!
//! A block list is committed, a blob copied and a range read without touching a byte: they share chunks. Nothing that one blob
//! does to its bytes is ever seen by another, because a chunk never changes once it is filled.

use bytes::Bytes;
use std::ops::Range;
use std::sync::Arc;

/// The largest chunk in bytes. A body longer than this lies in several, so that no single allocation has to hold it.
pub const CHUNK: usize = 1 << 20;

/// Bytes that do not change, in chunks that may be shared with other contents. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Content {
    chunks: Chunks,
}

#[derive(Clone, Debug, Default)]
enum Chunks {
    #[default]
    None,
    One(Bytes),
    Many(Arc<[Piece]>),
}

/// A chunk and where in the whole it begins.
#[derive(Clone, Debug)]
struct Piece {
    start: u64,
    bytes: Bytes,
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

impl Content {
    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        match &self.chunks {
            Chunks::None => 0,
            Chunks::One(bytes) => bytes.len() as u64,
            Chunks::Many(pieces) => pieces.last().map_or(0, Piece::end),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chunks that hold the bytes of `range`, cut to it and shared, in order. What lies past the end is left out.
    pub fn slice(&self, range: Range<u64>) -> Slices {
        Slices { content: self.clone(), next: range.start, end: range.end.min(self.len()) }
    }

    /// The content of a range, sharing its chunks.
    pub fn part(&self, range: Range<u64>) -> Content {
        Content::from_chunks(self.slice(range))
    }

    /// Several contents one after the other, sharing their chunks.
    pub fn concat<'a>(parts: impl IntoIterator<Item = &'a Content>) -> Content {
        let chunks = parts.into_iter().flat_map(|part| part.slice(0..part.len()));
        Content::from_chunks(chunks)
    }

    /// These chunks, one after the other.
    pub fn from_chunks(chunks: impl IntoIterator<Item = Bytes>) -> Content {
        let mut pieces: Vec<Piece> = Vec::new();
        for bytes in chunks.into_iter().filter(|bytes| !bytes.is_empty()) {
            pieces.push(Piece { start: pieces.last().map_or(0, Piece::end), bytes });
        }
        let chunks = match pieces.len() {
            0 => Chunks::None,
            1 => pieces.pop().map_or(Chunks::None, |piece| Chunks::One(piece.bytes)),
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
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.next >= self.end {
            return None;
        }
        let (start, bytes) = match &self.content.chunks {
            Chunks::None => return None,
            Chunks::One(bytes) => (0, bytes),
            Chunks::Many(pieces) => {
                let piece = pieces.get(pieces.partition_point(|piece| piece.end() <= self.next))?;
                (piece.start, &piece.bytes)
            }
        };
        let stop = self.end.min(start + bytes.len() as u64);
        let part = bytes.slice((self.next - start) as usize..(stop - start) as usize);
        self.next = stop;
        Some(part)
    }
}

/// A content being filled from frames as they come off the wire.
///
/// Frames are copied, once, into chunks of their own: a frame is a slice of a connection's read buffer, and a blob of a few bytes
/// that kept one would keep the whole buffer.
#[derive(Debug)]
pub struct Filling {
    full: Vec<Bytes>,
    open: Vec<u8>,
    expected: u64,
}

impl Filling {
    /// Begins; `expected` is how many bytes the sender announced, so that the last chunk is no larger than it has to be.
    pub fn new(expected: u64) -> Filling {
        Filling { full: Vec::new(), open: Vec::new(), expected }
    }

    /// Takes in the next bytes.
    pub fn push(&mut self, mut frame: &[u8]) {
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
                self.full.push(std::mem::take(&mut self.open).into());
            }
        }
    }

    /// Ends.
    pub fn finish(mut self) -> Content {
        self.open.shrink_to_fit();
        self.full.push(self.open.into());
        Content::from_chunks(self.full)
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Content {
        let mut filling = Filling::new(bytes.len() as u64);
        filling.push(bytes);
        filling.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(content: &Content, range: Range<u64>) -> Vec<u8> {
        content.slice(range).flat_map(Vec::from).collect()
    }

    #[test]
    fn small_bodies_take_no_more_than_their_bytes() {
        let mut filling = Filling::new(5);
        filling.push(b"he");
        filling.push(b"llo");
        let content = filling.finish();
        assert!(matches!(&content.chunks, Chunks::One(bytes) if bytes.len() == 5));
        assert_eq!(flat(&content, 1..3), b"el");
    }

    #[test]
    fn copies_share_their_bytes() {
        let one = Content::from(&b"one"[..]);
        let both = Content::concat([&one, &one]);
        let (a, b) = (one.slice(0..3).next().unwrap(), both.slice(3..6).next().unwrap());
        assert_eq!(a.as_ptr(), b.as_ptr());
    }

    proptest! {
        /// A rope of any parts reads as the flat bytes do, in any range.
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

        /// However the frames fall, the same bytes come out, in chunks no larger than the limit.
        #[test]
        fn fills_from_any_frames(frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..8), announced in 0u64..400) {
            let mut filling = Filling::new(announced);
            for frame in &frames { filling.push(frame); }
            let content = filling.finish();
            prop_assert_eq!(flat(&content, 0..u64::MAX), frames.concat());
        }
    }
}
