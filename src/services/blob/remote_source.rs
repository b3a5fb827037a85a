//! Copy sources on other servers, and the blobs that their answers describe. Another storage service describes its blob as this one does;
//! the answer of a web server becomes a block blob.

use crate::operation::{RemoteRequest, Request};
use crate::rules::blob::pages;
use crate::rules::blob::tags::Tags;
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::wire;
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::copying::PartialContent;
use crate::services::shared::remote_source::{ForwardedHeaders, RemoteSource, refusal, refused, text};
use crate::store::content::Content;
use crate::store::sparse::{PageFilling, Sparse};
use crate::store::{Store, content};
use std::sync::Arc;

/// The most bytes of a source's tags that are read.
const TAGS: usize = 64 << 10;

/// The tags of a source on another server.
///
/// # Errors
/// As [`RemoteSource::open`]; CannotVerifyCopySource for an answer that is not a tag set.
pub(super) async fn tags(request: &Request, url: &str, headers: &ForwardedHeaders) -> Result<Tags, StorageError> {
    let joint = if url.contains('?') { '&' } else { '?' };
    let headers = headers.for_tags();
    let answer = request.sources.open(RemoteRequest { url: format!("{url}{joint}comp=tags"), headers }).await?;
    match answer.status {
        200 => wire::read_tags(&answer.beginning(TAGS).await).map_err(|_| refused(409, "The copy source has no tags.")),
        _ => Err(refusal(request.version, answer).await),
    }
}

/// A blob as another server describes it.
#[derive(Clone, Debug)]
pub(super) struct RemoteBlob {
    kind: Kind,
    pub(super) headers: ContentHeaders,
    pub(super) metadata: Metadata,
}

/// The type of a blob, and its properties besides the bytes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Block,
    Append { blocks: u32, sealed: bool },
    Page { sequence: u64 },
}

impl Kind {
    /// A body that shares these bytes; `None` for a page blob, whose pages are copied so that zeros take no space.
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

fn not_pages() -> StorageError {
    refused(409, "The copy source is not a page blob: its size is not a multiple of 512 bytes.")
}

impl RemoteBlob {
    /// The blob as its server describes it.
    ///
    /// # Errors
    /// 400 for invalid metadata.
    pub(super) fn read(source: &RemoteSource) -> Result<RemoteBlob, StorageError> {
        let headers = &source.answer.headers;
        let number = |name| text(headers, name).and_then(|text| text.parse().ok());
        let kind = match text(headers, "x-ms-blob-type") {
            Some("AppendBlob") => Kind::Append {
                blocks: number("x-ms-blob-committed-block-count").and_then(|count| u32::try_from(count).ok()).unwrap_or(1),
                sealed: text(headers, "x-ms-blob-sealed") == Some("true"),
            },
            Some("PageBlob") => Kind::Page { sequence: number("x-ms-blob-sequence-number").unwrap_or(0) },
            _ => Kind::Block,
        };
        Ok(RemoteBlob { kind, headers: source.content_headers(), metadata: source.answer.metadata()? })
    }

    /// A body of its type without content.
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
    /// 409 CannotVerifyCopySource for a page blob whose size is not a multiple of a page; 500 InternalError when the disk fails.
    pub(super) fn body(&self, store: &Store, content: &Content, now: Timestamp) -> Result<Body, StorageError> {
        if let Some(body) = self.kind.sharing(content, now) {
            return Ok(body);
        }
        let mut filling = self.filling(store, content.len(), now);
        for chunk in content.slice(0..content.len()) {
            filling.push(&chunk.read()?)?;
        }
        filling.finish()
    }

    /// A body of its type and of this size in bytes, which is filled as they arrive.
    pub(super) fn filling(&self, store: &Store, size: u64, now: Timestamp) -> PartialBody {
        let bytes = match self.kind {
            Kind::Page { .. } => Filling::Pages(PageFilling::new(store, size, now)),
            Kind::Block | Kind::Append { .. } => Filling::Bytes(content::Filling::new(store, size)),
        };
        PartialBody { kind: self.kind, size, now, bytes }
    }
}

/// A body whose bytes are still arriving.
#[derive(Debug)]
pub(super) struct PartialBody {
    kind: Kind,
    size: u64,
    now: Timestamp,
    bytes: Filling,
}

#[derive(Debug)]
enum Filling {
    Bytes(content::Filling),
    Pages(PageFilling),
}

impl PartialContent for PartialBody {
    type Content = Body;

    fn push(&mut self, piece: &[u8]) -> Result<(), StorageError> {
        match &mut self.bytes {
            Filling::Bytes(filling) => filling.push(piece)?,
            Filling::Pages(filling) => filling.push(piece)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<Body, StorageError> {
        match (self.kind, self.bytes) {
            (Kind::Page { sequence }, Filling::Pages(pages)) if self.size.is_multiple_of(pages::PAGE) => {
                Ok(Body::Page { content: pages.finish()?, sequence })
            }
            (kind, Filling::Bytes(bytes)) => kind.sharing(&bytes.finish()?, self.now).ok_or_else(not_pages),
            (_, Filling::Pages(_)) => Err(not_pages()),
        }
    }
}
