//! Structured messages in requests and responses, and the headers that go with them. `rules::structured` has the format.

use crate::operation::{Body, Fields, FromRequest, Input, Received, Reply, Request, header_text};
use crate::rules::checksums::ChecksumKinds;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::structured;
use crate::rules::structured::{Encoder, KIND};
use crate::rules::versions::Version;
use crate::store::chunks::Chunks;

const BODY: &str = "x-ms-structured-body";
const LENGTH: &str = "x-ms-structured-content-length";

/// Whether the client requests the response as a structured message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructuredAnswer(pub bool);

impl FromRequest for StructuredAnswer {
    const INPUTS: &'static [Input] = &[Input::header(BODY)];

    fn from_request(fields: &Fields<'_>) -> Result<StructuredAnswer, StorageError> {
        is_structured(fields).map(StructuredAnswer)
    }
}

/// How the body of a request contains its content: plain or in a structured message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyFraming {
    /// The length of the content in bytes, if it is in a structured message.
    structured: Option<u64>,
}

impl FromRequest for BodyFraming {
    const INPUTS: &'static [Input] = &[Input::header(BODY), Input::header(LENGTH)];

    fn from_request(fields: &Fields<'_>) -> Result<BodyFraming, StorageError> {
        let structured = match (is_structured(fields)?, fields.header(LENGTH)) {
            (false, None) => None,
            (false, Some(_)) => return Err(StorageError::missing_header(BODY)),
            (true, None) => return Err(StorageError::missing_header(LENGTH)),
            (true, Some(text)) => Some(text.trim().parse().map_err(|_| StorageError::invalid_header(LENGTH, text))?),
        };
        Ok(BodyFraming { structured })
    }
}

/// Whether the header names a structured message. Fails with 400 UnsupportedHeader before 2025-01-05, and with 400 InvalidHeaderValue
/// for another kind of message.
fn is_structured(fields: &Fields<'_>) -> Result<bool, StorageError> {
    let Some(kind) = fields.header(BODY) else { return Ok(false) };
    if fields.version < Version::V2025_01_05 {
        return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", BODY));
    }
    structured::check_kind(kind).map(|()| true)
}

impl BodyFraming {
    /// Checks that the content is not empty.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue with the header that gives the length 0.
    pub fn check_content(self, body: &Body) -> Result<(), StorageError> {
        if body.content_length() == 0 {
            return Err(StorageError::invalid_header("Content-Length", "0"));
        }
        match self.structured {
            Some(0) => Err(StorageError::invalid_header(LENGTH, "0")),
            _ => Ok(()),
        }
    }

    /// Adds the response header of an operation that read a structured body.
    pub fn answer(self, reply: Reply) -> Reply {
        reply.with_some(BODY, self.structured.map(|_| KIND))
    }
}

impl Request {
    /// Reads the content of the body, plain or out of a structured message.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes of content; 400 when the body ends early or the message is malformed, 408 when it
    /// stalls.
    pub async fn receive(&mut self, framing: BodyFraming, limit: u64, wanted: ChecksumKinds) -> Result<Received, StorageError> {
        match framing.structured {
            None => self.body.receive(&self.store, limit, wanted).await,
            Some(content) => self.body.receive_structured(&self.store, content, limit, wanted).await,
        }
    }

    /// Checks that the body is empty, for operations that do not read it.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue, 400 UnsupportedHeader.
    pub fn check_no_content(&self) -> Result<(), StorageError> {
        if self.body.content_length() != 0 {
            return Err(StorageError::invalid_header("Content-Length", self.body.content_length().to_string()));
        }
        match [BODY, LENGTH].into_iter().find(|name| header_text(&self.headers, name).is_some()) {
            Some(name) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", name)),
            None => Ok(()),
        }
    }
}

impl Reply {
    /// Sets the body to a structured message of these bytes, `length` in all.
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
