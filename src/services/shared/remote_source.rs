//! Copy sources on other servers: what they are asked, and what it means that they refuse.

use crate::operation::{RemoteRequest, RemoteResponse, Request, xml};
use crate::rules::copy_source::Refusal;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges::RequestedRange as Range;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::{conditions, copy_source};
use http::{HeaderMap, HeaderName, HeaderValue};

/// What a copy's request says of its source, and what that is called when the source is asked.
const PASSED_ON: [(&str, &str); 13] = [
    ("x-ms-version", "x-ms-version"),
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

/// Those of them that are conditions on its state.
pub const CONDITIONS: [&str; 4] = [
    conditions::PLAIN.if_match,
    conditions::PLAIN.if_none_match,
    conditions::PLAIN.if_modified_since,
    conditions::PLAIN.if_unmodified_since,
];

/// The most bytes of a refusal that are read.
const REFUSAL: usize = 16 << 10;

/// A source elsewhere: what its server says of it, and its bytes, which are still to come.
#[derive(Debug)]
pub struct RemoteSource {
    /// What its server answered.
    pub answer: RemoteResponse,
    /// Which part of the answer's body is meant.
    pub part: std::ops::Range<u64>,
}

impl RemoteSource {
    /// Asks for a source, or a range of it, under the request's conditions.
    ///
    /// # Errors
    /// CannotVerifyCopySource with the status of its server's refusal; 500 where there is no answer.
    pub async fn open(request: &Request, url: &str, range: Option<&str>) -> Result<RemoteSource, StorageError> {
        let mut headers = passed_on(request);
        let range = range.map(|text| (text, Range::parse(text))).filter(|(_, range)| *range != Range::Whole);
        if let Some(value) = range.and_then(|(text, _)| HeaderValue::from_str(text).ok()) {
            headers.insert(http::header::RANGE, value);
        }
        let answer = request.sources.open(RemoteRequest { url: url.to_owned(), headers }).await?;
        let part = match (answer.status, range) {
            (200, None) => 0..u64::MAX,
            (206, Some((_, asked))) if begins_as(&answer.headers, asked) => 0..u64::MAX,
            // A server need not know ranges: then it sends the whole.
            (200, Some((_, Range::From(start)))) => start..u64::MAX,
            (200, Some((_, Range::Between(start, end)))) => start..end.saturating_add(1),
            _ => return Err(refusal(request.version, answer).await),
        };
        let modified = text(&answer.headers, "last-modified").and_then(Timestamp::parse_http);
        let want = request.conditions_named(&conditions::SOURCE)?;
        conditions::check_remote_source(&want, text(&answer.headers, "etag"), modified).map_err(|unmet| {
            copy_source::refused(request.version, &StorageError::from(ErrorCode::ConditionNotMet).with_status(unmet.status()))
        })?;
        if answer.length().is_some_and(|length| part.start > 0 && part.start >= length) {
            return Err(copy_source::refused(request.version, &ErrorCode::InvalidRange.into()));
        }
        Ok(RemoteSource { answer, part })
    }
}

/// What is passed on of a copy's request when its source is asked.
pub fn passed_on(request: &Request) -> HeaderMap {
    let value = |name: &str| request.headers.get(name).filter(|value| !value.is_empty()).cloned();
    PASSED_ON.iter().filter_map(|(here, there)| Some((HeaderName::from_static(there), value(here)?))).collect()
}

/// Whether a partial answer is the part that was asked for.
fn begins_as(headers: &HeaderMap, asked: Range) -> bool {
    let told =
        text(headers, "content-range").and_then(|text| text.strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok());
    match asked {
        Range::Whole => false,
        Range::From(start) | Range::Between(start, _) => told == Some(start),
    }
}

/// The refusal of a source under the request's conditions, for the operations that have a name for an unmet one.
pub fn named_if_unmet(request: &Request, error: StorageError) -> StorageError {
    let conditional = request.conditions_named(&conditions::SOURCE).is_ok_and(|want| !want.is_empty());
    match error.status() {
        304 | 412 if conditional => ErrorCode::SourceConditionNotMet.into(),
        _ => error,
    }
}

/// What a source's refusal becomes: the source's own sentence, if it has one, and its status, if it is one of a refusal.
pub async fn refusal(version: Version, answer: RemoteResponse) -> StorageError {
    let status = match answer.status {
        status @ (304 | 400..=499) => status,
        500.. => 500,
        _ => 409,
    };
    let told = format!("Could not verify the copy source: it answered with status {}.", answer.status);
    let (theirs, named) = (answer.status, text(&answer.headers, "x-ms-error-code").map(str::to_owned));
    let document = answer.beginning(REFUSAL).await;
    let error = xml::parse(&document, "Error").ok();
    let says = error.as_ref().and_then(|error| Some(error.text_of("Message")?.lines().next()?.to_owned()));
    let code = named.or_else(|| Some(error.as_ref()?.text_of("Code")?.to_owned()));
    let usual = match status {
        304 | 412 => Some(ErrorCode::ConditionNotMet.says()),
        404 => Some(ErrorCode::CannotVerifyCopySource.says()),
        _ => None,
    };
    let refusal = Refusal { status: theirs, code: code.as_deref(), says: says.as_deref() };
    refusal.told(version, status, says.as_deref().or(usual).unwrap_or(&told))
}

/// A refusal of a source, with the status of its server's.
pub fn refused(status: u16, says: &str) -> StorageError {
    ErrorCode::CannotVerifyCopySource.with_message(says.to_owned()).with_status(status)
}

/// The text of one of its headers.
pub fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
