//! Faults on the way of an answer to its client: a connection that is cut, a body that breaks off or comes slowly.

use crate::diagnostics::faults::Ending;
use axum::body::Body;
use bytes::Bytes;
use http::Response;
use http_body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use thiserror::Error;
use tokio::time::Sleep;

/// The connection is closed instead of an answer. In the extensions of a response it replaces that response.
#[derive(Clone, Copy, Debug, Error)]
#[error("a fault cuts the connection")]
pub struct CutConnection;

/// A response that closes its connection instead of being sent.
pub fn cut() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    response.extensions_mut().insert(CutConnection);
    response
}

/// Returns true for a response that only closes its connection.
pub fn is_cut(response: &Response<Body>) -> bool {
    response.extensions().get::<CutConnection>().is_some()
}

/// Applies the end of a request to its response.
pub fn end(response: Response<Body>, ending: &Ending) -> Response<Body> {
    match *ending {
        Ending::CutBefore | Ending::CutAfter => cut(),
        Ending::Refused(_) => response,
        Ending::Truncated(bytes) => response.map(|body| Body::new(TruncatedBody { body, left: bytes, sending: None })),
        Ending::Dripping { bytes, pause } => {
            response.map(|body| Body::new(DrippingBody { body, rest: Bytes::new(), bytes, pause, waiting: None }))
        }
    }
}

/// Waits before a request, if its faults delay it.
pub async fn delay(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

#[expect(clippy::disallowed_methods, reason = "a client waits in the machine's time")]
fn sleep(time: Duration) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(time))
}

/// A body that fails after some bytes.
struct TruncatedBody {
    body: Body,
    left: u64,
    /// Ends when what came so far is sent: a connection whose body fails drops what it has not sent.
    sending: Option<Pin<Box<Sleep>>>,
}

/// A client that reads at once needs less time than this.
const SENDING: Duration = Duration::from_millis(50);

impl TruncatedBody {
    fn break_off(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        ready!(self.sending.get_or_insert_with(|| sleep(SENDING)).as_mut().poll(context));
        Poll::Ready(Some(Err(io::Error::other(CutConnection))))
    }
}

impl http_body::Body for TruncatedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 || self.sending.is_some() {
            return self.break_off(context);
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let Some(data) = frame.and_then(|frame| frame.ok()?.into_data().ok()) else {
            // A body that is shorter than that breaks off at its end.
            return self.break_off(context);
        };
        let length = data.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= length as u64;
        Poll::Ready(Some(Ok(Frame::data(data.slice(..length)))))
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body whose bytes come in pieces, each after a pause.
struct DrippingBody {
    body: Body,
    /// What came from `body` and is not sent yet.
    rest: Bytes,
    bytes: usize,
    pause: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl http_body::Body for DrippingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.rest.is_empty() {
            let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)) else { return Poll::Ready(None) };
            match frame?.into_data() {
                Ok(data) => self.rest = data,
                Err(other) => return Poll::Ready(Some(Ok(other))),
            }
        }
        let pause = self.pause;
        ready!(self.waiting.get_or_insert_with(|| sleep(pause)).as_mut().poll(context));
        self.waiting = None;
        let length = self.rest.len().min(self.bytes);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        if let Some(exact) = hint.exact() {
            hint.set_exact(exact + self.rest.len() as u64);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Body as _;
    use http_body_util::BodyExt;

    async fn pieces(response: Response<Body>) -> (Vec<Bytes>, bool) {
        let (mut body, mut pieces) = (response.into_body(), Vec::new());
        while let Some(frame) = body.frame().await {
            match frame {
                Ok(frame) => pieces.extend(frame.into_data()),
                Err(_) => return (pieces, true),
            }
        }
        (pieces, false)
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_break_off_and_drip() {
        let response = || Response::new(Body::from("0123456789"));
        let dripping = |bytes| Ending::Dripping { bytes, pause: Duration::from_secs(3) };
        for (ending, expected, breaks_off) in [
            (Ending::Truncated(0), &[][..], true),
            (Ending::Truncated(4), &["0123"], true),
            (Ending::Truncated(99), &["0123456789"], true),
            (dripping(4), &["0123", "4567", "89"], false),
            (dripping(99), &["0123456789"], false),
        ] {
            let ended = end(response(), &ending);
            assert_eq!(ended.body().size_hint().exact(), Some(10), "the announced length remains");
            let (found, broken) = pieces(ended).await;
            assert_eq!((found.len(), broken), (expected.len(), breaks_off), "{ending:?}");
            assert!(found.iter().zip(expected).all(|(found, expected)| found == expected.as_bytes()), "{ending:?}");
        }
        assert!(is_cut(&end(response(), &Ending::CutAfter)) && !is_cut(&end(response(), &dripping(1))));
    }
}
