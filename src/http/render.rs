//! From a reply or a fault to a response: the headers that every answer has, the body in the form that the service's clients read.

use crate::http::error_format::ErrorFormat;
use crate::operation::xml::Writer;
use crate::operation::{Payload, Reply, ServiceKind, Stream, odata};
use crate::rules::blob::website;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use axum::body::Body;
use bytes::Bytes;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, Response, StatusCode};
use http_body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What an answer says of its request.
#[derive(Clone, Copy, Debug)]
pub struct ResponseContext<'a> {
    /// The service that answers.
    pub kind: ServiceKind,
    /// Whether the method was HEAD: the headers of an answer without its body.
    pub head: bool,
    /// The version followed. Recorded: an answer tells it even where nobody named one, as browsers do not.
    pub version: Version,
    /// Whether the answer tells it.
    pub shows_version: bool,
    /// The request's id, a GUID in lower case.
    pub request_id: &'a str,
    /// The client's own id for the request, to be echoed.
    pub client_request_id: Option<&'a HeaderValue>,
    /// The server's time.
    pub now: Timestamp,
    /// Whether a website was asked, which refuses people with a page.
    pub site: bool,
}

/// The `Server` header of a website, as recorded.
const WEB_SERVER: &str = "Windows-Azure-Web/1.0 Microsoft-HTTPAPI/2.0";

/// Renders a success.
pub fn reply(reply: Reply, asked: &ResponseContext<'_>) -> Response<Body> {
    let mut headers = reply.headers;
    if asked.version < Version::V2011_08_18 {
        unquote_etag(&mut headers);
    }
    let body = match reply.payload {
        Payload::Empty if reply.status == 204 => Body::empty(),
        Payload::Empty => {
            length(&mut headers, 0);
            Body::empty()
        }
        Payload::Xml(document) => {
            headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/xml"));
            length(&mut headers, document.len() as u64);
            Body::from(document)
        }
        Payload::Text(text) => {
            length(&mut headers, text.len() as u64);
            Body::from(text)
        }
        Payload::Bytes(chunks, size) => {
            length(&mut headers, size);
            Body::new(Rope { pieces: chunks.map(|chunk| chunk.read()), left: size })
        }
        Payload::Stream(pieces, Some(size)) => {
            length(&mut headers, size);
            Body::new(Rope { pieces, left: size })
        }
        Payload::Stream(pieces, None) => Body::new(Pieces(pieces)),
    };
    respond(reply.status, None, headers, body, asked)
}

/// Renders a refusal in this form.
pub fn error(error: &StorageError, form: ErrorFormat, asked: &ResponseContext<'_>) -> Response<Body> {
    let mut headers = HeaderMap::new();
    for (name, value) in error.headers() {
        put(&mut headers, name, value);
    }
    let form = form.of_code(error.code());
    if asked.version >= Version::V2017_07_29 && !matches!(form, ErrorFormat::Data { .. }) {
        put(&mut headers, "x-ms-error-code", error.code().name());
    }
    let bodiless = asked.head || error.status() == 304;
    let body = if bodiless {
        Body::empty()
    } else {
        let (time, id) = (asked.now, asked.request_id);
        let document = match form {
            _ if asked.site => website::page(error.status(), error.code().name(), error.message(), id, &time.iso()),
            ErrorFormat::Xml => xml(error, asked),
            ErrorFormat::ODataXml => odata::error_xml(error, id, time),
            ErrorFormat::Json | ErrorFormat::Data { .. } => odata::error(error, id, time),
        };
        let described = if asked.site { vec![("content-type", "text/html")] } else { form.headers(error) };
        described.iter().for_each(|(name, value)| put(&mut headers, name, value));
        length(&mut headers, document.len() as u64);
        Body::from(document)
    };
    respond(error.status(), Some(error), headers, body, asked)
}

/// Renders the answer to a part of a batch: a response without a date, in one text, its headers in the order recorded.
pub fn part(outcome: &Result<Reply, StorageError>, asked: &ResponseContext<'_>) -> String {
    let (mut headers, mut document) = (Vec::new(), String::new());
    let (status, reason) = match outcome {
        Ok(reply) => {
            let texts = reply.headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?.to_owned())));
            headers.extend(texts);
            (reply.status, StatusCode::from_u16(reply.status).ok().and_then(|status| status.canonical_reason()))
        }
        Err(error) => {
            headers.extend(error.headers().iter().cloned());
            headers.push(("x-ms-error-code", error.code().name().to_owned()));
            if error.status() != 304 {
                document = xml(error, asked);
            }
            (error.status(), Some(error.message()))
        }
    };
    headers.push(("x-ms-request-id", asked.request_id.to_owned()));
    headers.push(("x-ms-version", asked.version.to_string()));
    if let Some(id) = asked.client_request_id.and_then(|id| id.to_str().ok()) {
        headers.push(("x-ms-client-request-id", id.to_owned()));
    }
    if !document.is_empty() {
        headers.extend([("Content-Length", document.len().to_string()), ("Content-Type", "application/xml".to_owned())]);
        document.push_str("\r\n");
    }
    let server = asked.kind.server();
    headers.push(("Server", server.split_once(' ').map_or(server, |(first, _)| first).to_owned()));
    // Words of the request that are quoted here must not end a line.
    let line = |text: &str| text.replace(|c: char| c.is_control(), " ");
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {}\r\n", line(value))).collect();
    format!("HTTP/1.1 {status} {}\r\n{lines}\r\n{document}", line(reason.unwrap_or_default()))
}

fn xml(error: &StorageError, asked: &ResponseContext<'_>) -> String {
    let mut xml = Writer::new();
    let message = odata::message(error, asked.request_id, asked.now);
    xml.open("Error").leaf("Code", error.code().name()).leaf("Message", message);
    for (name, value) in error.details() {
        xml.leaf(name, value);
    }
    xml.close("Error");
    xml.finish()
}

fn respond(
    status: u16,
    error: Option<&StorageError>,
    mut headers: HeaderMap,
    body: Body,
    asked: &ResponseContext<'_>,
) -> Response<Body> {
    let server = if asked.site { WEB_SERVER } else { asked.kind.server() };
    headers.insert(http::header::SERVER, HeaderValue::from_static(server));
    put(&mut headers, "x-ms-request-id", asked.request_id);
    if asked.shows_version {
        put(&mut headers, "x-ms-version", &asked.version.to_string());
    }
    put(&mut headers, "date", &asked.now.rfc1123());
    if let Some(id) = asked.client_request_id {
        headers.insert(HeaderName::from_static("x-ms-client-request-id"), id.clone());
    }
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    // The reason phrase of a refusal is its sentence; the table service leaves HTTP's own.
    let reason = error.filter(|error| error.code() != ErrorCode::NotModified && asked.kind != ServiceKind::Table);
    if let Some(reason) = reason.and_then(|error| hyper::ext::ReasonPhrase::try_from(error.message().as_bytes()).ok()) {
        response.extensions_mut().insert(reason);
    }
    response
}

fn put(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

fn length(headers: &mut HeaderMap, bytes: u64) {
    headers.insert(http::header::CONTENT_LENGTH, bytes.into());
}

/// Entity tags are bare before 2011-08-18.
fn unquote_etag(headers: &mut HeaderMap) {
    if let Some(etag) = headers.get_mut(http::header::ETAG) {
        let bare = etag.to_str().map(|text| text.trim_matches('"').to_owned());
        if let Some(bare) = bare.ok().and_then(|bare| HeaderValue::from_str(&bare).ok()) {
            *etag = bare;
        }
    }
}

/// A response body whose pieces are made as the socket takes them. One that cannot be had breaks the answer off.
struct Pieces(Stream);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(self.0.next().map(framed))
    }
}

/// A response body of known length that hands out its pieces as the socket takes them.
struct Rope<I> {
    pieces: I,
    left: u64,
}

impl<I: Iterator<Item = io::Result<Bytes>> + Unpin> http_body::Body for Rope<I> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = self.pieces.next();
        let length = next.as_ref().and_then(|piece| piece.as_ref().ok()).map_or(0, Bytes::len);
        self.left = self.left.saturating_sub(length as u64);
        Poll::Ready(next.map(framed))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

fn framed(piece: io::Result<Bytes>) -> io::Result<Frame<Bytes>> {
    piece.map(Frame::data).inspect_err(|error| tracing::error!("an answer is broken off: {error}"))
}
