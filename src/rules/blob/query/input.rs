//! The bytes of a blob as a stream.

use bytes::Bytes;

/// The longest record in bytes. Records are completely in memory.
pub const LONGEST: usize = 4 << 20;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A stream over chunks, and its position.
#[derive(Debug)]
pub struct Input<I> {
    chunks: I,
    chunk: Bytes,
    at: usize,
    before: u64,
}

impl<I: Iterator<Item = Bytes>> Input<I> {
    /// These chunks, without a byte order mark at the start.
    pub fn new(mut chunks: I) -> Input<I> {
        let mut chunk = chunks.next().unwrap_or_default();
        while chunk.len() < MARK.len()
            && let Some(next) = chunks.next()
        {
            chunk = [chunk, next].concat().into();
        }
        let at = if chunk.starts_with(MARK) { MARK.len() } else { 0 };
        Input { chunks, chunk, at, before: 0 }
    }

    /// The number of bytes that were read.
    pub fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Returns the next byte without consuming it.
    pub fn peek(&mut self) -> Option<u8> {
        while self.at == self.chunk.len() {
            self.before += self.at as u64;
            self.at = 0;
            self.chunk = Bytes::new();
            self.chunk = self.chunks.next()?;
        }
        self.chunk.get(self.at).copied()
    }
}

impl<I: Iterator<Item = Bytes>> Iterator for Input<I> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }
}
