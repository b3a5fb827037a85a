//! The body of a request. Its length, and the time to read it, are limited.

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

/// The longest pause between two pieces of a body.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an unread body is discarded, whatever its size, so that a client that reads the response only after sending can read it. A
/// client that stalls for [`STALL_TIMEOUT`] is given up earlier.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(300);

/// The body of a request. Reading consumes it; the unread part goes to its [`BodyRemainder`] when it is dropped.
#[derive(Debug, Default)]
pub struct Body {
    wire: Option<SyncWrapper<axum::body::Body>>,
    announced: u64,
    /// Whether the client waits for 100 Continue, which the first read of the body sends.
    expects_continue: bool,
    /// Whether the body stalled or broke off.
    broken: bool,
    rest: Option<Arc<Mutex<Unread>>>,
}

/// The unread part of a body, available once the [`Body`] is dropped.
#[derive(Debug, Default)]
pub struct BodyRemainder(Option<Arc<Mutex<Unread>>>);

/// What is left of a body.
#[derive(Debug, Default)]
pub enum Unread {
    /// The body was read to its end.
    #[default]
    Nothing,
    /// The rest of the body must be read before the next request.
    Rest(UnreadBody),
    /// The rest of the body will not arrive, and no other request can follow on the connection: the client waits for 100 Continue and does
    /// not get it, or its body stalled or broke off.
    Lost,
}

/// A stored body with its checksums.
#[derive(Debug)]
pub struct Received {
    pub content: Content,
    /// The requested checksums.
    pub digests: Digests,
}

impl Body {
    /// Creates the body of a request from its `Content-Length` in bytes, and whether the client waits for 100 Continue.
    pub fn new(wire: axum::body::Body, announced: u64, expects_continue: bool) -> (Body, BodyRemainder) {
        if wire.is_end_stream() {
            return (Body::default(), BodyRemainder::default());
        }
        let rest = Arc::new(Mutex::new(Unread::Nothing));
        let body =
            Body { wire: Some(SyncWrapper::new(wire)), announced, expects_continue, broken: false, rest: Some(rest.clone()) };
        (body, BodyRemainder(Some(rest)))
    }

    /// Its `Content-Length` in bytes.
    pub fn content_length(&self) -> u64 {
        self.announced
    }

    /// Reads the body into memory, for small documents.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes; 400 when the body ends early, 408 when it stalls.
    pub async fn bytes(&mut self, limit: u64) -> Result<Bytes, StorageError> {
        Ok(self.document(limit, ChecksumKinds::default()).await?.0)
    }

    /// Reads the body into memory, and computes its checksums.
    ///
    /// # Errors
    /// As [`Body::bytes`].
    pub async fn document(&mut self, limit: u64, wanted: ChecksumKinds) -> Result<(Bytes, Digests), StorageError> {
        let received = self.receive(&Store::MEMORY, limit, wanted).await?;
        let mut bytes = Vec::with_capacity(received.content.len() as usize);
        for chunk in received.content.slice(0..limit) {
            bytes.extend_from_slice(&chunk.read()?);
        }
        Ok((bytes.into(), received.digests))
    }

    /// Stores the body as content, and computes its checksums.
    ///
    /// # Errors
    /// As [`Body::bytes`]; 500 InternalError when the disk fails.
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

    /// Stores the content of a structured message, `content` bytes in all, checks the message and computes the checksums.
    ///
    /// # Errors
    /// As [`Body::bytes`] for the content; 400 for a malformed message, or one whose lengths or checksums are wrong.
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
        // The head of the message is checked against both lengths before the first piece is stored.
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

    /// Passes each piece of the body to `take`, and checks the total against the `Content-Length`.
    async fn each(&mut self, mut take: impl FnMut(&[u8]) -> Result<(), StorageError>) -> Result<(), StorageError> {
        let mut left = self.announced;
        while let Some(frame) = self.frame().await? {
            left = left.checked_sub(frame.len() as u64).ok_or(ErrorCode::RequestBodyIncomplete)?;
            take(&frame)?;
        }
        if left > 0 { Err(ErrorCode::RequestBodyIncomplete.into()) } else { Ok(()) }
    }

    async fn frame(&mut self) -> Result<Option<Bytes>, StorageError> {
        self.expects_continue = false;
        let Some(wire) = &mut self.wire else { return Ok(None) };
        let read = next_piece(wire.get_mut()).await;
        match &read {
            Ok(None) => self.wire = None,
            Ok(Some(_)) => {}
            Err(_) => self.broken = true,
        }
        read.map_err(|error| match error {
            ReadError::Stalled => ErrorCode::RequestTimedOut.into(),
            ReadError::BrokenOff(error) => ErrorCode::RequestBodyIncomplete.with_reason(error.to_string()),
        })
    }
}

/// Why the next piece of a body does not arrive.
pub(super) enum ReadError {
    Stalled,
    BrokenOff(axum::Error),
}

/// Waits for the next piece of a body, for a limited time; `None` at its end.
pub(super) async fn next_piece(body: &mut axum::body::Body) -> Result<Option<Bytes>, ReadError> {
    loop {
        let next = tokio::time::timeout(STALL_TIMEOUT, body.frame()).await.map_err(|_| ReadError::Stalled)?;
        let Some(frame) = next.transpose().map_err(ReadError::BrokenOff)? else { return Ok(None) };
        if let Ok(piece) = frame.into_data() {
            return Ok(Some(piece));
        }
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let (Some(wire), Some(rest)) = (self.wire.take(), &self.rest) {
            let lost = self.expects_continue || self.broken;
            *rest.lock() = if lost { Unread::Lost } else { Unread::Rest(UnreadBody(wire)) };
        }
    }
}

impl BodyRemainder {
    /// What is left of the body.
    pub fn unread(self) -> Unread {
        self.0.map(|unread| std::mem::take(&mut *unread.lock())).unwrap_or_default()
    }
}

/// The rest of a body that is still being sent.
#[derive(Debug)]
pub struct UnreadBody(SyncWrapper<axum::body::Body>);

impl UnreadBody {
    /// Reads and discards the rest, for a limited time. The response is sent meanwhile, and a client that reads it may stop sending.
    pub async fn discard(self) {
        let mut wire = self.0.into_inner();
        let to_end = async { while let Ok(Some(Ok(_))) = tokio::time::timeout(STALL_TIMEOUT, wire.frame()).await {} };
        _ = tokio::time::timeout(DISCARD_TIMEOUT, to_end).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Frame;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// A body of `left` pieces, one after each pause; it is endless if `left` is `None`.
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
            #[expect(clippy::disallowed_methods, reason = "the clock of this test is paused")]
            let clock = self.clock.get_or_insert_with(|| Box::pin(tokio::time::sleep(pause)));
            std::task::ready!(clock.as_mut().poll(context));
            self.clock = None;
            self.left = self.left.map(|left| left - 1);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"piece")))))
        }
    }

    /// Two timeouts limit the reading: one for the pause between two pieces, one for all.
    #[tokio::test(start_paused = true)]
    async fn unread_bodies_are_discarded_for_a_limited_time() {
        for (pause, pieces, seconds) in
            [(0, Some(100_000), 0), (1, Some(100), 100), (31, Some(2), 30), (1, None, 300), (29, None, 300)]
        {
            let slow = Slow { pause: Duration::from_secs(pause), left: pieces, clock: None };
            let (body, rest) = Body::new(axum::body::Body::new(slow), u64::MAX, false);
            drop(body);
            let begun = tokio::time::Instant::now();
            let Unread::Rest(unread) = rest.unread() else { panic!("nothing is left to discard") };
            unread.discard().await;
            assert_eq!(begun.elapsed().as_secs(), seconds, "{pieces:?} pieces, one in {pause} seconds");
        }
    }
}
