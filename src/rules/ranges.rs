//! Byte ranges: the `Range` and `x-ms-range` headers, and the part of a blob or a file that they select.
//!
//! The service supports `bytes=a-b` and `bytes=a-`, and neither suffixes (`bytes=-n`) nor several ranges. It ignores others, as RFC 9110
//! allows, and returns the full content. If both headers are present, the caller uses `x-ms-range`.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::text::digits;

/// A range that includes its last byte. It is never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InclusiveRange {
    pub start: u64,
    /// The offset of the last byte.
    pub end: u64,
}

impl InclusiveRange {
    /// The number of bytes.
    pub const fn len(self) -> u64 {
        self.end.saturating_sub(self.start).saturating_add(1)
    }

    /// The `Content-Range` of a response: `bytes 0-5/1024`.
    pub fn content_range(self, size: u64) -> String {
        format!("bytes {}-{}/{size}", self.start, self.end)
    }

    /// Returns true if it starts and ends at a multiple of this number of bytes.
    pub const fn is_aligned(self, unit: u64) -> bool {
        self.start.is_multiple_of(unit) && self.len().is_multiple_of(unit)
    }
}

/// The range of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestedRange {
    /// The full content: the header is absent or not supported.
    Whole,
    /// `bytes=a-`
    From(u64),
    /// `bytes=a-b`
    Between(u64, u64),
}

impl RequestedRange {
    /// Parses the value of the header.
    pub fn parse(text: &str) -> RequestedRange {
        let ends = text.trim().strip_prefix("bytes=").and_then(|range| range.split_once('-'));
        match ends.map(|(first, last)| (digits(first), last, digits(last))) {
            Some((Some(start), "", _)) => RequestedRange::From(start),
            Some((Some(start), _, Some(end))) if start <= end => RequestedRange::Between(start, end),
            _ => RequestedRange::Whole,
        }
    }
}

/// Parses a range with both ends, as required for writes of pages and file ranges, and for the sources of copies.
pub fn exact(text: &str) -> Option<InclusiveRange> {
    match RequestedRange::parse(text) {
        RequestedRange::Between(start, end) => Some(InclusiveRange { start, end }),
        RequestedRange::Whole | RequestedRange::From(_) => None,
    }
}

/// The part of content of this size that a response contains: `None` is the full content (200); a range is a part (206), even if it covers
/// everything. The end of the range is limited to the content.
///
/// # Errors
/// 416 InvalidRange for a start after the end of the content, and for every range of empty content.
pub fn resolve(requested: RequestedRange, size: u64) -> Result<Option<InclusiveRange>, StorageError> {
    let (start, end) = match requested {
        RequestedRange::Whole => return Ok(None),
        RequestedRange::From(start) => (start, u64::MAX),
        RequestedRange::Between(start, end) => (start, end),
    };
    match size.checked_sub(1) {
        Some(last) if start <= last => Ok(Some(InclusiveRange { start, end: end.min(last) })),
        _ => Err(StorageError::from(ErrorCode::InvalidRange).with_header("content-range", format!("bytes */{size}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_service_knows_and_ignores_the_rest() {
        for (text, requested) in [
            ("bytes=0-0", RequestedRange::Between(0, 0)),
            ("bytes=5-1023", RequestedRange::Between(5, 1023)),
            (" bytes=5-1023 ", RequestedRange::Between(5, 1023)),
            ("bytes=0-", RequestedRange::From(0)),
            ("bytes=0-18446744073709551615", RequestedRange::Between(0, u64::MAX)),
        ] {
            assert_eq!(RequestedRange::parse(text), requested, "{text}");
        }
        let unknown = [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=-5",
            "bytes=5",
            "bytes=5-3",
            "bytes=0-1,3-4",
            "bytes=0-1-2",
            "bytes=+1-2",
            "bytes=1-+2",
            "bytes= 1-2",
            "bytes=a-b",
            "bytes=1-b",
            "bytes=0-18446744073709551616",
            "bytes=18446744073709551616-",
            "items=0-1",
        ];
        for text in unknown {
            assert_eq!(RequestedRange::parse(text), RequestedRange::Whole, "{text}");
            assert_eq!(exact(text), None, "{text}");
        }
        assert_eq!(exact("bytes=0-511"), Some(InclusiveRange { start: 0, end: 511 }));
        assert_eq!(exact("bytes=0-"), None);
    }

    #[test]
    fn resolves_against_the_size() {
        // The second and third columns of recorded answers: `0-33554431` of 23 bytes, `65536-65540` of 65541, anything of
        // nothing.
        for (requested, size, answer) in [
            (RequestedRange::Whole, 23, Some("")),
            (RequestedRange::Whole, 0, Some("")),
            (RequestedRange::Between(0, 33_554_431), 23, Some("bytes 0-22/23")),
            (RequestedRange::Between(65_536, 65_540), 65_541, Some("bytes 65536-65540/65541")),
            (RequestedRange::Between(22, 22), 23, Some("bytes 22-22/23")),
            (RequestedRange::From(0), 23, Some("bytes 0-22/23")),
            (RequestedRange::From(22), 23, Some("bytes 22-22/23")),
            (RequestedRange::From(23), 23, None),
            (RequestedRange::Between(23, 30), 23, None),
            (RequestedRange::Between(0, 32_767), 0, None),
            (RequestedRange::From(0), 0, None),
            (RequestedRange::From(u64::MAX), u64::MAX, None),
        ] {
            match (resolve(requested, size), answer) {
                (Ok(None), Some("")) => {}
                (Ok(Some(span)), Some(content_range)) => assert_eq!(span.content_range(size), content_range),
                (Err(error), None) => {
                    assert_eq!(error.status(), 416);
                    assert_eq!(error.headers(), [("content-range", format!("bytes */{size}"))]);
                }
                (outcome, _) => panic!("{requested:?} of {size}: {outcome:?}"),
            }
        }
    }

    #[test]
    fn counts_bytes_and_pages() {
        for (start, end, len, pages) in [
            (0, 0, 1, false),
            (0, 511, 512, true),
            (512, 1535, 1024, true),
            (1, 512, 512, false),
            (0, 510, 511, false),
            (0, u64::MAX, u64::MAX, false),
        ] {
            let span = InclusiveRange { start, end };
            assert_eq!((span.len(), span.is_aligned(512)), (len, pages), "{span:?}");
        }
    }
}
