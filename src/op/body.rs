//! The body of a request, read within bounds: no longer than allowed, no slower than patience, no shorter than announced.

use crate::rules::checksum::{Digests, Hasher, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::rules::structured;
use crate::store::Store;
use crate::store::content::{Content, Filling};
use bytes::Bytes;
use http_body::Body as _;
use http_body_util::BodyExt;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use sync_wrapper::SyncWrapper;

/// How long a body may stand still between two pieces before the request is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of a body that nobody wants is still taken in, in bytes and for no longer than [`PATIENCE`] all told, so that its sender gets to read the refusal.
const DRAINED: u64 = 64 << 20;

/// A request's body. Reading it consumes it; what is left when it is dropped goes to its [`Rest`].
#[derive(Debug, Default)]
pub struct Body {
    wire: Option<SyncWrapper<axum::body::Body>>,
    announced: u64,
    /// Whether the sender waits to be told that the body is wanted, which the first read of it does.
    awaited: bool,
    /// Whether it stood still or broke off.
    broken: bool,
    rest: Option<Arc<Mutex<Unread>>>,
}

/// What its reader leaves of a body.
#[derive(Debug, Default)]
pub struct Rest(Option<Arc<Mutex<Unread>>>);

#[derive(Debug, Default)]
enum Unread {
    /// Nothing: it was read to its end.
    #[default]
    Nothing,
    /// Something that is still to come.
    Something(SyncWrapper<axum::body::Body>),
    /// Something that will not come, or had better not.
    Hopeless,
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
    /// A body as it comes off the wire, its `Content-Length` in bytes, and whether its sender waits to be told to go on
    /// (`Expect: 100-continue`).
    pub fn new(wire: axum::body::Body, announced: u64, awaited: bool) -> (Body, Rest) {
        if wire.is_end_stream() {
            return (Body::default(), Rest::default());
        }
        let rest = Arc::new(Mutex::new(Unread::Nothing));
        let body = Body { wire: Some(SyncWrapper::new(wire)), announced, awaited, broken: false, rest: Some(rest.clone()) };
        (body, Rest(Some(rest)))
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
        Ok(self.document(limit, Wanted::default()).await?.0)
    }

    /// Reads it whole, hashing on the way.
    ///
    /// # Errors
    /// As [`Body::bytes`].
    pub async fn document(&mut self, limit: u64, wanted: Wanted) -> Result<(Bytes, Digests), Fault> {
        let received = self.receive(&Store::MEMORY, limit, wanted).await?;
        let mut whole = Vec::with_capacity(received.content.len() as usize);
        for chunk in received.content.slice(0..limit) {
            whole.extend_from_slice(&chunk.read()?);
        }
        Ok((whole.into(), received.digests))
    }

    /// Streams it into a content, hashing on the way.
    ///
    /// # Errors
    /// As [`Body::bytes`]; 500 InternalError when the disk does not take it.
    pub async fn receive(&mut self, store: &Store, limit: u64, wanted: Wanted) -> Result<Received, Fault> {
        if self.announced > limit {
            return Err(Fault::too_large(limit));
        }
        let mut hasher = Hasher::new(wanted);
        let mut filling = Filling::new(store, self.announced);
        self.each(|frame| {
            hasher.update(frame);
            Ok(filling.push(frame)?)
        })
        .await?;
        Ok(Received { content: filling.finish()?, digests: hasher.finish() })
    }

    /// Streams the content out of a structured message that holds so many bytes of it, checking and hashing on the way.
    ///
    /// # Errors
    /// As [`Body::bytes`], of the content; and 400 for what is no such message, or says of itself what is not so.
    pub async fn receive_structured(
        &mut self,
        store: &Store,
        content: u64,
        limit: u64,
        wanted: Wanted,
    ) -> Result<Received, Fault> {
        if content > limit {
            return Err(Fault::too_large(limit));
        }
        let mut decoder = structured::Decoder::new(self.announced, content);
        let mut hasher = Hasher::new(Wanted { crc64: false, ..wanted });
        // The head of the message is checked against both lengths before the first piece is kept.
        let mut filling = Filling::new(store, content);
        self.each(|mut frame| {
            while let Some(piece) = decoder.next(&mut frame)? {
                hasher.update(piece);
                filling.push(piece)?;
            }
            Ok(())
        })
        .await?;
        let crc64 = decoder.finish()?;
        Ok(Received { content: filling.finish()?, digests: Digests { crc64: wanted.crc64.then_some(crc64), ..hasher.finish() } })
    }

    /// Hands out every piece as it comes, no more and no fewer bytes than announced.
    async fn each(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut left = self.announced;
        while let Some(frame) = self.frame().await? {
            left = left.checked_sub(frame.len() as u64).ok_or(Code::RequestBodyIncomplete)?;
            take(&frame)?;
        }
        if left > 0 { Err(Code::RequestBodyIncomplete.into()) } else { Ok(()) }
    }

    async fn frame(&mut self) -> Result<Option<Bytes>, Fault> {
        self.awaited = false;
        while let Some(wire) = &mut self.wire {
            match tokio::time::timeout(PATIENCE, wire.get_mut().frame()).await {
                Err(_) => {
                    self.broken = true;
                    return Err(Code::RequestTimedOut.into());
                }
                Ok(None) => self.wire = None,
                Ok(Some(Err(error))) => {
                    self.broken = true;
                    return Err(Code::RequestBodyIncomplete.because(error.to_string()));
                }
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

impl Drop for Body {
    fn drop(&mut self) {
        if let (Some(wire), Some(rest)) = (self.wire.take(), &self.rest) {
            let hopeless = self.awaited || self.broken || self.announced > DRAINED;
            *rest.lock() = if hopeless { Unread::Hopeless } else { Unread::Something(wire) };
        }
    }
}

impl Rest {
    /// Takes in what nobody read, so that the sender is not cut off before it reads the answer. Returns whether it came to the end,
    /// so that another request can follow; a sender that waits to be told to go on is not told.
    pub async fn drain(self) -> bool {
        let unread = self.0.map(|unread| std::mem::take(&mut *unread.lock()));
        match unread.unwrap_or_default() {
            Unread::Nothing => true,
            Unread::Hopeless => false,
            Unread::Something(wire) => tokio::time::timeout(PATIENCE, to_end(wire.into_inner())).await.unwrap_or(false),
        }
    }
}

/// Reads on to the end, within bounds; whether it was reached.
async fn to_end(mut wire: axum::body::Body) -> bool {
    let mut taken = 0;
    while let Some(frame) = wire.frame().await {
        let Ok(frame) = frame else { return false };
        taken += frame.data_ref().map_or(0, |data| data.len() as u64);
        if taken > DRAINED {
            return false;
        }
    }
    true
}
