//! Entity tags: the tick of the last change of a resource, in hexadecimal.
//!
//! They are `"0x8D…"` in all recordings: the ticks of Last-Modified in upper case, with quotes in headers and in the list of containers,
//! and without quotes in the list of blobs.

use crate::rules::time::Timestamp;
use std::fmt;

/// The entity tag of a state of a resource. Every state has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ETag(u64);

impl ETag {
    /// The tag of a state with this modification time.
    pub const fn of(last_modified: Timestamp) -> ETag {
        ETag(last_modified.ticks())
    }

    /// The quoted form, for headers.
    pub fn quoted(self) -> String {
        format!("\"{self}\"")
    }

    /// Parses the text of a client; `None` for a tag that is not of this service. Quotes and the weak mark are optional.
    pub fn parse(text: &str) -> Option<ETag> {
        let bare = text.trim().trim_start_matches("W/").trim_matches('"');
        bare.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()).map(ETag)
    }

    /// Returns true if the text of a client is this tag.
    pub fn is(self, text: &str) -> bool {
        ETag::parse(text) == Some(self)
    }

    /// Returns true if its time is not before 1601, so that it has a file time of Windows.
    pub fn is_file_time(self) -> bool {
        self.0 >= Timestamp::WINDOWS_EPOCH.ticks()
    }
}

impl fmt::Display for ETag {
    /// The form without quotes, for the list of blobs.
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
        assert_eq!(first.0, Timestamp::WINDOWS_EPOCH.ticks());
        for (tag, is) in [(first.0, true), (first.0 - 1, false), (0x0111_1111_1111_1111, false), (0x08D2_C916_7D53_FC2C, true)] {
            assert_eq!(ETag(tag).is_file_time(), is, "{tag:X}");
        }
    }
}
