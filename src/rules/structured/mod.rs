//! Structured messages: content in segments, each with its length and its CRC64, so that it is checked while it is sent and not only at the
//! end.
//!
//! ```text
//! message = version:u8(1) length:u64 flags:u16 segments:u16  *segment  crc64:u64
//! segment = number:u16 length:u64  content  crc64:u64
//! ```
//!
//! Numbers are little-endian, segments are counted from 1, the first length is that of the complete message, and the last CRC64 is that of
//! the complete content. The only flag is 1: there are CRC64s.

use crate::rules::checksums::{ChecksumKinds, Crc64, Hasher};
use crate::rules::error::{ErrorCode, StorageError};
use bytes::{Bytes, BytesMut};

/// The only kind of message, in `x-ms-structured-body`.
pub const KIND: &str = "XSM/1.0; properties=crc64";

const VERSION: u8 = 1;
const FLAG_CRC64: u16 = 1;
/// Bytes before the first segment.
const HEAD: usize = 13;
/// Bytes before the content of a segment.
const SEGMENT_HEAD: usize = 10;
/// Bytes of a checksum.
const CRC64: usize = 8;
/// The bytes of a segment of a response, unless there would be too many segments.
const SEGMENT: u64 = 4 << 20;

/// Checks the value of `x-ms-structured-body`.
///
/// # Errors
/// 400 InvalidHeaderValue for another kind of message.
pub fn check_kind(text: &str) -> Result<(), StorageError> {
    let (name, properties) = text.split_once(';').unwrap_or((text, ""));
    match name.trim().eq_ignore_ascii_case("XSM/1.0") && properties.trim().eq_ignore_ascii_case("properties=crc64") {
        true => Ok(()),
        false => Err(StorageError::invalid_header("x-ms-structured-body", text)),
    }
}

/// Decodes a message piece by piece, and checks everything in it.
#[derive(Debug)]
pub struct Decoder {
    /// The bytes of the message and of its content, in the headers of the request.
    message: u64,
    content: u64,
    place: Place,
    /// The received part of the current field.
    field: Vec<u8>,
    /// The number of segments, and of those that have started.
    segments: u16,
    begun: u16,
    /// The remaining bytes of content.
    left: u64,
    segment: Hasher,
    segment_length: u64,
    total: Crc64,
}

/// The next part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Head,
    SegmentHead,
    /// The remaining bytes of a segment.
    Content(u64),
    SegmentCrc64,
    Crc64,
    End,
}

impl Decoder {
    /// A decoder for a message of these lengths in bytes.
    pub fn new(message: u64, content: u64) -> Decoder {
        Decoder {
            message,
            content,
            place: Place::Head,
            field: Vec::with_capacity(HEAD),
            segments: 0,
            begun: 0,
            left: content,
            segment: hasher(),
            segment_length: 0,
            total: Crc64::of(b""),
        }
    }

    /// Removes bytes from the start of `input`, and returns the next piece of content, or `None` if `input` is empty.
    ///
    /// # Errors
    /// 400 InvalidInput for a malformed message; 400 InvalidHeaderValue for another length of the content; 400 Crc64Mismatch.
    pub fn next<'a>(&mut self, input: &mut &'a [u8]) -> Result<Option<&'a [u8]>, StorageError> {
        while !input.is_empty() {
            let length = match self.place {
                Place::Content(left) => {
                    let (piece, rest) = input.split_at(input.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
                    *input = rest;
                    self.segment.update(piece);
                    self.left -= piece.len() as u64;
                    self.place = content_or_end(left - piece.len() as u64);
                    return Ok(Some(piece));
                }
                Place::Head => HEAD,
                Place::SegmentHead => SEGMENT_HEAD,
                Place::SegmentCrc64 | Place::Crc64 => CRC64,
                Place::End => return Err(malformed("bytes follow it")),
            };
            if let Some(field) = self.field(input, length) {
                self.decode_field(&field)?;
            }
        }
        Ok(None)
    }

    fn decode_field(&mut self, field: &[u8]) -> Result<(), StorageError> {
        match self.place {
            Place::Head => self.head(field),
            Place::SegmentHead => self.segment_head(field),
            Place::SegmentCrc64 => {
                let found = crc64(std::mem::replace(&mut self.segment, hasher()));
                check_crc64(field, found)?;
                self.total = Crc64::combine(self.total, found, self.segment_length);
                self.next_segment()
            }
            Place::Crc64 | Place::Content(_) | Place::End => {
                self.place = Place::End;
                check_crc64(field, self.total)
            }
        }
    }

    /// The CRC64 of the content, after the message has ended.
    ///
    /// # Errors
    /// 400 InvalidInput for an incomplete message.
    pub fn finish(self) -> Result<Crc64, StorageError> {
        if self.place == Place::End { Ok(self.total) } else { Err(malformed("it ends early")) }
    }

    /// A field of this number of bytes, if it is complete.
    fn field(&mut self, input: &mut &[u8], length: usize) -> Option<Vec<u8>> {
        let (taken, rest) = input.split_at(input.len().min(length - self.field.len()));
        self.field.extend_from_slice(taken);
        *input = rest;
        (self.field.len() == length).then(|| std::mem::take(&mut self.field))
    }

    fn head(&mut self, field: &[u8]) -> Result<(), StorageError> {
        let (version, rest) = field.split_at(1);
        let (length, rest) = rest.split_at(8);
        let (flags, segments) = rest.split_at(2);
        for (found, expected, reason) in [
            (version, u64::from(VERSION), "its version is not 1"),
            (length, self.message, "its length is not that of the body"),
            (flags, FLAG_CRC64.into(), "its flags are not those of its properties"),
        ] {
            if number(found) != expected {
                return Err(malformed(reason));
            }
        }
        self.segments = number(segments) as u16;
        let frame = (HEAD + CRC64 + usize::from(self.segments) * (SEGMENT_HEAD + CRC64)) as u64;
        if self.message.checked_sub(frame) != Some(self.content) {
            return Err(StorageError::invalid_header("x-ms-structured-content-length", self.content.to_string()));
        }
        self.next_segment()
    }

    /// Decides what follows the head or a segment.
    fn next_segment(&mut self) -> Result<(), StorageError> {
        self.place = match self.begun < self.segments {
            true => Place::SegmentHead,
            false if self.left == 0 => Place::Crc64,
            false => return Err(malformed("its segments hold less than its content")),
        };
        Ok(())
    }

    fn segment_head(&mut self, field: &[u8]) -> Result<(), StorageError> {
        let (place, length) = field.split_at(2);
        self.begun += 1;
        if number(place) != u64::from(self.begun) {
            return Err(malformed("its segments are not in order"));
        }
        self.segment_length = number(length);
        if self.segment_length > self.left {
            return Err(malformed("its segments hold more than its content"));
        }
        self.place = content_or_end(self.segment_length);
        Ok(())
    }
}

fn content_or_end(left: u64) -> Place {
    if left == 0 { Place::SegmentCrc64 } else { Place::Content(left) }
}

fn hasher() -> Hasher {
    Hasher::new(ChecksumKinds { md5: false, crc64: true })
}

fn crc64(hasher: Hasher) -> Crc64 {
    hasher.finish().crc64.unwrap_or(Crc64::of(b""))
}

fn malformed(reason: &str) -> StorageError {
    ErrorCode::InvalidInput.with_reason(format!("the body is no structured message: {reason}"))
}

fn check_crc64(field: &[u8], found: Crc64) -> Result<(), StorageError> {
    let stated = Crc64(number(field));
    if stated == found {
        return Ok(());
    }
    Err(ErrorCode::Crc64Mismatch
        .with_detail("UserSpecifiedCrc", stated.to_string())
        .with_detail("ServerCalculatedCrc", found.to_string()))
}

/// A little-endian number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Encodes content as a message, piece by piece.
#[derive(Debug)]
pub struct Encoder<I> {
    chunks: I,
    /// The rest of the current chunk.
    chunk: Bytes,
    length: u64,
    /// The remaining bytes of the content, and of its current segment.
    left: u64,
    segment_left: u64,
    /// The most content in a segment.
    size: u64,
    begun: u16,
    place: Place,
    segment: Hasher,
    total: Hasher,
}

impl<I: Iterator<Item = Bytes>> Encoder<I> {
    /// The message for these chunks, with this number of bytes in total. Empty content is one empty segment.
    pub fn new(chunks: I, content: u64) -> Encoder<I> {
        Encoder::in_segments(chunks, content, SEGMENT.max(content.div_ceil(u16::MAX.into())))
    }

    fn in_segments(chunks: I, content: u64, size: u64) -> Encoder<I> {
        let segments = content.div_ceil(size).max(1);
        Encoder {
            chunks,
            chunk: Bytes::new(),
            length: content + (HEAD + CRC64) as u64 + segments * (SEGMENT_HEAD + CRC64) as u64,
            left: content,
            segment_left: 0,
            size,
            begun: 0,
            place: Place::Head,
            segment: hasher(),
            total: hasher(),
        }
    }

    /// The bytes of the message.
    pub fn length(&self) -> u64 {
        self.length
    }

    fn head(&self) -> Bytes {
        let segments = self.left.div_ceil(self.size).max(1) as u16;
        let mut head = BytesMut::with_capacity(HEAD);
        head.extend_from_slice(&[VERSION]);
        head.extend_from_slice(&self.length.to_le_bytes());
        head.extend_from_slice(&FLAG_CRC64.to_le_bytes());
        head.extend_from_slice(&segments.to_le_bytes());
        head.freeze()
    }

    /// The next piece of a segment: not empty, and not beyond the end of the segment. Chunks are split, not copied.
    fn piece(&mut self) -> Option<Bytes> {
        while self.chunk.is_empty() {
            self.chunk = self.chunks.next()?;
        }
        let take = self.chunk.len().min(usize::try_from(self.segment_left).unwrap_or(usize::MAX));
        let piece = self.chunk.split_to(take);
        self.segment.update(&piece);
        self.total.update(&piece);
        self.segment_left -= take as u64;
        self.left -= take as u64;
        Some(piece)
    }
}

impl<I: Iterator<Item = Bytes>> Iterator for Encoder<I> {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        match self.place {
            Place::Head => {
                self.place = Place::SegmentHead;
                Some(self.head())
            }
            Place::SegmentHead => {
                self.begun += 1;
                self.segment_left = self.left.min(self.size);
                self.place = content_or_end(self.segment_left);
                let mut head = BytesMut::with_capacity(SEGMENT_HEAD);
                head.extend_from_slice(&self.begun.to_le_bytes());
                head.extend_from_slice(&self.segment_left.to_le_bytes());
                Some(head.freeze())
            }
            Place::Content(_) => {
                let piece = self.piece()?;
                self.place = content_or_end(self.segment_left);
                Some(piece)
            }
            Place::SegmentCrc64 => {
                self.place = if self.left == 0 { Place::Crc64 } else { Place::SegmentHead };
                Some(footer(std::mem::replace(&mut self.segment, hasher())))
            }
            Place::Crc64 => {
                self.place = Place::End;
                Some(footer(std::mem::replace(&mut self.total, hasher())))
            }
            Place::End => None,
        }
    }
}

fn footer(hasher: Hasher) -> Bytes {
    Bytes::copy_from_slice(&crc64(hasher).0.to_le_bytes())
}

#[cfg(test)]
mod tests;
