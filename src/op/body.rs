//! The body of a request, read within bounds: no longer than allowed, no slower than patience, no shorter than announced.

use crate::rules::checksum::{Digests, Hasher, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::store::content::{Content, Filling};
use bytes::Bytes;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// How long a body may stand still between two pieces before the request is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of a body that nobody wants is still taken in, in bytes, so that its sender gets to read the refusal.
const DRAINED: u64 = 64 << 20;

/// A request's body: a handle, so that what an operation leaves unread can still be taken in. Reading it consumes it.
#[derive(Clone, Debug, Default)]
pub struct Body {
    wire: Arc<Mutex<Wire>>,
    announced: u64,
}

/// How far a body has come.
#[derive(Debug, Default)]
enum Wire {
    /// There is more, or there may be.
    Flowing(axum::body::Body),
    /// It came to its end.
    #[default]
    Ended,
    /// It broke off or stood still: nothing more can be read from its connection.
    Broken,
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
        Body { wire: Arc::new(Mutex::new(Wire::Flowing(wire))), announced }
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

    /// Takes in what nobody read, so that the sender is not cut off before it reads the answer. Returns whether it came to the end;
    /// if not, the connection is of no more use.
    pub async fn drain(&mut self) -> bool {
        if self.announced <= DRAINED {
            while let Ok(Some(_)) = self.frame().await {}
        }
        matches!(*self.wire.lock(), Wire::Ended)
    }

    async fn frame(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            // Taken out while it is waited for: no lock is held across an await.
            let taken = std::mem::replace(&mut *self.wire.lock(), Wire::Broken);
            let Wire::Flowing(mut wire) = taken else {
                *self.wire.lock() = taken;
                return Ok(None);
            };
            let next = match tokio::time::timeout(PATIENCE, wire.frame()).await {
                Err(_) => return Err(Code::RequestTimedOut.into()),
                Ok(Some(Err(broken))) => return Err(Code::RequestBodyIncomplete.because(broken.to_string())),
                Ok(Some(Ok(frame))) => Some(frame),
                Ok(None) => None,
            };
            let Some(frame) = next else {
                *self.wire.lock() = Wire::Ended;
                return Ok(None);
            };
            *self.wire.lock() = Wire::Flowing(wire);
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
    }
}
