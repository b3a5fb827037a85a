//! The body of a request, read within bounds: no longer than allowed, no slower than patience, no shorter than announced.

use crate::rules::checksum::{Digests, Hasher, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::store::content::{Content, Filling};
use bytes::Bytes;
use http_body_util::BodyExt;
use std::time::Duration;
use sync_wrapper::SyncWrapper;

/// How long a body may stand still between two pieces before the request is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of a body that nobody wants is still taken in, in bytes, so that its sender gets to read the refusal.
const DRAINED: u64 = 64 << 20;

/// A request's body. Reading it consumes it.
#[derive(Debug, Default)]
pub struct Body {
    wire: Option<SyncWrapper<axum::body::Body>>,
    announced: u64,
}

/// A body that was streamed into a content, with the checksums asked for.
#[derive(Debug)]
pub struct Received {
    /// The bytes.
    pub content: Content,
    /// Their checksums, those that were asked for.
    pub digests: Digests,
}

impl Body {
    /// A body as it comes off the wire, and its `Content-Length` in bytes.
    pub fn new(wire: axum::body::Body, announced: u64) -> Body {
        Body { wire: Some(SyncWrapper::new(wire)), announced }
    }

    /// Its `Content-Length` in bytes.
    pub fn announced(&self) -> u64 {
        self.announced
    }

    /// Reads it whole: for the small documents that requests carry.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes; 400 when it ends early, 408 when it stands still.
    pub async fn bytes(&mut self, limit: u64) -> Result<Bytes, Fault> {
        let received = self.receive(limit, Wanted::default()).await?;
        let mut whole = Vec::with_capacity(received.content.len() as usize);
        received.content.slice(0..limit).for_each(|chunk| whole.extend_from_slice(&chunk));
        Ok(whole.into())
    }

    /// Streams it into a content, hashing on the way.
    ///
    /// # Errors
    /// As [`Body::bytes`].
    pub async fn receive(&mut self, limit: u64, wanted: Wanted) -> Result<Received, Fault> {
        if self.announced > limit {
            return Err(Fault::too_large(limit));
        }
        let mut hasher = Hasher::new(wanted);
        let mut filling = Filling::new(self.announced);
        let mut left = self.announced;
        while let Some(frame) = self.frame().await? {
            left = left.checked_sub(frame.len() as u64).ok_or(Code::RequestBodyIncomplete)?;
            hasher.update(&frame);
            filling.push(&frame);
        }
        if left > 0 {
            return Err(Code::RequestBodyIncomplete.into());
        }
        Ok(Received { content: filling.finish(), digests: hasher.finish() })
    }

    /// Takes in what nobody read, so that the sender is not cut off before it reads the answer. Returns whether it came to the end.
    pub async fn drain(&mut self) -> bool {
        if self.announced > DRAINED {
            return self.wire.is_none();
        }
        while let Ok(Some(_)) = self.frame().await {}
        self.wire.is_none()
    }

    async fn frame(&mut self) -> Result<Option<Bytes>, Fault> {
        while let Some(wire) = &mut self.wire {
            match tokio::time::timeout(PATIENCE, wire.get_mut().frame()).await {
                Err(_) => return Err(Code::RequestTimedOut.into()),
                Ok(None) => self.wire = None,
                Ok(Some(Err(broken))) => return Err(Code::RequestBodyIncomplete.because(broken.to_string())),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
        Ok(None)
    }
}
