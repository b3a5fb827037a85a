//! An orderly end of a connection. A socket that is closed while its client still sends is reset, and the reset can overtake the answer
//! that the client has not read yet. So the server first ends its own half, and then reads and discards what still comes: until the
//! client ends its half too, for a limited time (RFC 9112, section 9.6).

use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How much is read at once, in bytes.
const PIECE: usize = 64 << 10;
/// How many pieces are read before other tasks get their turn.
const TURN: usize = 16;

/// A stream whose shutdown waits for the other end to stop sending.
#[derive(Debug)]
pub struct LingeringClose<S> {
    stream: S,
    limit: Duration,
    ending: Ending,
}

/// How far the end of a connection has come.
#[derive(Debug)]
enum Ending {
    /// Not begun.
    Open,
    /// Nothing more is written; what still comes is discarded until the time is up.
    Draining { buffer: Box<[u8]>, time: Pin<Box<Sleep>> },
    /// Over.
    Done,
}

impl<S> LingeringClose<S> {
    /// A stream whose shutdown takes no longer than this.
    pub fn new(stream: S, limit: Duration) -> LingeringClose<S> {
        LingeringClose { stream, limit, ending: Ending::Open }
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a socket stays open is the machine's time")]
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
        for _ in 0..TURN {
            let mut piece = ReadBuf::new(buffer);
            let read = Pin::new(&mut *stream).poll_read(context, &mut piece);
            let over = match read {
                Poll::Pending => time.as_mut().poll(context).is_ready(),
                Poll::Ready(Ok(())) => piece.filled().is_empty(),
                Poll::Ready(Err(_)) => true,
            };
            if over {
                *ending = Ending::Done;
                return Poll::Ready(Ok(()));
            }
            if read.is_pending() {
                return Poll::Pending;
            }
        }
        // Somebody who never stops sending is stopped by the clock all the same.
        if time.as_mut().poll(context).is_ready() {
            *ending = Ending::Done;
            return Poll::Ready(Ok(()));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    /// Who sends long after the answer can still send, and reads the answer when done.
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
