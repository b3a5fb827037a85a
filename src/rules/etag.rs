//! Entity tags: the tick at which a resource last changed, written in hexadecimal.
//!
//! Every recording shows `"0x8D…"`: the ticks of Last-Modified, upper case, quoted in headers and in the container list, bare
//! in the blob list.

use crate::rules::time::Timestamp;
use std::fmt;

/// Ticks of 1601-01-01T00:00:00Z.
const FILE_TIMES_BEGIN: u64 = 504_911_232_000_000_000;

/// The tag of one state of a resource. No two states of a resource share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ETag(u64);

impl ETag {
    /// The tag of a state that was made at this moment.
    pub const fn of(stamp: Timestamp) -> ETag {
        ETag(stamp.ticks())
    }

    /// The quoted form, for headers.
    pub fn quoted(self) -> String {
        format!("\"{self}\"")
    }

    /// The tag that a client's text names, if it is of this service; quotes and the weak mark are the client's to leave out.
    pub fn parse(text: &str) -> Option<ETag> {
        let bare = text.trim().trim_start_matches("W/").trim_matches('"');
        bare.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()).map(ETag)
    }

    /// Whether a client's text names this tag.
    pub fn is(self, text: &str) -> bool {
        ETag::parse(text) == Some(self)
    }

    /// Whether it is of a moment that a file time of Windows, which counts from 1601, can stand for.
    pub fn is_file_time(self) -> bool {
        self.0 >= FILE_TIMES_BEGIN
    }
}

impl fmt::Display for ETag {
    /// The bare form, for the blob list.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:X}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_tick_in_hexadecimal() {
        let tag = ETag::of(Timestamp::parse_iso("2019-05-09T00:53:01.3826986Z").unwrap());
        assert_eq!(tag.quoted(), format!("\"{tag}\""));
        assert!(tag.to_string().starts_with("0x8D6D4"), "{tag}");
        for (text, same) in [
            (tag.quoted(), true),
            (tag.to_string(), true),
            (format!("W/{}", tag.quoted()), true),
            ("*".into(), false),
            ("\"0x1\"".into(), false),
            (String::new(), false),
        ] {
            assert_eq!(tag.is(&text), same, "{text}");
        }
    }

    #[test]
    fn file_times_begin_in_1601() {
        let first = ETag::of(Timestamp::parse_iso("1601-01-01T00:00:00Z").unwrap());
        assert_eq!(first.0, FILE_TIMES_BEGIN);
        for (tag, is) in [(first.0, true), (first.0 - 1, false), (0x0111_1111_1111_1111, false), (0x08D2_C916_7D53_FC2C, true)] {
            assert_eq!(ETag(tag).is_file_time(), is, "{tag:X}");
        }
    }
}
