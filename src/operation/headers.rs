//! The headers of a request as text, and the metadata among them.

use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use http::HeaderMap;

/// The text of a request's header. `None` when it is absent, and when it is empty: recordings show that the service reads an empty
/// header as none. The route and the operations both ask this function, so that no header can choose an operation and then count as
/// absent to it.
pub fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok()).filter(|text| !text.is_empty())
}

/// The metadata among headers. `spelling` has the names that were not written in lower case: lower case, and as written.
pub(super) fn metadata(headers: &HeaderMap, spelling: &[(String, String)]) -> Result<Metadata, StorageError> {
    let named = headers.iter().filter_map(|(name, value)| {
        let name = name.as_str().strip_prefix("x-ms-meta-")?;
        let written = spelling.iter().find(|(lower, _)| lower == name).map_or(name, |(_, written)| written);
        Some((written, value.as_bytes()))
    });
    Metadata::from_headers(named)
}
