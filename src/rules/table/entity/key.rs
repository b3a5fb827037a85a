//! The key of an entity: PartitionKey, then RowKey, in the order of their UTF-16 code units.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names::RESERVED;
use crate::rules::table::entity::utf16;
use crate::rules::text::quoted;
use percent_encoding::utf8_percent_encode;
use std::cmp::Ordering;
use std::sync::Arc;

/// The longest key, in UTF-16 code units: 1 KiB.
const LONGEST: usize = 512;

/// A PartitionKey and a RowKey, concatenated.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    text: Arc<str>,
    /// Where the RowKey begins.
    split: u32,
}

impl Key {
    /// Of any two texts, also those that no entity can have: the bounds of ranges need not be valid keys.
    pub fn new(partition: &str, row: &str) -> Key {
        let mut text = String::with_capacity(partition.len() + row.len());
        text.push_str(partition);
        text.push_str(row);
        Key { text: text.into(), split: partition.len() as u32 }
    }

    /// The key of an entity.
    ///
    /// # Errors
    /// 400 KeyValueTooLarge over 1 KiB; 400 OutOfRangeInput for `/`, `\`, `#`, `?` and control characters.
    pub fn checked(partition: &str, row: &str) -> Result<Key, StorageError> {
        for (name, value) in [("PartitionKey", partition), ("RowKey", row)] {
            if utf16(value) > LONGEST {
                return Err(ErrorCode::KeyValueTooLarge.into());
            }
            if value.chars().any(|c| matches!(c, '/' | '\\' | '#' | '?') || c.is_control()) {
                let shown: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                return Err(ErrorCode::OutOfRangeInput
                    .with_message(format!("The '{name}' parameter of value '{shown}' is out of range.")));
            }
        }
        Ok(Key::new(partition, row))
    }

    /// Parses the keys of a decoded URL: `PartitionKey='it''s',RowKey='r'`, in either order.
    ///
    /// # Errors
    /// 400 InvalidInput for any other text; as [`Key::checked`].
    pub fn parse(text: &str) -> Result<Key, StorageError> {
        let malformed = || ErrorCode::InvalidInput.with_reason(format!("{text:?} are not keys"));
        let (mut partition, mut row, mut rest) = (None, None, text.trim());
        while !rest.is_empty() {
            let (name, behind) = rest.split_once('=').ok_or_else(malformed)?;
            let (value, behind) = quoted(behind.trim_start(), '\'').ok_or_else(malformed)?;
            let slot = match name.trim() {
                "PartitionKey" => &mut partition,
                "RowKey" => &mut row,
                _ => return Err(malformed()),
            };
            if slot.replace(value).is_some() {
                return Err(malformed());
            }
            rest = match behind.trim_start().strip_prefix(',') {
                Some(next) if !next.trim_start().is_empty() => next,
                None if behind.trim().is_empty() => "",
                _ => return Err(malformed()),
            };
        }
        let (partition, row) = partition.zip(row).ok_or_else(malformed)?;
        Key::checked(&partition, &row)
    }

    /// The keys in a URL: `PartitionKey='%3A%40',RowKey='r'`.
    pub fn written(&self) -> String {
        let written = |text: &str| utf8_percent_encode(&text.replace('\'', "''"), RESERVED).to_string();
        format!("PartitionKey='{}',RowKey='{}'", written(self.partition()), written(self.row()))
    }

    pub fn partition(&self) -> &str {
        self.text.get(..self.split as usize).unwrap_or_default()
    }

    pub fn row(&self) -> &str {
        self.text.get(self.split as usize..).unwrap_or_default()
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({:?}, {:?})", self.partition(), self.row())
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        ordinal(self.partition(), other.partition()).then_with(|| ordinal(self.row(), other.row()))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A range of keys, half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub from: Key,
    /// Excluded; `None` if the range has no end.
    pub to: Option<Key>,
}

impl Range {
    pub fn all() -> Range {
        Range { from: Key::new("", ""), to: None }
    }

    /// The intersection.
    pub fn and(self, other: &Range) -> Range {
        let to = match (self.to, &other.to) {
            (Some(one), Some(other)) => Some(one.min(other.clone())),
            (one, other) => one.or_else(|| other.clone()),
        };
        Range { from: self.from.max(other.from.clone()), to }
    }

    pub fn is_empty(&self) -> bool {
        self.to.as_ref().is_some_and(|to| *to <= self.from)
    }

    pub fn holds(&self, key: &Key) -> bool {
        self.from <= *key && self.to.as_ref().is_none_or(|to| key < to)
    }
}

impl Default for Range {
    fn default() -> Range {
        Range::all()
    }
}

/// Compares texts by UTF-16 code units, as the service does. UTF-8 has the same order except for characters beyond U+FFFF, whose
/// surrogates sort before U+E000.
pub fn ordinal(one: &str, other: &str) -> Ordering {
    let differ = one.bytes().zip(other.bytes()).find(|(a, b)| a != b);
    match differ {
        None => one.len().cmp(&other.len()),
        Some((a, b)) if a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0) => b.cmp(&a),
        Some((a, b)) => a.cmp(&b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_have_a_maximum_length_and_no_reserved_characters() {
        for (partition, row, refusal) in [
            ("", "", None),
            ("a b'%&+:@$", "é\u{1F600}", None),
            (&*"k".repeat(512), "", None),
            (&*"k".repeat(513), "", Some(ErrorCode::KeyValueTooLarge)),
            ("", &*"\u{1F600}".repeat(257), Some(ErrorCode::KeyValueTooLarge)),
            ("a/b", "", Some(ErrorCode::OutOfRangeInput)),
            ("", "a\\b", Some(ErrorCode::OutOfRangeInput)),
            ("a#", "", Some(ErrorCode::OutOfRangeInput)),
            ("", "?", Some(ErrorCode::OutOfRangeInput)),
            ("a\tb", "", Some(ErrorCode::OutOfRangeInput)),
            ("", "\u{7f}", Some(ErrorCode::OutOfRangeInput)),
            ("", "\u{9f}", Some(ErrorCode::OutOfRangeInput)),
        ] {
            assert_eq!(Key::checked(partition, row).err().map(|error| error.code()), refusal, "{partition:?} {row:?}");
        }
        let error = Key::checked("a", "b/c").unwrap_err();
        assert_eq!(error.message(), "The 'RowKey' parameter of value 'b/c' is out of range.");
    }

    #[test]
    fn keys_are_parsed_from_urls_in_either_order() {
        for (text, expected) in [
            ("PartitionKey='p',RowKey='r'", Some(("p", "r"))),
            ("RowKey='r',PartitionKey='p'", Some(("p", "r"))),
            (" PartitionKey = 'p' , RowKey = 'r' ", Some(("p", "r"))),
            ("PartitionKey='',RowKey=''", Some(("", ""))),
            ("PartitionKey='it''s',RowKey=''','", Some(("it's", "',"))),
            ("PartitionKey='it''s',RowKey=''''", Some(("it's", "'"))),
            ("PartitionKey='a,RowKey=''b''',RowKey='='", Some(("a,RowKey='b'", "="))),
            ("", None),
            ("PartitionKey='p'", None),
            ("PartitionKey='p',RowKey='r',", None),
            ("PartitionKey='p'RowKey='r'", None),
            ("PartitionKey='p',PartitionKey='p',RowKey='r'", None),
            ("PartitionKey='p',RowKey='r',Else='e'", None),
            ("PartitionKey=p,RowKey=r", None),
            ("PartitionKey='p',RowKey='r", None),
            ("'p','r'", None),
        ] {
            let key = Key::parse(text).ok();
            assert_eq!(key.as_ref().map(|key| (key.partition(), key.row())), expected, "{text}");
        }
        assert_eq!(Key::new(":@", "=& it's").written(), "PartitionKey='%3A%40',RowKey='%3D%26%20it%27%27s'");
    }

    #[test]
    fn keys_with_the_same_concatenation_differ() {
        assert!(Key::new("a", "bc") != Key::new("ab", "c"));
        assert!(Key::new("a", "z") < Key::new("ab", ""));
        let key = Key::new("partition", "row");
        assert_eq!((key.partition(), key.row()), ("partition", "row"));
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_utf16(one in ".{0,4}", other in ".{0,4}", high in "[\u{e000}-\u{ffff}\u{10000}-\u{10ffff}]{0,3}") {
            for (one, other) in [(&one, &other), (&high, &one), (&high, &other)] {
                prop_assert_eq!(ordinal(one, other), one.encode_utf16().cmp(other.encode_utf16()));
            }
        }
    }
}
