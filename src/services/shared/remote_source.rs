//! Copy sources on other servers: the request for a source, and the error of a copy whose source is refused.

use crate::operation::{Fields, FromRequest, Input, RemoteRequest, RemoteResponse, Request, xml};
use crate::rules::conditions::Conditions;
use crate::rules::copy_source::SourceError;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges::RequestedRange as Range;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::{conditions, copy_source};
use crate::services::shared::content_headers::{ContentHeaders, IN_RESPONSE};
use http::{HeaderMap, HeaderName, HeaderValue};

/// The headers of a copy's request that are about its source, and their names in the request for the source.
const FORWARDED: [(&str, &str); 12] = [
    (conditions::SOURCE.if_match, conditions::PLAIN.if_match),
    (conditions::SOURCE.if_none_match, conditions::PLAIN.if_none_match),
    (conditions::SOURCE.if_modified_since, conditions::PLAIN.if_modified_since),
    (conditions::SOURCE.if_unmodified_since, conditions::PLAIN.if_unmodified_since),
    (conditions::SOURCE.if_tags, conditions::PLAIN.if_tags),
    ("x-ms-source-lease-id", "x-ms-lease-id"),
    ("x-ms-source-encryption-key", "x-ms-encryption-key"),
    ("x-ms-source-encryption-key-sha256", "x-ms-encryption-key-sha256"),
    ("x-ms-source-encryption-algorithm", "x-ms-encryption-algorithm"),
    ("x-ms-copy-source-authorization", "authorization"),
    ("x-ms-file-request-intent", "x-ms-file-request-intent"),
    ("x-ms-source-allow-trailing-dot", "x-ms-allow-trailing-dot"),
];

/// The headers of the request for a source that are conditions on its state. Tags have other conditions than the blob.
const CONDITIONS: [&str; 4] = [
    conditions::PLAIN.if_match,
    conditions::PLAIN.if_none_match,
    conditions::PLAIN.if_modified_since,
    conditions::PLAIN.if_unmodified_since,
];

/// The most bytes of a refusal that are read.
const REFUSAL: usize = 16 << 10;

/// The headers for the server of a copy's source: every header about the source that the operation declares.
#[derive(Clone, Debug)]
pub struct ForwardedHeaders(HeaderMap);

impl FromRequest for ForwardedHeaders {
    const INPUTS: &'static [Input] =
        &[Input::header("x-ms-copy-source-authorization"), Input::header("x-ms-file-request-intent")];

    fn from_request(fields: &Fields<'_>) -> Result<ForwardedHeaders, StorageError> {
        let value = |name: &str| fields.headers.get(name).filter(|value| !value.is_empty()).cloned();
        let declared = FORWARDED.iter().filter(|(name, _)| fields.spec.reads(name));
        let forwarded = declared.chain(&[("x-ms-version", "x-ms-version")]);
        let named = forwarded.filter_map(|(name, remote)| Some((HeaderName::from_static(remote), value(name)?)));
        Ok(ForwardedHeaders(named.collect()))
    }
}

impl ForwardedHeaders {
    /// The headers for a request about the tags of the source.
    pub fn for_tags(&self) -> HeaderMap {
        let mut headers = self.0.clone();
        CONDITIONS.iter().for_each(|name| _ = headers.remove(*name));
        headers
    }
}

/// A copy's source as its request names it.
#[derive(Clone, Copy, Debug)]
pub struct NamedSource<'a> {
    pub url: &'a str,
    /// The part of the source that is copied.
    pub range: Range,
    pub conditions: &'a Conditions,
    pub headers: &'a ForwardedHeaders,
}

/// A source on another server: the answer of that server, whose body is not read yet.
#[derive(Debug)]
pub struct RemoteSource {
    pub answer: RemoteResponse,
    /// The part of the answer's body that is the source.
    pub part: std::ops::Range<u64>,
}

impl RemoteSource {
    /// Sends the request for a source, or for a range of it.
    ///
    /// # Errors
    /// CannotVerifyCopySource with the status of its server's refusal; 500 when there is no answer.
    pub async fn open(request: &Request, source: NamedSource<'_>) -> Result<RemoteSource, StorageError> {
        let mut headers = source.headers.0.clone();
        if let Some(value) = header_of(source.range) {
            headers.insert(http::header::RANGE, value);
        }
        let answer = request.sources.open(RemoteRequest { url: source.url.to_owned(), headers }).await?;
        let part = match (answer.status, source.range) {
            (200, Range::Whole) => 0..u64::MAX,
            (206, range) if starts_as_requested(&answer.headers, range) => 0..u64::MAX,
            // A server that does not support ranges sends everything.
            (200, Range::From(start)) => start..u64::MAX,
            (200, Range::Between(start, end)) => start..end.saturating_add(1),
            _ => return Err(refusal(request.version, answer).await),
        };
        let modified = text(&answer.headers, "last-modified").and_then(Timestamp::parse_http);
        conditions::check_remote_source(source.conditions, text(&answer.headers, "etag"), modified).map_err(|failed| {
            copy_source::refused(request.version, &StorageError::from(ErrorCode::ConditionNotMet).with_status(failed.status()))
        })?;
        if answer.length().is_some_and(|length| part.start > 0 && part.start >= length) {
            return Err(copy_source::refused(request.version, &ErrorCode::InvalidRange.into()));
        }
        Ok(RemoteSource { answer, part })
    }

    /// The size of the source in bytes, which a copy in the background must know at its start.
    ///
    /// # Errors
    /// 409 CannotVerifyCopySource.
    pub fn length(&self) -> Result<u64, StorageError> {
        self.answer.length().ok_or_else(|| refused(409, "The copy source does not say its length."))
    }

    /// The headers that describe the content of the source.
    pub fn content_headers(&self) -> ContentHeaders {
        ContentHeaders::read(IN_RESPONSE, |name| text(&self.answer.headers, name))
    }
}

fn header_of(range: Range) -> Option<HeaderValue> {
    let text = match range {
        Range::Whole => return None,
        Range::From(start) => format!("bytes={start}-"),
        Range::Between(start, end) => format!("bytes={start}-{end}"),
    };
    HeaderValue::try_from(text).ok()
}

/// Returns true if a partial answer starts where the requested range starts.
fn starts_as_requested(headers: &HeaderMap, range: Range) -> bool {
    let reported =
        text(headers, "content-range").and_then(|text| text.strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok());
    match range {
        Range::Whole => false,
        Range::From(start) | Range::Between(start, _) => reported == Some(start),
    }
}

/// The error of a source, for the operations that have an error code of their own for a condition on the source that fails.
pub fn condition_error(conditions: &Conditions, error: StorageError) -> StorageError {
    match error.status() {
        304 | 412 if !conditions.is_empty() => ErrorCode::SourceConditionNotMet.into(),
        _ => error,
    }
}

/// The error of a copy whose source is refused by its server: with the same message, if there is one, and the same status, if it is one
/// of an error.
pub async fn refusal(version: Version, answer: RemoteResponse) -> StorageError {
    let status = match answer.status {
        status @ (304 | 400..=499) => status,
        500.. => 500,
        _ => 409,
    };
    let fallback = format!("Could not verify the copy source: it answered with status {}.", answer.status);
    let (theirs, named) = (answer.status, text(&answer.headers, "x-ms-error-code").map(str::to_owned));
    let document = answer.beginning(REFUSAL).await;
    let error = xml::parse(&document, "Error").ok();
    let says = error.as_ref().and_then(|error| Some(error.text_of("Message")?.lines().next()?.to_owned()));
    let code = named.or_else(|| Some(error.as_ref()?.text_of("Code")?.to_owned()));
    let usual = match status {
        304 | 412 => Some(ErrorCode::ConditionNotMet.message()),
        404 => Some(ErrorCode::CannotVerifyCopySource.message()),
        _ => None,
    };
    let source = SourceError { status: theirs, code: code.as_deref(), message: says.as_deref() };
    source.into_error(version, status, says.as_deref().or(usual).unwrap_or(&fallback))
}

/// The refusal of a source that cannot be copied.
pub fn refused(status: u16, sentence: &str) -> StorageError {
    ErrorCode::CannotVerifyCopySource.with_message(sentence.to_owned()).with_status(status)
}

/// The text of a header of an answer.
pub fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
