//! The body of a request, read within bounds: no longer than allowed, no slower than patience, no shorter than announced.

use crate::rules::checksums::{ChecksumKinds, Digests, Hasher};
use crate::rules::error::{ErrorCode, StorageError};
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
/// How long a body that nobody wants is read on, whatever its size, so that a sender who reads the answer only after sending gets to
/// read it. A sender who stands still for [`PATIENCE`] is given up earlier.
const DRAINING: Duration = Duration::from_secs(300);

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

/// What its reader leaves of a body: asked for once the reader is done.
#[derive(Debug, Default)]
pub struct BodyRemainder(Option<Arc<Mutex<Unread>>>);

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
    pub fn new(wire: axum::body::Body, announced: u64, awaited: bool) -> (Body, BodyRemainder) {
        if wire.is_end_stream() {
            return (Body::default(), BodyRemainder::default());
        }
        let rest = Arc::new(Mutex::new(Unread::Nothing));
        let body = Body { wire: Some(SyncWrapper::new(wire)), announced, awaited, broken: false, rest: Some(rest.clone()) };
        (body, BodyRemainder(Some(rest)))
    }

    /// Its `Content-Length` in bytes.
    pub fn content_length(&self) -> u64 {
        self.announced
    }

    /// Reads it whole: for the small documents that requests carry.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes; 400 when it ends early, 408 when it stands still.
    pub async fn bytes(&mut self, limit: u64) -> Result<Bytes, StorageError> {
        Ok(self.document(limit, ChecksumKinds::default()).await?.0)
    }

    /// Reads it whole, hashing on the way.
    ///
    /// # Errors
    /// As [`Body::bytes`].
    pub async fn document(&mut self, limit: u64, wanted: ChecksumKinds) -> Result<(Bytes, Digests), StorageError> {
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
    pub async fn receive(&mut self, store: &Store, limit: u64, wanted: ChecksumKinds) -> Result<Received, StorageError> {
        if self.announced > limit {
            return Err(StorageError::too_large(limit));
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
        wanted: ChecksumKinds,
    ) -> Result<Received, StorageError> {
        if content > limit {
            return Err(StorageError::too_large(limit));
        }
        let mut decoder = structured::Decoder::new(self.announced, content);
        let mut hasher = Hasher::new(ChecksumKinds { crc64: false, ..wanted });
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
    async fn each(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), StorageError>) -> Result<(), StorageError> {
        let mut left = self.announced;
        while let Some(frame) = self.frame().await? {
            left = left.checked_sub(frame.len() as u64).ok_or(ErrorCode::RequestBodyIncomplete)?;
            take(&frame)?;
        }
        if left > 0 { Err(ErrorCode::RequestBodyIncomplete.into()) } else { Ok(()) }
    }

    async fn frame(&mut self) -> Result<Option<Bytes>, StorageError> {
        self.awaited = false;
        while let Some(wire) = &mut self.wire {
            match tokio::time::timeout(PATIENCE, wire.get_mut().frame()).await {
                Err(_) => {
                    self.broken = true;
                    return Err(ErrorCode::RequestTimedOut.into());
                }
                Ok(None) => self.wire = None,
                Ok(Some(Err(error))) => {
                    self.broken = true;
                    return Err(ErrorCode::RequestBodyIncomplete.with_reason(error.to_string()));
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
            let hopeless = self.awaited || self.broken;
            *rest.lock() = if hopeless { Unread::Hopeless } else { Unread::Something(wire) };
        }
    }
}

impl BodyRemainder {
    /// What is still to come of the body and has to be read on; `None` when there is nothing, or when it will not come.
    ///
    /// # Errors
    /// [`Hopeless`] when no other request can follow on the connection.
    pub fn unread(self) -> Result<Option<UnreadBody>, ConnectionLost> {
        let unread = self.0.map(|unread| std::mem::take(&mut *unread.lock()));
        match unread.unwrap_or_default() {
            Unread::Nothing => Ok(None),
            Unread::Hopeless => Err(ConnectionLost),
            Unread::Something(wire) => Ok(Some(UnreadBody(wire))),
        }
    }
}

/// A sender that waits to be told to go on, and is not told; or one that stood still or broke off.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLost;

/// A body that is still being sent and that nobody wants.
#[derive(Debug)]
pub struct UnreadBody(SyncWrapper<axum::body::Body>);

impl UnreadBody {
    /// Reads on to the end, for a limited time, and discards what comes. The answer goes out meanwhile: a sender that reads it before it
    /// has sent everything may stop there.
    pub async fn discard(self) {
        let mut wire = self.0.into_inner();
        let to_end = async { while let Ok(Some(Ok(_))) = tokio::time::timeout(PATIENCE, wire.frame()).await {} };
        _ = tokio::time::timeout(DRAINING, to_end).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Frame;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// So many pieces, each after so many seconds; `None` for one that never ends.
    struct Slow {
        pause: Duration,
        left: Option<u32>,
        clock: Option<Pin<Box<tokio::time::Sleep>>>,
    }

    impl http_body::Body for Slow {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            if self.left == Some(0) {
                return Poll::Ready(None);
            }
            let pause = self.pause;
            #[expect(clippy::disallowed_methods, reason = "the clock of this test jumps")]
            let clock = self.clock.get_or_insert_with(|| Box::pin(tokio::time::sleep(pause)));
            std::task::ready!(clock.as_mut().poll(context));
            self.clock = None;
            self.left = self.left.map(|left| left - 1);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"piece")))))
        }
    }

    /// What nobody wants is read on as long as it comes, in a time that has two bounds: between two pieces, and all told.
    #[tokio::test(start_paused = true)]
    async fn unwanted_bodies_are_bounded_by_time() {
        for (pause, pieces, seconds) in
            [(0, Some(100_000), 0), (1, Some(100), 100), (31, Some(2), 30), (1, None, 300), (29, None, 300)]
        {
            let slow = Slow { pause: Duration::from_secs(pause), left: pieces, clock: None };
            let (body, rest) = Body::new(axum::body::Body::new(slow), u64::MAX, false);
            drop(body);
            let begun = tokio::time::Instant::now();
            rest.unread().unwrap().unwrap().discard().await;
            assert_eq!(begun.elapsed().as_secs(), seconds, "{pieces:?} pieces, one in {pause} seconds");
        }
    }
}
