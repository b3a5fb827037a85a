//! A stream that does not wait for ever for its reader: who asks for much and then reads nothing holds a connection and no more, and
//! that for a limited time.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream whose writes fail when they stand still for too long.
#[derive(Debug)]
pub struct StallTimeout<S> {
    stream: S,
    limit: Duration,
    /// Runs while a write stands still.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> StallTimeout<S> {
    /// A stream whose writes may stand still for so long.
    pub fn new(stream: S, limit: Duration) -> StallTimeout<S> {
        StallTimeout { stream, limit, stalled: None }
    }

    /// What came of a write, unless it has been standing still for too long.
    fn judge<T>(&mut self, written: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| clock(limit));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the client does not read"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "how long a socket stands still is the machine's time")]
fn clock(limit: Duration) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep(limit))
}

impl<S: AsyncRead + Unpin> AsyncRead for StallTimeout<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(written, context)
    }

    fn poll_write_vectored(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(shut, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn gives_up_on_who_does_not_read() {
        let (server, _client) = duplex(16);
        let mut server = StallTimeout::new(server, Duration::from_millis(10));
        let error = server.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn bears_with_who_reads_slowly() {
        let (server, mut client) = duplex(1);
        let mut server = StallTimeout::new(server, Duration::from_secs(60));
        let sent = tokio::spawn(async move {
            server.write_all(b"slowly").await.unwrap();
            server.shutdown().await.unwrap();
        });
        let mut read = String::new();
        client.read_to_string(&mut read).await.unwrap();
        sent.await.unwrap();
        assert_eq!(read, "slowly");
    }
}
