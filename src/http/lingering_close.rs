//! The orderly end of a connection. A socket that is closed while its client still sends is reset, and the client may see the reset
//! before it has read the response. So the server first closes its own half, and then discards what it receives until the client closes
//! its half too, for a limited time (RFC 9112, section 9.6).

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// The size of a read, in bytes.
const PIECE: usize = 64 << 10;
/// How many reads are made before the task yields to others.
const READS_PER_POLL: usize = 16;

/// A stream whose shutdown waits until the other end stops sending.
#[derive(Debug)]
pub struct LingeringClose<S> {
    stream: S,
    limit: Duration,
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

impl<S> LingeringClose<S> {
    /// Wraps a stream. Its shutdown takes at most `limit`.
    pub fn new(stream: S, limit: Duration) -> LingeringClose<S> {
        LingeringClose { stream, limit, ending: Ending::Open }
    }
}

#[expect(clippy::disallowed_methods, reason = "the timeout of a socket is in the machine's time")]
fn clock(limit: Duration) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(limit))
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringClose<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringClose<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let LingeringClose { stream, limit, ending } = &mut *self;
        if matches!(ending, Ending::Open) {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
            *ending = Ending::Draining { buffer: vec![0; PIECE].into(), time: clock(*limit) };
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

    /// A client can go on sending after the response was written, and read the response afterwards.
    #[tokio::test]
    async fn waits_until_the_other_end_stops() {
        let (server, mut client) = duplex(1000);
        let mut server = LingeringClose::new(server, Duration::from_secs(60));
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
        LingeringClose::new(server, Duration::from_secs(5)).shutdown().await.unwrap();
        drop(client);
    }
}
