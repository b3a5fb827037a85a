//! File systems and paths on the wire: headers, and JSON documents.

use crate::operation::{FieldLocation, Fields, FromField, FromRequest, FromText, Input, Reply, Request};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::PathKind;
use crate::rules::lake::properties;
use crate::rules::listing;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::rules::wire_name::WireName;
use crate::services::blob::state::Blob;
use crate::services::shared::content_headers::ContentHeaders;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use std::fmt;

/// The names of the headers that describe a file's content, in the order of [`ContentHeaders`].
const CONTENT_HEADERS: [&str; 6] = [
    "x-ms-content-type",
    "x-ms-content-encoding",
    "x-ms-content-language",
    "x-ms-content-md5",
    "x-ms-cache-control",
    "x-ms-content-disposition",
];
/// The same headers as some clients send them. `Content-MD5` is that of the body.
const PLAIN_HEADERS: [&str; 6] =
    ["content-type", "content-encoding", "content-language", "", "cache-control", "content-disposition"];

parsed_input! {
    /// The headers that describe the content of a file.
    pub(super) LakeContentHeaders(ContentHeaders) = [Input::Headers(&CONTENT_HEADERS), Input::Headers(&PLAIN_HEADERS)],
    |fields| {
        let own = ContentHeaders::read(CONTENT_HEADERS, |name| fields.header(name));
        let plain = ContentHeaders::read(PLAIN_HEADERS, |name| if name.is_empty() { None } else { fields.header(name) });
        Ok(own.over(&plain))
    }
}

parsed_input! {
    /// The user's properties of a file system or a path (`x-ms-properties`), which are the metadata of the container or the blob. `None`
    /// without the header.
    pub(super) Properties(Option<Metadata>) = [Input::header("x-ms-properties")],
    |fields| fields.header("x-ms-properties").map(properties::parse).transpose()
}

parsed_input! {
    /// The most entries of a page (`maxResults`).
    pub(super) MaxResults(usize) = [Input::query("maxresults")],
    |fields| page_size(fields, "maxresults", listing::PAGE)
}

/// The size of a page: the limit, or less if the request says so.
///
/// # Errors
/// 400 OutOfRangeQueryParameterValue for less than 1; 400 InvalidQueryParameterValue unless it is a number.
pub(super) fn page_size(fields: &Fields<'_>, name: &'static str, limit: usize) -> Result<usize, StorageError> {
    let Some(text) = fields.query(name) else { return Ok(limit) };
    match text.parse::<i64>() {
        Ok(number) if number >= 1 => Ok(usize::try_from(number).map_or(limit, |number| number.min(limit))),
        Ok(_) => Err(StorageError::out_of_range_query(name, text, 1, limit as u64)),
        Err(_) => Err(StorageError::invalid_query(name, text, "The value is not a number.")),
    }
}

/// Declares parameters that clients send and that have no effect here. They are checked all the same.
macro_rules! without_effect {
    ($($(#[$doc:meta])* $name:ident: [$($parameter:literal: $kind:ty),*];)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub(super) struct $name;

            impl FromRequest for $name {
                const INPUTS: &'static [Input] = &[$(Input::query($parameter)),*];

                fn from_request(fields: &Fields<'_>) -> Result<$name, StorageError> {
                    $(Option::<$kind>::from_field(fields, FieldLocation::Query, $parameter)?;)*
                    Ok($name)
                }
            }
        )*
    };
}

without_effect! {
    /// Whether answers name principals by their user principal names. This server only knows their ids.
    Upn: ["upn": bool];
    /// Whether a write is the last one of a file, which only an event would contain.
    Close: ["close": bool];
    /// The parameters by which clients delete a large directory in steps. Here a deletion is one step, so that there is nothing to
    /// continue.
    DeletionSteps: ["continuation": String, "paginated": bool];
    /// The parameter by which clients continue a rename. Here a rename is one step.
    RenameSteps: ["continuation": String];
}

/// The position of the first entry of the next page, which clients send back as they got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Continuation(pub(super) String);

impl fmt::Display for Continuation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&STANDARD.encode(&self.0))
    }
}

impl FromText for Continuation {
    fn from_text(text: &str) -> Option<Continuation> {
        Some(Continuation(String::from_utf8(STANDARD.decode(text).ok()?).ok()?))
    }
}

/// A reply with a JSON document, which has no stated length (recorded).
pub(super) fn json(request: &Request, document: &impl Serialize) -> Result<Reply, StorageError> {
    let text = serde_json::to_string(document).map_err(|error| ErrorCode::InternalError.with_reason(error.to_string()))?;
    let reply = Reply::new(request.spec.status);
    Ok(reply.stream(std::iter::once(Ok(format!("{text}\n").into())), None))
}

/// The content type of JSON documents with entries; the answer to a recursive change of access control has none (recorded).
pub(super) const JSON: &str = "application/json;charset=utf-8";

/// Adds the kind of a path, and in a hierarchical namespace its owner, its group and its permissions. ABFS does not work without the kind,
/// whatever the namespace is.
pub(super) fn describe(reply: Reply, blob: &Blob) -> Reply {
    let reply = reply.with_some("x-ms-expiry-time", blob.expires.map(Timestamp::rfc1123));
    let reply = reply.with("x-ms-resource-type", blob.path_kind().name());
    let Some(path) = &blob.path else { return reply };
    reply
        .with("x-ms-owner", &path.owner)
        .with("x-ms-group", &path.group)
        .with("x-ms-permissions", path.acl.permissions_text())
        .with_some("x-ms-encryption-context", path.encryption_context.as_deref())
}

/// Adds `x-ms-properties`: those of a directory include the mark of directories.
pub(super) fn with_properties(reply: Reply, blob: &Blob) -> Reply {
    let kind = if blob.directory().is_some() { PathKind::Directory } else { PathKind::File };
    let text = properties::format(&blob.metadata, kind);
    reply.with_some("x-ms-properties", Some(text).filter(|text| !text.is_empty()))
}
