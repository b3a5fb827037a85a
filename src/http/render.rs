//! From a reply or an error to a response: the headers that all responses have, and the body.

use crate::http::error_format::ErrorFormat;
use crate::operation::xml::Writer;
use crate::operation::{Payload, Reply, ServiceKind, odata};
use crate::rules::blob::website;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake;
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

/// The parts of a request that its response depends on.
#[derive(Clone, Copy, Debug)]
pub struct ResponseContext<'a> {
    /// The service that answers.
    pub kind: ServiceKind,
    /// Whether the method is HEAD: the response has no body.
    pub head: bool,
    /// The service version that the response follows. The response contains it even if the request names none (recordings).
    pub version: Version,
    /// Whether the response contains the version.
    pub shows_version: bool,
    /// The request's id, a GUID in lower case.
    pub request_id: &'a str,
    /// The client's id of the request, which the response repeats.
    pub client_request_id: Option<&'a HeaderValue>,
    /// The server's time.
    pub now: Timestamp,
    /// Whether a website is requested, whose errors are pages.
    pub site: bool,
}

/// The `Server` header of a website (recordings).
const WEB_SERVER: &str = "Windows-Azure-Web/1.0 Microsoft-HTTPAPI/2.0";

/// Renders a successful reply.
pub fn reply(reply: Reply, context: &ResponseContext<'_>) -> Response<Body> {
    let mut headers = reply.headers;
    if context.version < Version::V2011_08_18 {
        unquote_etag(&mut headers);
    }
    let (size, body) = match reply.payload {
        Payload::Empty if reply.status == 204 => (None, Body::empty()),
        // The length of an empty body would be sent.
        Payload::Headers => (None, Body::new(StreamedBody { pieces: std::iter::empty(), left: None })),
        Payload::Empty => (Some(0), Body::empty()),
        Payload::Xml(document) => {
            headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static("application/xml"));
            (Some(document.len() as u64), Body::from(document))
        }
        Payload::Text(text) => (Some(text.len() as u64), Body::from(text)),
        Payload::Bytes(chunks, size) => {
            (Some(size), Body::new(StreamedBody { pieces: chunks.map(|chunk| chunk.read()), left: Some(size) }))
        }
        Payload::Stream(pieces, size) => (size, Body::new(StreamedBody { pieces, left: size })),
    };
    if let Some(size) = size {
        length(&mut headers, size);
    }
    respond(reply.status, None, headers, body, context)
}

/// Renders an error in this format.
pub fn error(error: &StorageError, format: ErrorFormat, context: &ResponseContext<'_>) -> Response<Body> {
    let mut headers = HeaderMap::new();
    for (name, value) in error.headers() {
        put(&mut headers, name, value);
    }
    let format = format.of_code(error.code());
    // The first version of Data Lake is later, so that its errors always have the header.
    let has_code = format == ErrorFormat::Lake || context.version >= Version::V2017_07_29;
    if has_code && !matches!(format, ErrorFormat::Data { .. }) {
        put(&mut headers, "x-ms-error-code", error.code().name());
    }
    let bodiless = context.head || error.status() == 304;
    let body = if bodiless && format == ErrorFormat::Lake {
        // Without the length of an empty body (recorded).
        Body::new(StreamedBody { pieces: std::iter::empty(), left: None })
    } else if bodiless {
        Body::empty()
    } else {
        let (time, id) = (context.now, context.request_id);
        let document = match format {
            _ if context.site => website::page(error.status(), error.code().name(), error.message(), id, &time.iso()),
            ErrorFormat::Xml => xml(error, context),
            ErrorFormat::Lake => lake::error::json(error, &odata::message(error, id, time)),
            ErrorFormat::ODataXml => odata::error_xml(error, id, time),
            ErrorFormat::Json | ErrorFormat::Data { .. } => odata::error(error, id, time),
        };
        let described = if context.site { vec![("content-type", "text/html")] } else { format.headers(error) };
        described.iter().for_each(|(name, value)| put(&mut headers, name, value));
        length(&mut headers, document.len() as u64);
        Body::from(document)
    };
    respond(error.status(), Some(error), headers, body, context)
}

/// Renders the response to a part of a batch as text, without a date, with the headers in the order of recordings.
pub fn part(outcome: &Result<Reply, StorageError>, context: &ResponseContext<'_>) -> String {
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
                document = xml(error, context);
            }
            (error.status(), Some(error.message()))
        }
    };
    headers.push(("x-ms-request-id", context.request_id.to_owned()));
    headers.push(("x-ms-version", context.version.to_string()));
    if let Some(id) = context.client_request_id.and_then(|id| id.to_str().ok()) {
        headers.push(("x-ms-client-request-id", id.to_owned()));
    }
    if !document.is_empty() {
        headers.extend([("Content-Length", document.len().to_string()), ("Content-Type", "application/xml".to_owned())]);
        document.push_str("\r\n");
    }
    let server = context.kind.server();
    headers.push(("Server", server.split_once(' ').map_or(server, |(first, _)| first).to_owned()));
    // A header may quote the request, whose control characters must not end the line.
    let line = |text: &str| text.replace(|c: char| c.is_control(), " ");
    let lines: String = headers.iter().map(|(name, value)| format!("{name}: {}\r\n", line(value))).collect();
    format!("HTTP/1.1 {status} {}\r\n{lines}\r\n{document}", line(reason.unwrap_or_default()))
}

fn xml(error: &StorageError, context: &ResponseContext<'_>) -> String {
    let mut xml = Writer::new();
    let message = odata::message(error, context.request_id, context.now);
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
    context: &ResponseContext<'_>,
) -> Response<Body> {
    let server = if context.site { WEB_SERVER } else { context.kind.server() };
    headers.insert(http::header::SERVER, HeaderValue::from_static(server));
    put(&mut headers, "x-ms-request-id", context.request_id);
    if context.shows_version {
        put(&mut headers, "x-ms-version", &context.version.to_string());
    }
    put(&mut headers, "date", &context.now.rfc1123());
    if let Some(id) = context.client_request_id {
        headers.insert(HeaderName::from_static("x-ms-client-request-id"), id.clone());
    }
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.headers_mut() = headers;
    // The reason phrase of an error is its message; the Table service has the standard phrase.
    let reason = error.filter(|error| error.code() != ErrorCode::NotModified && context.kind != ServiceKind::Table);
    if let Some(reason) = reason.and_then(|error| hyper::ext::ReasonPhrase::try_from(error.message().as_bytes()).ok()) {
        response.extensions_mut().insert(reason);
    }
    response
}

/// Sets a header, unless no header can have this value.
pub fn put(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

fn length(headers: &mut HeaderMap, bytes: u64) {
    headers.insert(http::header::CONTENT_LENGTH, bytes.into());
}

/// Before 2011-08-18, ETags have no quotes.
fn unquote_etag(headers: &mut HeaderMap) {
    if let Some(etag) = headers.get_mut(http::header::ETAG) {
        let bare = etag.to_str().map(|text| text.trim_matches('"').to_owned());
        if let Some(bare) = bare.ok().and_then(|bare| HeaderValue::from_str(&bare).ok()) {
            *etag = bare;
        }
    }
}

/// A response body that produces its pieces as they are sent. A failing piece truncates the response.
struct StreamedBody<I> {
    pieces: I,
    /// The bytes that are not sent yet, if the length of the body is known.
    left: Option<u64>,
}

impl<I: Iterator<Item = io::Result<Bytes>> + Unpin> http_body::Body for StreamedBody<I> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = self.pieces.next();
        let length = next.as_ref().and_then(|piece| piece.as_ref().ok()).map_or(0, Bytes::len);
        self.left = self.left.map(|left| left.saturating_sub(length as u64));
        Poll::Ready(next.map(framed))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

fn framed(piece: io::Result<Bytes>) -> io::Result<Frame<Bytes>> {
    piece.map(Frame::data).inspect_err(|error| tracing::error!("an answer is broken off: {error}"))
}
