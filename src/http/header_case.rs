//! The case of metadata names. The service gives `x-ms-meta-CamelCase` back as it was written, and clients look names up by it;
//! hyper knows header names in lower case only.
//!
//! On the way in, [`Sniffed`] looks at the heads of requests as they pass by and remembers how metadata names were written. On the
//! way out, hyper would write names as a request spelled them, if it found a value among the response's extensions that only hyper
//! can make; so [`Spellings`] has hyper make one, by reading a request with just those names.

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

/// What the names of metadata headers begin with.
const PREFIX: &str = "x-ms-meta-";
/// The longest line of a head that is looked at, in bytes.
const LINE: usize = 16 << 10;
/// How many spellings are remembered, of a connection or of the server, before all are forgotten.
const MEMORY: usize = 1024;

/// How the metadata names of a connection's requests were last written, where that was not in lower case.
#[derive(Clone, Debug, Default)]
pub struct MetadataCase(Arc<Mutex<HashMap<String, String>>>);

impl MetadataCase {
    /// The spellings of a request's metadata names: lower case, and as written.
    pub fn of(&self, headers: &HeaderMap) -> Vec<(String, String)> {
        let named = headers.keys().filter_map(|name| name.as_str().strip_prefix(PREFIX));
        let mut named = named.peekable();
        if named.peek().is_none() {
            return Vec::new();
        }
        let known = self.0.lock();
        named.filter_map(|name| known.get_key_value(name)).map(|(lower, written)| (lower.clone(), written.clone())).collect()
    }

    fn note(&self, written: &str) {
        let lower = written.to_ascii_lowercase();
        let mut known = self.0.lock();
        if lower == written {
            known.remove(&lower);
            return;
        }
        if known.len() >= MEMORY {
            known.clear();
        }
        known.insert(lower, written.to_owned());
    }
}

/// A connection whose request heads are looked at as they are read. Bodies pass unseen.
#[derive(Debug)]
pub struct HeaderCaseReader<S> {
    stream: S,
    spelled: MetadataCase,
    at: At,
    /// The beginning of a line whose end has not been read yet.
    line: Vec<u8>,
    /// The Content-Length of the head being read.
    announced: u64,
    /// Whether the head being read announces a body in chunks.
    chunked: bool,
}

/// Where in the connection's requests the reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Head,
    /// So many bytes before the next head.
    Body(u64),
    /// The line before a chunk, which has its size.
    Size,
    /// So many bytes before the next such line.
    Chunk(u64),
    /// The lines after the last chunk.
    Trailer,
    /// Chunks that are malformed. The connection ends here: nobody can tell where the next request begins.
    Lost,
}

impl<S> HeaderCaseReader<S> {
    /// Looks at this stream, and remembers what it sees there.
    pub fn new(stream: S, spelled: MetadataCase) -> HeaderCaseReader<S> {
        HeaderCaseReader { stream, spelled, at: At::Head, line: Vec::new(), announced: 0, chunked: false }
    }

    fn look(&mut self, mut fresh: &[u8]) {
        while !fresh.is_empty() {
            match self.at {
                At::Lost => return,
                At::Body(left) => {
                    let left = skip(&mut fresh, left);
                    self.at = if left == 0 { At::Head } else { At::Body(left) };
                }
                At::Chunk(left) => {
                    let left = skip(&mut fresh, left);
                    self.at = if left == 0 { At::Size } else { At::Chunk(left) };
                }
                At::Head | At::Size | At::Trailer => {
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
        self.at = match self.at {
            At::Size => match chunk_size(line) {
                Some(0) => At::Trailer,
                // The data, and the end of line behind it.
                Some(size) => size.checked_add(2).map_or(At::Lost, At::Chunk),
                None => At::Lost,
            },
            At::Trailer if line.is_empty() => At::Head,
            At::Head if line.is_empty() => match (std::mem::take(&mut self.chunked), std::mem::take(&mut self.announced)) {
                (true, _) => At::Size,
                (false, 0) => At::Head,
                (false, announced) => At::Body(announced),
            },
            At::Head => {
                self.take_header(line);
                At::Head
            }
            at => at,
        };
    }

    fn take_header(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { return };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let metadata = name.split_at_checked(PREFIX.len()).filter(|(start, _)| start.eq_ignore_ascii_case(PREFIX.as_bytes()));
        if let Some((_, rest)) = metadata {
            if let Ok(written) = std::str::from_utf8(rest) {
                self.spelled.note(written);
            }
        } else if name.eq_ignore_ascii_case(b"content-length") {
            self.announced = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()).unwrap_or(0);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // Of another coding no end can be told, and the request is refused.
            self.chunked = true;
        }
    }
}

/// Takes up to so many bytes off the front; how many of them are still to come.
fn skip(fresh: &mut &[u8], left: u64) -> u64 {
    let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(fresh.len());
    *fresh = &fresh[skipped..];
    left - skipped as u64
}

/// The size of a chunk, by the line before it.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

impl<S: AsyncRead + Unpin> AsyncRead for HeaderCaseReader<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.look(buffer.filled().get(before..).unwrap_or_default());
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

/// What makes hyper write metadata names as they are spelled, by the names.
#[derive(Debug, Default)]
pub struct ResponseHeaderCase(Mutex<HashMap<String, Extensions>>);

impl ResponseHeaderCase {
    /// Has the response's metadata headers written with these names, which are not all in lower case.
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
                let mut kept = self.0.lock();
                if kept.len() >= MEMORY {
                    kept.clear();
                }
                kept.insert(key, made.clone());
                made
            }
        };
        response.extensions_mut().extend(made);
    }
}

/// Has hyper read a request with these names, over a pipe, and takes from it what hyper keeps of their case.
async fn make(names: &[String]) -> Result<Extensions, Box<dyn Error + Send + Sync>> {
    let mut head = String::from("GET / HTTP/1.1\r\n");
    for name in names {
        head.push_str(PREFIX);
        head.push_str(name);
        head.push_str(": \r\n");
    }
    head.push_str("\r\n");
    let (mut near, far) = tokio::io::duplex(head.len() + (16 << 10));
    // A pipe that holds all of it takes it at once.
    near.write_all(head.as_bytes()).await?;
    near.shutdown().await?;
    let kept = Arc::new(Mutex::new(Extensions::new()));
    let service = service_fn(|request: Request<Incoming>| {
        *kept.lock() = request.extensions().clone();
        std::future::ready(Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())))
    });
    // Half-closed: that no other request comes is no reason to give up the one that is there.
    let mut builder = http1::Builder::new();
    builder.max_headers(MEMORY).preserve_header_case(true).half_close(true);
    builder.serve_connection(TokioIo::new(far), service).await?;
    Ok(std::mem::take(&mut *kept.lock()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is remembered of these bytes when they are read in pieces of every size.
    fn seen(bytes: &[u8]) -> Vec<(String, String)> {
        let once = |piece: usize| {
            let mut sniffed = HeaderCaseReader::new((), MetadataCase::default());
            bytes.chunks(piece).for_each(|chunk| sniffed.look(chunk));
            let mut known: Vec<_> = sniffed.spelled.0.lock().clone().into_iter().collect();
            known.sort();
            known
        };
        let first = once(1);
        (2..=bytes.len()).for_each(|piece| assert_eq!(once(piece), first, "in pieces of {piece}"));
        first
    }

    #[test]
    fn names_are_remembered_from_heads_and_only_from_heads() {
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
    async fn names_are_spelled_without_an_error() {
        let made = make(&["CamelCase".to_owned()]).await;
        assert!(made.as_ref().is_ok_and(|made| !made.is_empty()), "{made:?}");
    }
}
