//! Structured messages on the wire: which headers announce one, and which answer to it. What a message is, `rules::structured` says.

use crate::operation::{Field, FieldLocation, Received, Reply, Request};
use crate::rules::checksums::ChecksumKinds;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::structured;
use crate::rules::structured::{Encoder, KIND};
use crate::rules::versions::Version;
use crate::store::chunks::Chunks;

const BODY: &str = "x-ms-structured-body";
const LENGTH: &str = "x-ms-structured-content-length";

/// The header by which a reader asks for a structured message.
pub const STRUCTURED: &[Field] = &[Field { place: FieldLocation::Header, name: BODY, required: false }];

/// The headers that come with a request whose body is one.
pub const STRUCTURED_BODY: &[Field] = &[
    Field { place: FieldLocation::Header, name: BODY, required: false },
    Field { place: FieldLocation::Header, name: LENGTH, required: false },
];

impl Request {
    /// Whether the body is, or the answer is to be, a structured message.
    ///
    /// # Errors
    /// 400 UnsupportedHeader before 2025-01-05, 400 InvalidHeaderValue for another kind of message.
    pub fn structured(&self) -> Result<bool, StorageError> {
        let Some(kind) = self.header(BODY) else { return Ok(false) };
        if self.version < Version::V2025_01_05 {
            return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", BODY));
        }
        structured::check_kind(&kind).map(|()| true)
    }

    /// Reads the content that the body brings, as it is or out of a structured message.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes of content; 400 when it ends early, 408 when it stands still; 400 for what is no
    /// such message.
    pub async fn receive(&mut self, limit: u64, wanted: ChecksumKinds) -> Result<Received, StorageError> {
        match self.content_length()? {
            None => self.body.receive(&self.store, limit, wanted).await,
            Some(content) => self.body.receive_structured(&self.store, content, limit, wanted).await,
        }
    }

    /// Checks that the body brings some content, for operations that cannot do with none.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for the header that says that there is none.
    pub fn check_content(&self) -> Result<(), StorageError> {
        if self.body.content_length() == 0 {
            return Err(StorageError::invalid_header("Content-Length", "0"));
        }
        match self.content_length()? {
            Some(0) => Err(StorageError::invalid_header(LENGTH, "0")),
            _ => Ok(()),
        }
    }

    /// Checks that there is no body, structured or not, for operations that would not read it.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue, 400 UnsupportedHeader.
    pub fn check_no_content(&self) -> Result<(), StorageError> {
        if self.body.content_length() != 0 {
            return Err(StorageError::invalid_header("Content-Length", self.body.content_length().to_string()));
        }
        match [BODY, LENGTH].into_iter().find(|name| self.has_header(name)) {
            Some(name) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", name)),
            None => Ok(()),
        }
    }

    /// How long the content is that a structured message holds; `None` when the body is no such message.
    fn content_length(&self) -> Result<Option<u64>, StorageError> {
        let length = self.header(LENGTH);
        match (self.structured()?, length) {
            (false, None) => Ok(None),
            (false, Some(_)) => Err(StorageError::missing_header(BODY)),
            (true, None) => Err(StorageError::missing_header(LENGTH)),
            (true, Some(text)) => text.trim().parse().map(Some).map_err(|_| StorageError::invalid_header(LENGTH, text)),
        }
    }
}

impl Reply {
    /// Says that the request's body was taken as the structured message that it is.
    pub fn with_structured(self, request: &Request) -> Reply {
        self.with_some(BODY, request.header(BODY))
    }

    /// With these bytes, so many of them, in a structured message.
    pub fn structured(self, chunks: Chunks, length: u64) -> Reply {
        let mut size = 0;
        let message = chunks.through(|bytes| {
            let message = Encoder::new(bytes, length);
            size = message.length();
            message
        });
        self.with(BODY, KIND).with(LENGTH, length.to_string()).stream(message, Some(size))
    }
}
