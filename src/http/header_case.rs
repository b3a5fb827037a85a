//! The case of metadata names. The service returns `x-ms-meta-CamelCase` as it was written, and clients rely on that, but hyper has
//! header names in lower case only.
//!
//! [`HeaderCaseReader`] reads the heads of requests on their way to hyper and records how metadata names are written. For responses,
//! hyper writes names in the case that an extension of the response gives, which only hyper can create. So [`ResponseHeaderCase`] makes
//! hyper create one, by parsing a request with these names.

use bytes::Bytes;
use http::{Extensions, HeaderMap, Request, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};

/// The prefix of metadata headers.
const PREFIX: &str = "x-ms-meta-";
/// The longest line of a head that is read, in bytes.
const LINE: usize = 16 << 10;
/// The most names that are recorded for a connection or for the server. When it is reached, all are removed.
const CAPACITY: usize = 1024;

/// How the metadata names of a connection's requests were last written: by lower-case name, those not in lower case.
#[derive(Clone, Debug, Default)]
pub struct MetadataCase(Arc<Mutex<HashMap<String, String>>>);

impl MetadataCase {
    /// The metadata names of these headers that were not written in lower case, in pairs: in lower case, as written.
    pub fn of(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let named = headers.keys().filter_map(|name| name.as_str().strip_prefix(PREFIX));
        let mut named = named.peekable();
        if named.peek().is_none() {
            return Vec::new();
        }
        let known = self.0.lock();
        named.filter_map(|name| known.get_key_value(name)).map(|(lower, written)| (lower.clone(), written.clone())).collect()
    }

    fn record(&self, written: &str) {
        let lower = written.to_ascii_lowercase();
        let mut known = self.0.lock();
        if lower == written {
            known.remove(&lower);
            return;
        }
        if known.len() >= CAPACITY {
            known.clear();
        }
        known.insert(lower, written.to_owned());
    }
}

/// A connection that records the metadata names in request heads as they are read. Bodies are skipped.
#[derive(Debug)]
pub struct HeaderCaseReader<S> {
    stream: S,
    metadata_case: MetadataCase,
    position: Position,
    /// The start of a line that is not read to its end yet.
    line: Vec<u8>,
    /// The `Content-Length` in the current head.
    announced: u64,
    /// Whether the current head announces a chunked body.
    chunked: bool,
}

/// The part of the requests that is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Head,
    /// A body with this many bytes left.
    Body(u64),
    /// The line with the size of a chunk.
    Size,
    /// A chunk with this many bytes left.
    Chunk(u64),
    /// The lines after the last chunk.
    Trailer,
    /// A malformed chunk. The start of the next request is unknown, and hyper closes the connection.
    Lost,
}

impl<S> HeaderCaseReader<S> {
    /// Wraps a stream, and records the metadata names in `metadata_case`.
    pub fn new(stream: S, metadata_case: MetadataCase) -> HeaderCaseReader<S> {
        HeaderCaseReader { stream, metadata_case, position: Position::Head, line: Vec::new(), announced: 0, chunked: false }
    }

    fn scan(&mut self, mut fresh: &[u8]) {
        while !fresh.is_empty() {
            match self.position {
                Position::Lost => return,
                Position::Body(left) => {
                    let left = skip(&mut fresh, left);
                    self.position = if left == 0 { Position::Head } else { Position::Body(left) };
                }
                Position::Chunk(left) => {
                    let left = skip(&mut fresh, left);
                    self.position = if left == 0 { Position::Size } else { Position::Chunk(left) };
                }
                Position::Head | Position::Size | Position::Trailer => {
                    let Some(end) = fresh.iter().position(|byte| *byte == b'\n') else {
                        let room = LINE.saturating_sub(self.line.len());
                        self.line.extend_from_slice(&fresh[..fresh.len().min(room)]);
                        return;
                    };
                    let (rest, later) = fresh.split_at(end + 1);
                    fresh = later;
                    if self.line.is_empty() {
                        self.take_line(rest.trim_ascii_end());
                        continue;
                    }
                    let mut line = std::mem::take(&mut self.line);
                    line.extend_from_slice(rest);
                    self.take_line(line.trim_ascii_end());
                }
            }
        }
    }

    fn take_line(&mut self, line: &[u8]) {
        self.position = match self.position {
            Position::Size => match chunk_size(line) {
                Some(0) => Position::Trailer,
                // The data and the line break after it.
                Some(size) => size.checked_add(2).map_or(Position::Lost, Position::Chunk),
                None => Position::Lost,
            },
            Position::Trailer if line.is_empty() => Position::Head,
            Position::Head if line.is_empty() => match (std::mem::take(&mut self.chunked), std::mem::take(&mut self.announced)) {
                (true, _) => Position::Size,
                (false, 0) => Position::Head,
                (false, announced) => Position::Body(announced),
            },
            Position::Head => {
                self.take_header(line);
                Position::Head
            }
            position => position,
        };
    }

    fn take_header(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let metadata = name.split_at_checked(PREFIX.len()).filter(|(start, _)| start.eq_ignore_ascii_case(PREFIX.as_bytes()));
        if let Some((_, rest)) = metadata {
            if let Ok(written) = std::str::from_utf8(rest) {
                self.metadata_case.record(written);
            }
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.announced = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // hyper refuses requests with another transfer coding.
            self.chunked = true;
        }
    }
}

/// Skips up to `left` bytes, and returns how many remain to be skipped.
fn skip(fresh: &mut &[u8], left: u64) -> u64 {
    let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(fresh.len());
    *fresh = &fresh[skipped..];
    left - skipped as u64
}

/// Parses the line with the size of a chunk.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl<S: AsyncRead + Unpin> AsyncRead for HeaderCaseReader<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.scan(buffer.filled().get(before..).unwrap_or_default());
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeaderCaseReader<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// The extensions that make hyper write metadata names in a given case, by the names.
#[derive(Debug, Default)]
pub struct ResponseHeaderCase(Mutex<HashMap<String, Extensions>>);

impl ResponseHeaderCase {
    /// Makes hyper write the metadata headers of the response with these names.
    pub async fn apply<B>(&self, names: &[String], response: &mut Response<B>) {
        let key = names.join(":");
        let known = self.0.lock().get(&key).cloned();
        let made = match known {
            Some(made) => made,
            None => {
                let made = match make(names).await {
                    Ok(made) => made,
                    Err(error) => {
                        tracing::debug!(target: "lazuli::connection", "metadata names are written in lower case: {error}");
                        return;
                    }
                };
                let mut cached = self.0.lock();
                if cached.len() >= CAPACITY {
                    cached.clear();
                }
                cached.insert(key, made.clone());
                made
            }
        };
        response.extensions_mut().extend(made);
    }
}

/// Makes hyper parse a request with these names over a pipe, and returns the extensions in which hyper keeps their case.
async fn make(names: &[String]) -> Result<Extensions, Box<dyn Error + Send + Sync>> {
    let mut head = String::from("GET / HTTP/1.1\r\n");
    for name in names {
        head.push_str(PREFIX);
        head.push_str(name);
        head.push_str(": \r\n");
    }
    head.push_str("\r\n");
    let (mut near, far) = tokio::io::duplex(head.len() + (16 << 10));
    // The pipe has room for the whole head, so this does not wait.
    near.write_all(head.as_bytes()).await?;
    near.shutdown().await?;
    let cached = Arc::new(Mutex::new(Extensions::new()));
    let service = service_fn(|request: Request<Incoming>| {
        *cached.lock() = request.extensions().clone();
        std::future::ready(Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())))
    });
    // Half-closed: hyper must answer although the pipe has reached its end.
    let mut builder = http1::Builder::new();
    builder.max_headers(CAPACITY).preserve_header_case(true).half_close(true);
    builder.serve_connection(TokioIo::new(far), service).await?;
    Ok(std::mem::take(&mut *cached.lock()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that are recorded from these bytes, read in pieces of every size.
    fn seen(bytes: &[u8]) -> Vec<(String, String)> {
        let once = |piece: usize| {
            let mut reader = HeaderCaseReader::new((), MetadataCase::default());
            bytes.chunks(piece).for_each(|chunk| reader.scan(chunk));
            let mut known: Vec<_> = reader.metadata_case.0.lock().clone().into_iter().collect();
            known.sort();
            known
        };
        let first = once(1);
        (2..=bytes.len()).for_each(|piece| assert_eq!(once(piece), first, "in pieces of {piece}"));
        first
    }

    #[test]
    fn names_are_recorded_from_heads_only() {
        let camel = || vec![("camelcase".to_owned(), "CamelCase".to_owned())];
        for (bytes, expected) in [
            ("PUT /a HTTP/1.1\r\nX-MS-Meta-CamelCase: x\r\n\r\n", camel()),
            ("PUT /a HTTP/1.1\r\nx-ms-meta-lower: x\r\n\r\n", vec![]),
            ("PUT /a HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n\r\nPUT /b HTTP/1.1\r\nx-ms-meta-camelcase: x\r\n\r\n", vec![]),
            (
                "PUT /a HTTP/1.1\r\ncontent-length: 25\r\n\r\nx-ms-meta-Body: no\r\n\r\n\r\n\r\nPUT /b HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n\r\n",
                camel(),
            ),
            ("PUT /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nx-ms-meta-Body: no\r\n", vec![]),
            (
                "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\ncontent-length: 3\r\n\r\n1A;x=y\r\nx-ms-meta-Body: no\r\n\r\n\r\n\r\n\r\n0\r\nx-ms-meta-Trailer: no\r\n\r\nPUT /b HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n\r\n",
                camel(),
            ),
            ("PUT /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nx-ms-meta-Body: no\r\n", vec![]),
        ] {
            assert_eq!(seen(bytes.as_bytes()), expected, "{bytes}");
        }
    }

    #[tokio::test]
    async fn names_are_written_without_an_error() {
        let made = make(&["CamelCase".to_owned()]).await;
        assert!(made.as_ref().is_ok_and(|made| !made.is_empty()), "{made:?}");
    }
}
