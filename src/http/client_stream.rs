//! The stream of a connection, with limits for a client that does not read or does not stop sending.
//!
//! A client that does not read holds its connection for a limited time only. And a socket that is closed while its client still sends
//! is reset, and the client may see the reset before it has read the response. So the server first closes its own half, and then
//! discards what it receives until the client closes its half too, for a limited time (RFC 9112, section 9.6).

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// The size of a read, in bytes.
const PIECE: usize = 64 << 10;
/// How many reads are made before the task yields to others.
const READS_PER_POLL: usize = 16;

/// The limits of a [`ClientStream`].
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    /// How long a write may stall because the client does not read.
    pub stall: Duration,
    /// How long a stream that the server closes still discards what the client sends.
    pub linger: Duration,
}

/// A stream whose writes fail when they stall for too long, and whose shutdown waits until the other end stops sending.
#[derive(Debug)]
pub struct ClientStream<S> {
    stream: S,
    limits: StreamLimits,
    /// The timer of a write that stalls.
    stalled: Option<Pin<Box<Sleep>>>,
    ending: Ending,
}

/// The state of the shutdown.
#[derive(Debug)]
enum Ending {
    /// It has not begun.
    Open,
    /// The write half is closed, and received bytes are discarded until the timeout.
    Draining { buffer: Box<[u8]>, time: Pin<Box<Sleep>> },
    /// It is complete.
    Done,
}

impl<S> ClientStream<S> {
    /// Wraps a stream.
    pub fn new(stream: S, limits: StreamLimits) -> ClientStream<S> {
        ClientStream { stream, limits, stalled: None, ending: Ending::Open }
    }

    /// Returns the result of a write, or an error if it has stalled for too long.
    fn check_stall<T>(&mut self, written: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limits.stall;
        let stalled = self.stalled.get_or_insert_with(|| clock(limit));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the timeout of a socket is in the machine's time")]
fn clock(limit: Duration) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(limit))
}

impl<S: AsyncRead + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_stall(written, context)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.check_stall(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.check_stall(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shut = self.close(context);
        self.check_stall(shut, context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> ClientStream<S> {
    /// Closes the write half, and then discards what arrives until the other end stops sending or the time is over.
    fn close(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        let ClientStream { stream, limits, ending, .. } = self;
        if matches!(ending, Ending::Open) {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
            *ending = Ending::Draining { buffer: vec![0; PIECE].into(), time: clock(limits.linger) };
        }
        let Ending::Draining { buffer, time } = ending else { return Poll::Ready(Ok(())) };
        // The timeout also applies to a client that never stops sending.
        if time.as_mut().poll(context).is_pending() && drain(stream, buffer, context).is_pending() {
            return Poll::Pending;
        }
        *ending = Ending::Done;
        Poll::Ready(Ok(()))
    }
}

/// Discards what arrives, until the other end stops sending or the connection fails.
fn drain<S: AsyncRead + Unpin>(stream: &mut S, buffer: &mut [u8], context: &mut Context<'_>) -> Poll<()> {
    for _ in 0..READS_PER_POLL {
        let mut piece = ReadBuf::new(buffer);
        let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut piece));
        if read.is_err() || piece.filled().is_empty() {
            return Poll::Ready(());
        }
    }
    context.waker().wake_by_ref();
    Poll::Pending
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const LONG: Duration = Duration::from_secs(60);

    fn limits(stall: Duration, linger: Duration) -> StreamLimits {
        StreamLimits { stall, linger }
    }

    /// A client can go on sending after the response was written, and read the response afterwards.
    #[tokio::test]
    async fn waits_until_the_other_end_stops() {
        let (server, mut client) = duplex(1000);
        let mut server = ClientStream::new(server, limits(LONG, LONG));
        let ended = tokio::spawn(async move {
            server.write_all(b"refused").await.unwrap();
            server.shutdown().await.unwrap();
        });
        client.write_all(&vec![7; 4 << 20]).await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "refused");
        assert!(!ended.is_finished(), "the client could still send");
        drop(client);
        ended.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn does_not_wait_for_ever() {
        let (server, client) = duplex(1000);
        ClientStream::new(server, limits(LONG, Duration::from_secs(5))).shutdown().await.unwrap();
        drop(client);
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_is_given_up() {
        let (server, _client) = duplex(16);
        let mut server = ClientStream::new(server, limits(Duration::from_millis(10), LONG));
        let error = server.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_gets_everything() {
        let (server, mut client) = duplex(1);
        let mut server = ClientStream::new(server, limits(LONG, LONG));
        let sent = tokio::spawn(async move {
            server.write_all(b"slowly").await.unwrap();
            server.shutdown().await.unwrap();
        });
        let mut read = String::new();
        client.read_to_string(&mut read).await.unwrap();
        drop(client);
        sent.await.unwrap();
        assert_eq!(read, "slowly");
    }
}
