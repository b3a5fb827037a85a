//! How a service writes a refusal: XML, or for tables whatever the client reads.

use crate::operation::odata::Metadata;
use crate::operation::{Query, ServiceKind};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use http::{HeaderMap, HeaderValue};

/// How a refusal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// Storage's XML.
    Xml,
    /// The XML of tables: of their access policies and properties, and for who reads no JSON.
    ODataXml,
    /// Plain JSON: a table's word to strangers.
    Json,
    /// A table's JSON, with the headers that its data have.
    Data {
        /// How much metadata the client reads.
        metadata: Metadata,
        /// What the client prefers to get back of what it inserts.
        prefer: Option<&'static str>,
    },
}

/// What a request says of what its client reads. It decides the form of a refusal, and is looked at only when there is one.
#[derive(Clone, Debug, Default)]
pub struct AcceptHeaders {
    accept: Option<HeaderValue>,
    content_type: Option<HeaderValue>,
    prefer: Option<HeaderValue>,
}

impl AcceptHeaders {
    /// What these headers say.
    pub fn of(headers: &HeaderMap) -> AcceptHeaders {
        let kept = |name: &str| headers.get(name).cloned();
        AcceptHeaders { accept: kept("accept"), content_type: kept("content-type"), prefer: kept("prefer") }
    }
}

impl ErrorFormat {
    /// The form that the answer to a request has if it is a refusal.
    pub fn of(kind: ServiceKind, query: &str, reader: &AcceptHeaders) -> ErrorFormat {
        if kind != ServiceKind::Table {
            return ErrorFormat::Xml;
        }
        let query = Query::new(&names::decode_query(query).unwrap_or_default());
        let text = |header: &Option<HeaderValue>| {
            header.as_ref().and_then(|value| value.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
        };
        let (accept, content_type) = (text(&reader.accept), text(&reader.content_type));
        let json = query.get("$format").map_or(accept.contains("json"), |format| format.to_ascii_lowercase().contains("json"));
        let batch = content_type.trim_start().starts_with("multipart/");
        if query.get("comp").is_some() || !json && !batch {
            return ErrorFormat::ODataXml;
        }
        let metadata = Metadata::read(query.get("$format"), &accept).unwrap_or_default();
        ErrorFormat::Data { metadata, prefer: preference(&text(&reader.prefer)) }
    }

    /// The form for a refusal of this code: who is not known is told so in plain JSON.
    pub fn of_code(self, code: ErrorCode) -> ErrorFormat {
        let stranger = matches!(
            code,
            ErrorCode::AuthenticationFailed
                | ErrorCode::InvalidAuthenticationInfo
                | ErrorCode::InvalidBearerToken
                | ErrorCode::NoAuthenticationInformation
        );
        match self {
            ErrorFormat::Data { .. } if stranger => ErrorFormat::Json,
            ErrorFormat::Data { .. } if matches!(code, ErrorCode::AtomFormatNotSupported | ErrorCode::MediaTypeNotSupported) => {
                ErrorFormat::ODataXml
            }
            form => form,
        }
    }

    /// The headers of such a refusal.
    pub fn headers(self, error: &StorageError) -> Vec<(&'static str, &'static str)> {
        match self {
            ErrorFormat::Xml | ErrorFormat::ODataXml => vec![("content-type", "application/xml")],
            ErrorFormat::Json => vec![("content-type", "application/json")],
            ErrorFormat::Data { metadata, prefer } => {
                let mut headers = vec![("content-type", metadata.content_type()), ("x-content-type-options", "nosniff")];
                // A filter is read before anything is asked of the tables (recorded).
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
    error.code() == ErrorCode::InvalidInput && error.message() != ErrorCode::InvalidInput.says()
}

/// The preference that a `Prefer` header states, if it is one of the two that there are.
fn preference(header: &str) -> Option<&'static str> {
    ["return-no-content", "return-content"].into_iter().find(|known| header.trim().eq_ignore_ascii_case(known))
}
