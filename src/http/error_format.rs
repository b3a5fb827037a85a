//! The formats of error responses: XML, or for tables a format that the client accepts.

use crate::operation::odata::Metadata;
use crate::operation::{Query, ServiceKind, header_value};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use http::{HeaderMap, HeaderValue};

/// The format of an error response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// The XML of the Blob, Queue and File services.
    Xml,
    /// The XML of the Table service: for access policies and properties, and for clients that do not accept JSON.
    ODataXml,
    /// The JSON of Data Lake.
    Lake,
    /// JSON with a plain content type: the Table service's format for failed authentication.
    Json,
    /// The JSON of the Table service, with the headers of its data.
    Data {
        /// The metadata level that the client accepts.
        metadata: Metadata,
        /// The preference of the client for the response to an insert.
        prefer: Option<&'static str>,
    },
}

/// The headers of a request that decide the format of an error.
#[derive(Clone, Debug, Default)]
pub struct AcceptHeaders {
    accept: Option<HeaderValue>,
    content_type: Option<HeaderValue>,
    prefer: Option<HeaderValue>,
}

impl AcceptHeaders {
    /// Copies them from the headers of a request.
    pub fn of(headers: &HeaderMap) -> AcceptHeaders {
        let copy = |name| header_value(headers, name).cloned();
        AcceptHeaders { accept: copy("accept"), content_type: copy("content-type"), prefer: copy("prefer") }
    }
}

impl ErrorFormat {
    /// The format of an error response to a request.
    pub fn of(kind: ServiceKind, query: &str, sent: &AcceptHeaders) -> ErrorFormat {
        match kind {
            ServiceKind::Table => {}
            ServiceKind::DataLake => return ErrorFormat::Lake,
            ServiceKind::Blob | ServiceKind::Queue | ServiceKind::File => return ErrorFormat::Xml,
        }
        let query = Query::new(&names::decode_query(query).unwrap_or_default());
        let text = |header: &Option<HeaderValue>| {
            header.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
        };
        let (accept, content_type) = (text(&sent.accept), text(&sent.content_type));
        let json = query.get("$format").map_or(accept.contains("json"), |format| format.to_ascii_lowercase().contains("json"));
        let batch = content_type.trim_start().starts_with("multipart/");
        if query.get("comp").is_some() || !json && !batch {
            return ErrorFormat::ODataXml;
        }
        let metadata = Metadata::read(query.get("$format"), &accept).unwrap_or_default();
        ErrorFormat::Data { metadata, prefer: preference(&text(&sent.prefer)) }
    }

    /// The format for an error with this code: failed authentication and unsupported formats have their own.
    pub fn of_code(self, code: ErrorCode) -> ErrorFormat {
        let unauthenticated = matches!(
            code,
            ErrorCode::AuthenticationFailed
                | ErrorCode::InvalidAuthenticationInfo
                | ErrorCode::InvalidBearerToken
                | ErrorCode::NoAuthenticationInformation
        );
        match self {
            ErrorFormat::Data { .. } if unauthenticated => ErrorFormat::Json,
            ErrorFormat::Data { .. } if matches!(code, ErrorCode::AtomFormatNotSupported | ErrorCode::MediaTypeNotSupported) => {
                ErrorFormat::ODataXml
            }
            format => format,
        }
    }

    /// The headers of an error response in this format.
    pub fn headers(self, error: &StorageError) -> Vec<(&'static str, &'static str)> {
        match self {
            ErrorFormat::Xml | ErrorFormat::ODataXml => vec![("content-type", "application/xml")],
            ErrorFormat::Lake => vec![("content-type", "application/json;charset=utf-8")],
            ErrorFormat::Json => vec![("content-type", "application/json")],
            ErrorFormat::Data { metadata, prefer } => {
                let mut headers = vec![("content-type", metadata.content_type()), ("x-content-type-options", "nosniff")];
                // A syntax error in a filter has no such header (recordings).
                if !is_syntax(error) {
                    headers.push(("cache-control", "no-cache"));
                }
                headers.extend(prefer.map(|prefer| ("preference-applied", prefer)));
                headers
            }
        }
    }
}

fn is_syntax(error: &StorageError) -> bool {
    error.code() == ErrorCode::InvalidInput && error.message() != ErrorCode::InvalidInput.message()
}

/// The preference in a `Prefer` header, if it is a known one.
fn preference(header: &str) -> Option<&'static str> {
    ["return-no-content", "return-content"].into_iter().find(|known| header.trim().eq_ignore_ascii_case(known))
}
