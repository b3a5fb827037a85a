//! Metadata: the names and values that clients set on containers, blobs, queues, shares and files with `x-ms-meta-` headers.
//!
//! The service checks, stores and returns them, and does not interpret them.

use crate::rules::error::{ErrorCode, StorageError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most bytes of all names and values together: 8 KiB.
pub const LIMIT: usize = 8 * 1024;

/// Names and values, in the order of the request. It is cheap to clone, and empty metadata allocates nothing.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata(Arc<[(Box<str>, Box<str>)]>);

impl Metadata {
    /// Parses the headers of a request, each with its name after `x-ms-meta-`. Values of the same name, in any letter case, are joined with
    /// a comma.
    ///
    /// # Errors
    /// 400 EmptyMetadataKey for an empty name; 400 InvalidMetadata for a name that is not a C# identifier, or a value that is not visible
    /// ASCII, spaces and tabs; 400 MetadataTooLarge for more than [`LIMIT`].
    pub fn from_headers<'a>(headers: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Metadata, StorageError> {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for (name, value) in headers {
            let value = text(value).ok_or(ErrorCode::InvalidMetadata)?;
            if name.is_empty() {
                return Err(ErrorCode::EmptyMetadataKey.with_detail("MetadataValue", value));
            }
            if !identifier(name) {
                return Err(ErrorCode::InvalidMetadata.into());
            }
            match pairs.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some((_, values)) => {
                    values.push(',');
                    values.push_str(value);
                }
                None => pairs.push((name, value.to_owned())),
            }
        }
        Metadata::within_limit(pairs)
    }

    /// Names and values that are not headers. Later values replace those of the same name, in any letter case.
    ///
    /// # Errors
    /// 400 EmptyMetadataKey or InvalidMetadata for a name, 400 MetadataTooLarge.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = (&'a str, String)>) -> Result<Metadata, StorageError> {
        let mut pairs: Vec<(&str, String)> = Vec::new();
        for (name, value) in texts {
            if name.is_empty() {
                return Err(ErrorCode::EmptyMetadataKey.into());
            }
            if !identifier(name) {
                return Err(ErrorCode::InvalidMetadata.into());
            }
            match pairs.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some((_, before)) => *before = value,
                None => pairs.push((name, value)),
            }
        }
        Metadata::within_limit(pairs)
    }

    fn within_limit(pairs: Vec<(&str, String)>) -> Result<Metadata, StorageError> {
        if pairs.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > LIMIT {
            return Err(ErrorCode::MetadataTooLarge.into());
        }
        Ok(Metadata(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect()))
    }

    /// The names and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The value of a name, in any letter case.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The metadata without this name, in any letter case.
    pub fn without(&self, name: &str) -> Metadata {
        match self.get(name) {
            None => self.clone(),
            Some(_) => Metadata(self.0.iter().filter(|(known, _)| !known.eq_ignore_ascii_case(name)).cloned().collect()),
        }
    }

    /// The metadata with another pair at the end.
    pub fn with(&self, name: &str, value: &str) -> Metadata {
        let pair = (name.into(), value.into());
        Metadata(self.0.iter().cloned().chain(std::iter::once(pair)).collect())
    }

    /// Returns true if the names and values are equal, in any order and with any letter case of the names.
    pub fn is_same_as(&self, other: &Metadata) -> bool {
        self.0.len() == other.0.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns true for a C# identifier in ASCII: a letter or `_`, then letters, digits and `_`.
fn identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The value of a header without white space around it; `None` for other characters than visible ASCII, spaces and tabs.
fn text(value: &[u8]) -> Option<&str> {
    let text = str::from_utf8(value).ok()?;
    text.bytes().all(|b| matches!(b, b'\t' | b' '..=b'~')).then(|| text.trim_matches([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&str, &str)]) -> Result<Metadata, StorageError> {
        Metadata::from_headers(headers.iter().map(|(name, value)| (*name, value.as_bytes())))
    }

    #[test]
    fn names_and_values_are_unchanged() {
        let json = r#"{"EncryptionAgent": {"Protocol": "1.0", "EncryptionAlgorithm": "AES_CBC_256"}}"#;
        for (headers, wanted) in [
            (vec![], vec![]),
            (vec![("Hello", "world"), ("number", "42")], vec![("Hello", "world"), ("number", "42")]),
            (vec![("_a1", " \tb  c\t "), ("empty", ""), ("blank", " ")], vec![("_a1", "b  c"), ("empty", ""), ("blank", "")]),
            (vec![("a", "1"), ("b", "2"), ("A", "3")], vec![("a", "1,3"), ("b", "2")]),
            (vec![("encryptiondata", json)], vec![("encryptiondata", json)]),
        ] {
            let metadata = read(&headers).unwrap();
            assert_eq!(metadata.iter().collect::<Vec<_>>(), wanted);
            assert_eq!(metadata.is_empty(), wanted.is_empty());
            assert_eq!(read(&wanted), Ok(metadata), "what was given back can be given again");
        }
        assert_eq!(read(&[("hdi_isFolder", "true")]).unwrap().get("HDI_isfolder"), Some("true"));
        assert_eq!(read(&[]).unwrap().get("a"), None);
    }

    #[test]
    fn order_does_not_matter() {
        let one = read(&[("a", "1"), ("b", "2")]).unwrap();
        for (other, same) in [
            (&[("B", "2"), ("a", "1")][..], true),
            (&[("a", "1")], false),
            (&[("a", "1"), ("b", "3")], false),
            (&[("a", "1"), ("c", "2")], false),
            (&[("a", "1"), ("b", "2"), ("c", "")], false),
        ] {
            let other = read(other).unwrap();
            assert_eq!((one.is_same_as(&other), other.is_same_as(&one)), (same, same), "{other:?}");
        }
    }

    #[test]
    fn refuses_what_the_service_refuses() {
        let (full, over) = ("v".repeat(LIMIT - 4), "v".repeat(LIMIT - 3));
        assert!(read(&[("name", &full)]).is_ok());
        for (headers, error) in [
            (vec![("1a", "x")], ErrorCode::InvalidMetadata.into()),
            (vec![("a-b", "x")], ErrorCode::InvalidMetadata.into()),
            (vec![("a.b", "x")], ErrorCode::InvalidMetadata.into()),
            (vec![("é", "x")], ErrorCode::InvalidMetadata.into()),
            (vec![("a", "é")], ErrorCode::InvalidMetadata.into()),
            (vec![("a", "x\u{7f}")], ErrorCode::InvalidMetadata.into()),
            (vec![("", " x ")], ErrorCode::EmptyMetadataKey.with_detail("MetadataValue", "x")),
            (vec![("name", over.as_str())], ErrorCode::MetadataTooLarge.into()),
            (vec![("name", full.as_str()), ("NAME", "")], ErrorCode::MetadataTooLarge.into()),
        ] {
            assert_eq!(read(&headers), Err(error), "{headers:.60?}");
        }
        assert_eq!(Metadata::from_headers([("a", [0xE9].as_slice())]), Err(ErrorCode::InvalidMetadata.into()));
    }
}
