//! Entity tags: the tick at which a resource last changed, written in hexadecimal.
//!
//! Every recording shows `"0x8D…"`: the ticks of Last-Modified, upper case, quoted in headers and in the container list, bare
//! in the blob list.

use super::time::Timestamp;
use std::fmt;

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

    /// Whether a client's text names this tag; quotes and the weak mark are the client's to leave out.
    pub fn is(self, text: &str) -> bool {
        let bare = text.trim().trim_start_matches("W/").trim_matches('"');
        bare.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok()) == Some(self.0)
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
}
