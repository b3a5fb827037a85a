//! Copy sources on other servers: what they are asked, and what their answers mean. Another storage service says of its blob what this one
//! does; of a plain web server's answer there is a content with its headers, which becomes a block blob.

use super::body::{Body, ContentHeaders};
use super::wire;
use crate::op::{Answer, Asking, Call, xml};
use crate::rules::{
    condition::{self, Unmet},
    fault::{Code, Fault},
    metadata::Metadata,
    pages,
    range::Asked as Range,
    tags::Tags,
    time::Timestamp,
};
use crate::store::Store;
use crate::store::content::{self, Content};
use crate::store::sparse::{PageFilling, Sparse};
use http::{HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;

/// What a copy's request says of its source, and what that is called when the source is asked.
const PASSED_ON: [(&str, &str); 12] = [
    ("x-ms-version", "x-ms-version"),
    (condition::SOURCE.if_match, condition::PLAIN.if_match),
    (condition::SOURCE.if_none_match, condition::PLAIN.if_none_match),
    (condition::SOURCE.if_modified_since, condition::PLAIN.if_modified_since),
    (condition::SOURCE.if_unmodified_since, condition::PLAIN.if_unmodified_since),
    (condition::SOURCE.if_tags, condition::PLAIN.if_tags),
    ("x-ms-source-lease-id", "x-ms-lease-id"),
    ("x-ms-source-encryption-key", "x-ms-encryption-key"),
    ("x-ms-source-encryption-key-sha256", "x-ms-encryption-key-sha256"),
    ("x-ms-source-encryption-algorithm", "x-ms-encryption-algorithm"),
    ("x-ms-copy-source-authorization", "authorization"),
    ("x-ms-file-request-intent", "x-ms-file-request-intent"),
];

/// Those of them that are conditions on its state.
const CONDITIONS: [&str; 4] = [
    condition::PLAIN.if_match,
    condition::PLAIN.if_none_match,
    condition::PLAIN.if_modified_since,
    condition::PLAIN.if_unmodified_since,
];

/// The most bytes of a refusal that are read.
const REFUSAL: usize = 16 << 10;
/// The most bytes of a source's tags that are read.
const TAGS: usize = 64 << 10;

/// A source elsewhere: what its server says of it, and its bytes, which are still to come.
#[derive(Debug)]
pub(super) struct Elsewhere {
    /// What its server answered.
    pub(super) answer: Answer,
    /// Which part of the answer's body is meant.
    pub(super) part: std::ops::Range<u64>,
}

impl Elsewhere {
    /// Asks for a source, or a range of it, under the request's conditions.
    ///
    /// # Errors
    /// CannotVerifyCopySource with the status of its server's refusal; 500 where there is no answer.
    pub(super) async fn open(call: &Call, url: &str, range: Option<&str>) -> Result<Elsewhere, Fault> {
        let mut headers = passed_on(call);
        let range = range.map(|text| (text, Range::parse(text))).filter(|(_, range)| *range != Range::Whole);
        if let Some(value) = range.and_then(|(text, _)| HeaderValue::from_str(text).ok()) {
            headers.insert(http::header::RANGE, value);
        }
        let answer = call.sources.open(Asking { url: url.to_owned(), headers }).await?;
        let part = match (answer.status, range) {
            (200, None) => 0..u64::MAX,
            (206, Some((_, asked))) if begins_as(&answer.headers, asked) => 0..u64::MAX,
            // A server need not know ranges: then it sends the whole.
            (200, Some((_, Range::From(start)))) => start..u64::MAX,
            (200, Some((_, Range::Between(start, end)))) => start..end.saturating_add(1),
            _ => return Err(refusal(answer).await),
        };
        let modified = text(&answer.headers, "last-modified").and_then(Timestamp::parse_http);
        let want = call.conditions_named(&condition::SOURCE)?;
        condition::elsewhere_holds(&want, text(&answer.headers, "etag"), modified)
            .map_err(|unmet| refused(if unmet == Unmet::Match { 412 } else { 304 }, Code::ConditionNotMet.says()))?;
        if answer.length().is_some_and(|length| part.start > 0 && part.start >= length) {
            return Err(Code::CannotVerifyCopySource.saying(Code::InvalidRange.says()).status_of(416));
        }
        Ok(Elsewhere { answer, part })
    }

    /// What its server says of it.
    ///
    /// # Errors
    /// 400 for metadata that no blob can have.
    pub(super) fn described(&self) -> Result<Described, Fault> {
        Described::read(&self.answer.headers)
    }
}

/// The tags of a source elsewhere.
///
/// # Errors
/// As [`Elsewhere::open`]; CannotVerifyCopySource for an answer that is no tag set.
pub(super) async fn tags(call: &Call, url: &str) -> Result<Tags, Fault> {
    let joint = if url.contains('?') { '&' } else { '?' };
    // The conditions were held when the source itself was asked for; tags know of none but their own.
    let mut headers = passed_on(call);
    CONDITIONS.iter().for_each(|name| _ = headers.remove(*name));
    let answer = call.sources.open(Asking { url: format!("{url}{joint}comp=tags"), headers }).await?;
    match answer.status {
        200 => wire::read_tags(&answer.beginning(TAGS).await).map_err(|_| refused(409, "The copy source has no tags.")),
        _ => Err(refusal(answer).await),
    }
}

fn passed_on(call: &Call) -> HeaderMap {
    let given =
        PASSED_ON.iter().filter_map(|(here, there)| Some((HeaderName::from_static(there), call.headers.get(*here)?.clone())));
    given.collect()
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

/// What a source's refusal becomes: the source's own sentence, if it has one, and its status, if it is one of a refusal.
async fn refusal(answer: Answer) -> Fault {
    let status = match answer.status {
        status @ (304 | 400..=499) => status,
        500.. => 500,
        _ => 409,
    };
    let told = format!("Could not verify the copy source: it answered with status {}.", answer.status);
    let document = answer.beginning(REFUSAL).await;
    let says = xml::parse(&document, "Error").ok().and_then(|error| Some(error.text_of("Message")?.lines().next()?.to_owned()));
    let usual = match status {
        304 | 412 => Some(Code::ConditionNotMet.says()),
        404 => Some(Code::CannotVerifyCopySource.says()),
        _ => None,
    };
    refused(status, says.as_deref().or(usual).unwrap_or(&told))
}

fn refused(status: u16, says: &str) -> Fault {
    Code::CannotVerifyCopySource.saying(says.to_owned()).status_of(status)
}

/// A blob as another server describes it.
#[derive(Clone, Debug)]
pub(super) struct Described {
    kind: Kind,
    /// The headers that describe its content.
    pub(super) headers: ContentHeaders,
    /// Its metadata.
    pub(super) metadata: Metadata,
}

/// The type of a blob, and what it keeps beside its bytes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Block,
    Append { blocks: u32, sealed: bool },
    Page { sequence: u64 },
}

impl Kind {
    /// A body that shares these bytes; pages do not, so that those of nothing but zeros take no room.
    fn sharing(self, bytes: &Content, now: Timestamp) -> Option<Body> {
        match self {
            Kind::Block => Some(Body::Block { content: bytes.clone(), blocks: Arc::default() }),
            Kind::Append { blocks, sealed } => {
                let mut content = Sparse::new(bytes.len());
                content.write(0, bytes, now);
                Some(Body::Append { content, blocks, sealed })
            }
            Kind::Page { .. } => None,
        }
    }
}

fn not_pages() -> Fault {
    refused(409, "The copy source is no page blob: its size is not a multiple of 512 bytes.")
}

impl Described {
    fn read(headers: &HeaderMap) -> Result<Described, Fault> {
        let number = |name| text(headers, name).and_then(|text| text.parse().ok());
        let kind = match text(headers, "x-ms-blob-type") {
            Some("AppendBlob") => Kind::Append {
                blocks: number("x-ms-blob-committed-block-count").and_then(|count| u32::try_from(count).ok()).unwrap_or(1),
                sealed: text(headers, "x-ms-blob-sealed") == Some("true"),
            },
            Some("PageBlob") => Kind::Page { sequence: number("x-ms-blob-sequence-number").unwrap_or(0) },
            _ => Kind::Block,
        };
        let one = |name: &str| text(headers, name).filter(|text| !text.is_empty()).map(Box::from);
        let named =
            headers.iter().filter_map(|(name, value)| Some((name.as_str().strip_prefix("x-ms-meta-")?, value.as_bytes())));
        Ok(Described {
            kind,
            headers: ContentHeaders {
                content_type: one("content-type"),
                encoding: one("content-encoding"),
                language: one("content-language"),
                md5: one("content-md5"),
                cache_control: one("cache-control"),
                disposition: one("content-disposition"),
            },
            metadata: Metadata::from_headers(named)?,
        })
    }

    /// A body of its type with nothing in it yet, but of its size where a size shows.
    pub(super) fn empty(&self) -> Body {
        match self.kind {
            Kind::Block => Body::Block { content: Content::default(), blocks: Arc::default() },
            Kind::Append { .. } => Body::Append { content: Sparse::default(), blocks: 0, sealed: false },
            Kind::Page { sequence } => Body::Page { content: Sparse::new(0), sequence },
        }
    }

    /// A body of its type with these bytes.
    ///
    /// # Errors
    /// 409 CannotVerifyCopySource for a page blob whose size is not one of whole pages; 500 InternalError for those of the disk.
    pub(super) fn body(&self, store: &Store, content: &Content, now: Timestamp) -> Result<Body, Fault> {
        if let Some(body) = self.kind.sharing(content, now) {
            return Ok(body);
        }
        let mut filling = self.filling(store, content.len(), now);
        for chunk in content.slice(0..content.len()) {
            filling.push(&chunk.read()?)?;
        }
        filling.finish()
    }

    /// A body of its type and of so many bytes, to be filled as they come.
    pub(super) fn filling(&self, store: &Store, size: u64, now: Timestamp) -> Filled {
        let bytes = match self.kind {
            Kind::Page { .. } => Filling::Pages(PageFilling::new(store, size, now)),
            Kind::Block | Kind::Append { .. } => Filling::Bytes(content::Filling::new(store, size)),
        };
        Filled { kind: self.kind, came: 0, now, bytes }
    }
}

/// A body that is being filled.
#[derive(Debug)]
pub(super) struct Filled {
    kind: Kind,
    came: u64,
    now: Timestamp,
    bytes: Filling,
}

#[derive(Debug)]
enum Filling {
    Bytes(content::Filling),
    Pages(PageFilling),
}

impl Filled {
    /// Takes in the next bytes.
    ///
    /// # Errors
    /// 500 InternalError when the disk does not take them.
    pub(super) fn push(&mut self, piece: &[u8]) -> Result<(), Fault> {
        self.came += piece.len() as u64;
        match &mut self.bytes {
            Filling::Bytes(filling) => filling.push(piece)?,
            Filling::Pages(filling) => filling.push(piece)?,
        }
        Ok(())
    }

    /// How many bytes came so far.
    pub(super) fn came(&self) -> u64 {
        self.came
    }

    /// Ends.
    ///
    /// # Errors
    /// 409 CannotVerifyCopySource for a page blob whose size is not one of whole pages.
    pub(super) fn finish(self) -> Result<Body, Fault> {
        match (self.kind, self.bytes) {
            (Kind::Page { sequence }, Filling::Pages(pages)) if self.came.is_multiple_of(pages::PAGE) => {
                Ok(Body::Page { content: pages.finish()?, sequence })
            }
            (kind, Filling::Bytes(bytes)) => kind.sharing(&bytes.finish()?, self.now).ok_or_else(not_pages),
            (_, Filling::Pages(_)) => Err(not_pages()),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
