//! The parsed head of a request, and what is known about the request so far.

use crate::account::Account;
use crate::diagnostics::faults::Injection;
use crate::http::pipeline::batch_scope::BatchScope;
use crate::http::serve::Peer;
use crate::operation::{OperationSpec, Query};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::QueryPairs;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Method};
use std::net::SocketAddr;
use std::sync::Arc;

/// The head of a request.
pub(super) struct RequestHead {
    pub(super) method: Method,
    pub(super) host: String,
    pub(super) path: String,
    /// The version that the request names.
    pub(super) version: Option<Version>,
    /// The decoded query in the order sent.
    pub(super) pairs: QueryPairs,
    /// The query as sent.
    pub(super) raw_query: String,
    pub(super) query: Query,
    pub(super) headers: HeaderMap,
    pub(super) metadata_case: Vec<(String, String)>,
    pub(super) peer: SocketAddr,
    /// Whether the connection uses TLS.
    pub(super) https: bool,
    pub(super) now: Timestamp,
    /// Whether the request is for a website.
    pub(super) site: bool,
    /// The batch that the request is a part of.
    pub(super) batch: Option<BatchScope>,
}

impl RequestHead {
    /// Parses the head of a request. The version comes first, because the response follows it whatever is wrong with the rest.
    pub(super) fn parse(
        parts: http::request::Parts,
        host: String,
        peer: Peer,
        now: Timestamp,
        progress: &mut RequestProgress,
    ) -> Result<RequestHead, StorageError> {
        let site = progress.site;
        let version = if site { Ok(Some(progress.version)) } else { header_version(&parts.headers) };
        progress.shows_version = version.is_ok();
        let version = version?;
        progress.set_version(version);
        // A website ignores the query, and a preflight request concerns the whole service, whatever its URL names.
        let preflight = is_preflight(&parts.method, site);
        let raw_query = parts.uri.query().filter(|_| !site && !preflight).unwrap_or_default();
        let pairs = names::decode_query(raw_query)?;
        let query = Query::new(&pairs);
        let version = version.or_else(|| signed_version(&query));
        progress.set_version(version);
        Ok(RequestHead {
            method: parts.method,
            host,
            path: parts.uri.path().to_owned(),
            version,
            query,
            pairs,
            raw_query: raw_query.to_owned(),
            headers: join_repeated_headers(if preflight { preflight_headers(&parts.headers) } else { parts.headers })?,
            metadata_case: peer.metadata_case,
            peer: peer.address,
            https: peer.https,
            now,
            site,
            batch: None,
        })
    }
}

/// What is known of a request so far, for the response and the log.
#[derive(Debug)]
pub(super) struct RequestProgress {
    pub(super) version: Version,
    /// Whether the response contains the version: not if the request names a malformed one.
    pub(super) shows_version: bool,
    pub(super) account: Option<Arc<Account>>,
    pub(super) spec: Option<&'static OperationSpec>,
    /// The faults that were injected.
    pub(super) fault: Option<Box<Injection>>,
    /// Whether the request is for a website.
    pub(super) site: bool,
}

impl RequestProgress {
    /// The initial state. A website always has the same version, whatever the request names.
    pub(super) fn new(site: bool) -> RequestProgress {
        let version = if site { Version::V2018_03_28 } else { Version::V2009_09_19 };
        RequestProgress { version, shows_version: true, account: None, spec: None, fault: None, site }
    }

    /// The initial state of a part of a batch, which has the version of the batch.
    pub(super) fn of_part(version: Version) -> RequestProgress {
        RequestProgress { version, shows_version: true, account: None, spec: None, fault: None, site: false }
    }

    pub(super) fn set_version(&mut self, version: Option<Version>) {
        self.version = version.unwrap_or(self.version);
    }
}

/// Returns true for a preflight request. Only the CORS rules of the service answer it: the path and the query are not parsed.
pub(super) fn is_preflight(method: &Method, site: bool) -> bool {
    *method == Method::OPTIONS && !site
}

/// The headers that a preflight request is answered by.
fn preflight_headers(headers: &HeaderMap) -> HeaderMap {
    let applies = |name: &HeaderName| *name == http::header::ORIGIN || name.as_str().starts_with("access-control-request-");
    headers.iter().filter(|(name, _)| applies(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The version in the `x-ms-version` header.
fn header_version(headers: &HeaderMap) -> Result<Option<Version>, StorageError> {
    let values = headers.iter().filter(|(name, _)| name.as_str() == "x-ms-version");
    let values: Vec<_> = values.map(|(_, value)| String::from_utf8_lossy(value.as_bytes())).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let text = values.join(",");
    Version::parse(text.trim()).map(Some).ok_or_else(|| StorageError::invalid_header("x-ms-version", text))
}

/// The version of a request without that header: `api-version`, or that of its SAS.
fn signed_version(query: &Query) -> Option<Version> {
    query.get("api-version").or_else(|| query.get("sv").filter(|_| query.get("sig").is_some())).and_then(Version::parse)
}

/// Headers that no operation reads. They need not be text.
const IGNORED_HEADERS: [&str; 3] = ["referer", "user-agent", "x-ms-client-request-id"];

/// Joins the values of repeated headers by `,`, so that none is ignored. A header that is not text is refused: it would count as
/// absent, although it may be a condition or a lease id.
fn join_repeated_headers(headers: HeaderMap) -> Result<HeaderMap, StorageError> {
    let is_binary = |value: &HeaderValue| std::str::from_utf8(value.as_bytes()).is_err();
    if let Some((name, value)) =
        headers.iter().find(|(name, value)| is_binary(value) && !IGNORED_HEADERS.contains(&name.as_str()))
    {
        return Err(match name.as_str().starts_with("x-ms-meta-") {
            true => ErrorCode::InvalidMetadata.into(),
            false => StorageError::invalid_header(name.as_str(), String::from_utf8_lossy(value.as_bytes())),
        });
    }
    if headers.len() == headers.keys_len() {
        return Ok(headers);
    }
    let joined = |name: &HeaderName| {
        let values: Vec<&[u8]> = headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
        HeaderValue::from_bytes(&values.join(&b','))
    };
    Ok(headers.keys().filter_map(|name| Some((name.clone(), joined(name).ok()?))).collect())
}

/// The `Content-Length`; `None` if it is absent or malformed.
pub(super) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(http::header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
}

/// The headers that are text, for signatures.
pub(super) fn text_headers(headers: &HeaderMap) -> Vec<(&str, &str)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), std::str::from_utf8(value.as_bytes()).ok()?))).collect()
}

/// Returns true if the response repeats the client's request id: up to 1024 printable ASCII characters.
pub(super) fn is_echoed(id: &HeaderValue) -> bool {
    id.len() <= 1024 && id.as_bytes().iter().all(|byte| (0x20..0x7f).contains(byte))
}
