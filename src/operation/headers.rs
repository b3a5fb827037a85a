//! The headers of a request as text, and the metadata among them.

use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use http::{HeaderMap, HeaderValue};

/// The text of a header. `None` when it is absent, and when it is empty: recordings show that the service treats an empty header as
/// absent. Routing and operations both use this function, so that no header selects an operation that then treats it as absent.
pub fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    header_value(headers, name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()).filter(|text| !text.is_empty())
}

/// The value of a header, whose name is in lower case.
///
/// A request has few headers, and an operation may read fifty: a comparison with each of them costs less than the hash of the name.
pub fn header_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a HeaderValue> {
    debug_assert!(!name.bytes().any(|byte| byte.is_ascii_uppercase()), "{name} is not in lower case");
    headers.iter().find(|(known, _)| known.as_str() == name).map(|(_, value)| value)
}

/// The metadata among headers. `metadata_case` has the names that were not written in lower case, in pairs: in lower case, as written.
///
/// # Errors
/// 400 for malformed metadata.
pub(super) fn metadata(headers: &HeaderMap, metadata_case: &[(String, String)]) -> Result<Metadata, StorageError> {
    let named = headers.iter().filter_map(|(name, value)| {
        let name = name.as_str().strip_prefix("x-ms-meta-")?;
        let written = metadata_case.iter().find(|(lower, _)| lower == name).map_or(name, |(_, written)| written);
        Some((written, value.as_bytes()))
    });
    Metadata::from_headers(named)
}
