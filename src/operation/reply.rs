//! The reply of a handler: a status, headers and a payload.

use crate::rules::checksums::Digests;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::store::chunks::Chunks;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::pin::Pin;
use std::{fmt, io};

/// The future of a handler's result.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, StorageError>> + Send + 'a>>;

/// A successful reply.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The headers, except those that every response has.
    pub headers: HeaderMap,
    /// The metadata names as they were written, if any is not in lower case. `headers` can only hold lower case.
    pub metadata_names: Vec<String>,
    /// The body.
    pub payload: Payload,
}

/// The body of a reply.
#[derive(Debug, Default)]
pub enum Payload {
    /// None: `Content-Length: 0`.
    #[default]
    Empty,
    /// None, and no length: headers are the whole answer to a HEAD.
    Headers,
    /// A document, sent as `application/xml`. It begins with a byte order mark, as the service's do.
    Xml(String),
    /// A text whose `Content-Type` is among the headers.
    Text(String),
    /// A range of a content, and its length in bytes.
    Bytes(Chunks, u64),
    /// Pieces that are produced as they are sent, and their length in bytes if it is known.
    Stream(Stream, Option<u64>),
}

/// The pieces of a body, each produced when it is sent.
pub struct Stream(Box<dyn Iterator<Item = io::Result<Bytes>> + Send>);

impl Iterator for Stream {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        self.0.next()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stream(..)")
    }
}

impl Reply {
    /// A reply without headers or body.
    pub fn new(status: u16) -> Reply {
        Reply { status, headers: HeaderMap::new(), metadata_names: Vec::new(), payload: Payload::Empty }
    }

    /// A reply to a HEAD without `Content-Length`.
    pub fn headers(status: u16) -> Reply {
        Reply { payload: Payload::Headers, ..Reply::new(status) }
    }

    /// A reply with an XML document.
    pub fn xml(status: u16, document: String) -> Reply {
        Reply { payload: Payload::Xml(document), ..Reply::new(status) }
    }

    /// Sets the body to these bytes, `length` in all.
    pub fn bytes(mut self, chunks: Chunks, length: u64) -> Reply {
        self.payload = Payload::Bytes(chunks, length);
        self
    }

    /// Reads the first bytes of the body, so that a failing disk causes an error response instead of a truncated body.
    ///
    /// # Errors
    /// 500 InternalError when the disk fails.
    pub fn read_first(mut self) -> Result<Reply, StorageError> {
        if let Payload::Bytes(chunks, _) = &mut self.payload {
            chunks.begin()?;
        }
        Ok(self)
    }

    /// Sets the body to this text.
    pub fn text(mut self, text: String) -> Reply {
        self.payload = Payload::Text(text);
        self
    }

    /// Sets the body to these pieces, `length` bytes in all if it is known.
    pub fn stream(mut self, pieces: impl Iterator<Item = io::Result<Bytes>> + Send + 'static, length: Option<u64>) -> Reply {
        self.payload = Payload::Stream(Stream(Box::new(pieces)), length);
        self
    }

    /// Adds a header. A value that HTTP does not allow is left out.
    pub fn with(mut self, name: &'static str, value: impl AsRef<str>) -> Reply {
        self.put(HeaderName::from_static(name), value.as_ref());
        self
    }

    /// Adds a header if there is a value.
    pub fn with_some(self, name: &'static str, value: Option<impl AsRef<str>>) -> Reply {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds `ETag` and `Last-Modified`.
    pub fn with_state(self, etag: ETag, modified: Timestamp) -> Reply {
        self.with("etag", etag.quoted()).with("last-modified", modified.rfc1123())
    }

    /// Adds the checksums that there are.
    pub fn with_digests(self, digests: Digests) -> Reply {
        self.with_some("content-md5", digests.md5.map(|md5| md5.to_string()))
            .with_some("x-ms-content-crc64", digests.crc64.map(|crc64| crc64.to_string()))
    }

    /// Adds `x-ms-meta-…` for each pair. Values are Latin-1, as in the properties of Data Lake, the only API that accepts more than ASCII.
    pub fn with_metadata(mut self, metadata: &Metadata) -> Reply {
        for (name, value) in metadata.iter() {
            let latin: Result<Vec<u8>, _> = value.chars().map(u8::try_from).collect();
            let value = latin.ok().and_then(|value| HeaderValue::from_bytes(&value).ok());
            if let (Ok(name), Some(value)) = (HeaderName::try_from(format!("x-ms-meta-{name}")), value) {
                self.headers.insert(name, value);
            }
        }
        if metadata.iter().any(|(name, _)| name.bytes().any(|byte| byte.is_ascii_uppercase())) {
            self.metadata_names = metadata.iter().map(|(name, _)| name.to_owned()).collect();
        }
        self
    }

    fn put(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            self.headers.insert(name, value);
        }
    }
}
