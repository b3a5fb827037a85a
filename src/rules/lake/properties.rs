//! The properties of users (`x-ms-properties`): the metadata of the Blob service, as `name=base64,name=base64`.
//!
//! Values are Latin-1 inside the base64. Names and order remain.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::PathKind;
use crate::rules::metadata::Metadata;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

const HEADER: &str = "x-ms-properties";

/// The key that marks a directory for clients of the Blob service. Clients send it back with what they have read; it is never stored.
pub const IS_FOLDER: &str = "hdi_isfolder";

/// Parses the header.
///
/// # Errors
/// 400 InvalidPropertyName for a name that metadata cannot have; 400 InvalidHeaderValue for a value that is not base64, or has control
/// characters; 400 MetadataTooLarge.
pub fn parse(text: &str) -> Result<Metadata, StorageError> {
    let invalid = || StorageError::invalid_header(HEADER, text);
    let pairs = text.split(',').filter(|pair| !pair.trim().is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').ok_or_else(invalid)?;
        let value = BASE64_STANDARD.decode(value.trim()).map_err(|_| invalid())?;
        let value: String = value.into_iter().map(char::from).collect();
        match value.chars().any(|c| c.is_control() && c != '\t') {
            true => Err(invalid()),
            false => Ok((name.trim(), value)),
        }
    });
    let pairs: Vec<(&str, String)> = pairs.collect::<Result<_, _>>()?;
    Metadata::from_texts(pairs.into_iter().filter(|(name, _)| !name.eq_ignore_ascii_case(IS_FOLDER))).map_err(|error| match error
        .code()
    {
        ErrorCode::EmptyMetadataKey => ErrorCode::InvalidPropertyName.into(),
        ErrorCode::InvalidMetadata => {
            ErrorCode::InvalidPropertyName.with_message("The property name contains invalid characters.")
        }
        _ => error,
    })
}

/// The header for the properties of a path. A directory has the key that marks it.
pub fn format(metadata: &Metadata, kind: PathKind) -> String {
    let latin = |value: &str| value.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect::<Vec<u8>>();
    let mark = (kind == PathKind::Directory).then_some((IS_FOLDER, "true"));
    let pairs = metadata.iter().chain(mark).map(|(name, value)| format!("{name}={}", BASE64_STANDARD.encode(latin(value))));
    pairs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn properties_are_read_and_written() {
        for (text, pairs, written) in [
            ("hello=d29ybGQ=,number=NDI=", &[("hello", "world"), ("number", "42")][..], "hello=d29ybGQ=,number=NDI="),
            ("", &[], ""),
            (",", &[], ""),
            ("empty=", &[("empty", "")], "empty="),
            ("b=6Q==,A=IA==", &[("b", "é"), ("A", " ")], "b=6Q==,A=IA=="),
            ("a=YQ==, b=Yg==", &[("a", "a"), ("b", "b")], "a=YQ==,b=Yg=="),
            ("hdi_isfolder=dHJ1ZQ==,a=YQ==", &[("a", "a")], "a=YQ=="),
            ("a=YQ==,A=Yg==", &[("a", "b")], "a=Yg=="),
        ] {
            let metadata = parse(text).unwrap();
            assert_eq!(metadata.iter().collect::<Vec<_>>(), pairs, "{text}");
            assert_eq!(format(&metadata, PathKind::File), written);
        }
        let metadata = parse("a=YQ==").unwrap();
        assert_eq!(format(&metadata, PathKind::Directory), "a=YQ==,hdi_isfolder=dHJ1ZQ==");
        assert_eq!(format(&Metadata::default(), PathKind::Directory), "hdi_isfolder=dHJ1ZQ==");
    }

    #[test]
    fn refuses_what_is_no_property() {
        let large = format!("a={}", BASE64_STANDARD.encode("v".repeat(9000)));
        for (text, code) in [
            ("=YQ==", "InvalidPropertyName"),
            ("a-b=YQ==", "InvalidPropertyName"),
            ("1=YQ==", "InvalidPropertyName"),
            ("é=YQ==", "InvalidPropertyName"),
            ("a", "InvalidHeaderValue"),
            ("a=Y", "InvalidHeaderValue"),
            ("a=a b", "InvalidHeaderValue"),
            ("a=YQ", "InvalidHeaderValue"),
            ("a=Cg==", "InvalidHeaderValue"),
            (&large, "MetadataTooLarge"),
        ] {
            assert_eq!(parse(text).map_err(|error| error.code().name()), Err(code), "{text:.40}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(pairs in prop::collection::btree_map("[a-z_]{1,4}", "[ -~\u{a0}-\u{ff}\t]{0,6}", 0..5)) {
            let metadata = Metadata::from_texts(pairs.iter().map(|(name, value)| (name.as_str(), value.clone()))).unwrap();
            prop_assert_eq!(parse(&format(&metadata, PathKind::Directory)), Ok(metadata));
        }
    }
}
