//! The case of metadata names. The service returns `x-ms-meta-CamelCase` as it was written, and clients rely on that, but hyper has
//! header names in lower case only.
//!
//! [`HeaderCaseReader`] reads the heads of requests on their way to hyper and records how metadata names are written. For responses,
//! hyper writes names in the case that an extension of the response gives, which only hyper can create. So [`ResponseHeaderCase`] makes
//! hyper create one, by parsing a request with these names.

use bytes::Bytes;
use http::{Extensions, Request, Response};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
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
/// The most lists of names that are kept for the responses of the server. When it is reached, all are removed.
const CAPACITY: usize = 1024;

/// How the metadata names in the heads of a connection were written. There is an entry for each head that was read to its end and that
/// hyper has not returned yet, in their order: clients may send requests before they have the responses to earlier ones.
#[derive(Clone, Debug, Default)]
pub struct MetadataCase(Arc<Mutex<VecDeque<WrittenNames>>>);

/// How the metadata names of a head were written: by lower-case name, those not in lower case.
type WrittenNames = HashMap<String, String>;

impl MetadataCase {
    /// The metadata names that were not written in lower case, in pairs: in lower case, as written. They are those of the next head, so
    /// this is called once for each head that hyper returns.
    pub fn next_head(&self) -> Vec<(String, String)> {
        self.0.lock().pop_front().unwrap_or_default().into_iter().collect()
    }
}

/// A connection that records the metadata names in request heads as they are read. Bodies are skipped.
#[derive(Debug)]
pub struct HeaderCaseReader<S> {
    stream: S,
    metadata_case: MetadataCase,
    position: Position,
    /// The current head, from its first line on.
    head: Option<Head>,
    /// The start of a line that is not read to its end yet.
    line: Vec<u8>,
}

/// What is known of the head that is being read.
#[derive(Debug, Default)]
struct Head {
    kind: HeadKind,
    names: WrittenNames,
    /// Its `Content-Length`.
    announced: u64,
    /// Whether it announces a chunked body.
    chunked: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HeadKind {
    #[default]
    Request,
    /// A response such as 100 Continue, which hyper does not return.
    InterimResponse,
    /// The response on a connection to another server. There is only one.
    Response,
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
    /// A malformed chunk: the start of the next request is unknown, and hyper closes the connection. Or the body of a response, after which
    /// there is no other.
    Lost,
}

impl<S> HeaderCaseReader<S> {
    /// Wraps a stream, and records the metadata names in `metadata_case`.
    pub fn new(stream: S, metadata_case: MetadataCase) -> HeaderCaseReader<S> {
        HeaderCaseReader { stream, metadata_case, position: Position::Head, head: None, line: Vec::new() }
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
            Position::Head => match &mut self.head {
                // Line breaks before a head are ignored.
                None if line.is_empty() => Position::Head,
                None => {
                    self.head = Some(Head { kind: HeadKind::of(line), ..Head::default() });
                    Position::Head
                }
                Some(_) if line.is_empty() => self.end_head(),
                Some(head) => {
                    head.take_header(line);
                    Position::Head
                }
            },
            position => position,
        };
    }

    /// Adds the names of the current head, and returns what follows it.
    fn end_head(&mut self) -> Position {
        let Some(Head { kind, names, announced, chunked }) = self.head.take() else { return Position::Head };
        if kind == HeadKind::InterimResponse {
            return Position::Head;
        }
        self.metadata_case.0.lock().push_back(names);
        match (kind, chunked, announced) {
            (HeadKind::Response, ..) => Position::Lost,
            (_, true, _) => Position::Size,
            (_, false, 0) => Position::Head,
            (_, false, announced) => Position::Body(announced),
        }
    }
}

impl HeadKind {
    /// The kind of a head with this first line.
    fn of(line: &[u8]) -> HeadKind {
        match line {
            [b'H', b'T', b'T', b'P', b'/', b'1', b'.', _, b' ', b'1', ..] => HeadKind::InterimResponse,
            [b'H', b'T', b'T', b'P', b'/', ..] => HeadKind::Response,
            _ => HeadKind::Request,
        }
    }
}

impl Head {
    fn take_header(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let metadata = name.split_at_checked(PREFIX.len()).filter(|(start, _)| start.eq_ignore_ascii_case(PREFIX.as_bytes()));
        if let Some((_, rest)) = metadata {
            if let Ok(written) = std::str::from_utf8(rest) {
                self.record(written);
            }
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.announced = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // hyper refuses requests with another transfer coding.
            self.chunked = true;
        }
    }

    fn record(&mut self, written: &str) {
        let lower = written.to_ascii_lowercase();
        if lower == written {
            self.names.remove(&lower);
        } else {
            self.names.insert(lower, written.to_owned());
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

    /// The names that are recorded from the last head in these bytes, read in pieces of every size, and the number of heads.
    fn seen(bytes: &[u8]) -> (usize, Vec<(String, String)>) {
        let once = |piece: usize| {
            let mut reader = HeaderCaseReader::new((), MetadataCase::default());
            bytes.chunks(piece).for_each(|chunk| reader.scan(chunk));
            let heads = reader.metadata_case.0.lock().len();
            let names: Vec<_> = (0..heads).map(|_| reader.metadata_case.next_head()).collect();
            (heads, names.into_iter().next_back().unwrap_or_default())
        };
        let first = once(1);
        (2..=bytes.len()).for_each(|piece| assert_eq!(once(piece), first, "in pieces of {piece}"));
        first
    }

    #[test]
    fn names_are_recorded_from_heads_only() {
        let camel = || vec![("camelcase".to_owned(), "CamelCase".to_owned())];
        for (bytes, heads, expected) in [
            ("PUT /a HTTP/1.1\r\nX-MS-Meta-CamelCase: x\r\n\r\n", 1, camel()),
            ("PUT /a HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n", 0, vec![]),
            ("PUT /a HTTP/1.1\r\nx-ms-meta-lower: x\r\n\r\n", 1, vec![]),
            ("PUT /a HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n\r\nPUT /b HTTP/1.1\r\nx-ms-meta-camelcase: x\r\n\r\n", 2, vec![]),
            (
                "PUT /a HTTP/1.1\r\ncontent-length: 25\r\n\r\nx-ms-meta-Body: no\r\n\r\n\r\n\r\nPUT /b HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n\r\n",
                2,
                camel(),
            ),
            ("PUT /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nx-ms-meta-Body: no\r\n", 1, vec![]),
            (
                "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\ncontent-length: 3\r\n\r\n1A;x=y\r\nx-ms-meta-Body: no\r\n\r\n\r\n\r\n\r\n0\r\nx-ms-meta-Trailer: no\r\n\r\nPUT /b HTTP/1.1\r\nx-ms-meta-CamelCase: x\r\n\r\n",
                2,
                camel(),
            ),
            ("PUT /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\nx-ms-meta-Body: no\r\n", 1, vec![]),
            // The one response on a connection to another server, and the lines of its body.
            (
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nx-ms-meta-CamelCase: x\r\n\r\na\r\nx-ms-meta-Body: no\r\n\r\n",
                1,
                camel(),
            ),
        ] {
            assert_eq!(seen(bytes.as_bytes()), (heads, expected), "{bytes}");
        }
    }

    #[tokio::test]
    async fn names_are_written_without_an_error() {
        let made = make(&["CamelCase".to_owned()]).await;
        assert!(made.as_ref().is_ok_and(|made| !made.is_empty()), "{made:?}");
    }
}
