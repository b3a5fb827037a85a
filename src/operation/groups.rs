//! Groups of fields that several operations share.

use crate::operation::headers::metadata;
use crate::operation::{Fields, FromRequest, FromText, Input};
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions::{self, Conditions};
use crate::rules::encryption::{self, Encryption};
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use crate::rules::ranges::{InclusiveRange, RequestedRange};
use crate::rules::time::Timestamp;
use crate::rules::{listing, ranges};

/// The query parameters that name a snapshot or a version of a blob instead of the blob itself. Their value is part of the target.
#[derive(Clone, Copy, Debug)]
pub struct StateQuery;

impl FromRequest for StateQuery {
    const INPUTS: &'static [Input] = &[Input::query("snapshot"), Input::query("versionid")];

    fn from_request(_: &Fields<'_>) -> Result<StateQuery, StorageError> {
        Ok(StateQuery)
    }
}

/// The query parameter that names a version of a blob, for operations that accept no snapshot. Its value is part of the target.
#[derive(Clone, Copy, Debug)]
pub struct VersionQuery;

impl FromRequest for VersionQuery {
    const INPUTS: &'static [Input] = &[Input::query("versionid")];

    fn from_request(_: &Fields<'_>) -> Result<VersionQuery, StorageError> {
        Ok(VersionQuery)
    }
}

/// The metadata of a request, declared by the prefix of its headers.
impl FromRequest for Metadata {
    const INPUTS: &'static [Input] = &[Input::header("x-ms-meta-")];

    fn from_request(fields: &Fields<'_>) -> Result<Metadata, StorageError> {
        metadata(&fields.headers, &fields.metadata_case)
    }
}

/// The checksums of the body: `Content-MD5` or `x-ms-content-crc64`.
impl FromRequest for RequestChecksums {
    const INPUTS: &'static [Input] = &[Input::header("content-md5"), Input::header("x-ms-content-crc64")];

    fn from_request(fields: &Fields<'_>) -> Result<RequestChecksums, StorageError> {
        RequestChecksums::read(fields.header("content-md5"), fields.header("x-ms-content-crc64"))
    }
}

/// The conditions on the source of a copy.
#[derive(Clone, Debug)]
pub struct SourceConditions(pub Conditions);

impl FromRequest for SourceConditions {
    const INPUTS: &'static [Input] = &[
        Input::header(conditions::SOURCE.if_match),
        Input::header(conditions::SOURCE.if_none_match),
        Input::header(conditions::SOURCE.if_modified_since),
        Input::header(conditions::SOURCE.if_unmodified_since),
        Input::header(conditions::SOURCE.if_tags),
    ];

    fn from_request(fields: &Fields<'_>) -> Result<SourceConditions, StorageError> {
        fields.conditions_named(&conditions::SOURCE).map(SourceConditions)
    }
}

/// The customer-provided key of the source of a copy.
#[derive(Clone, Debug)]
pub struct SourceEncryption(pub Encryption);

impl FromRequest for SourceEncryption {
    const INPUTS: &'static [Input] = &[
        Input::header(encryption::SOURCE.key),
        Input::header(encryption::SOURCE.sha256),
        Input::header(encryption::SOURCE.algorithm),
    ];

    fn from_request(fields: &Fields<'_>) -> Result<SourceEncryption, StorageError> {
        fields.encryption_named(&encryption::SOURCE).map(SourceEncryption)
    }
}

/// The content type of a batch, which contains the boundary of its parts.
#[derive(Clone, Debug)]
pub struct BatchContentType(pub String);

impl FromRequest for BatchContentType {
    const INPUTS: &'static [Input] = &[Input::required_header("content-type")];

    fn from_request(fields: &Fields<'_>) -> Result<BatchContentType, StorageError> {
        let text = fields.header("content-type").ok_or_else(|| StorageError::missing_header("Content-Type"))?;
        Ok(BatchContentType(text.to_owned()))
    }
}

/// The names of the headers of a range, in the order in which they count.
const RANGES: [&str; 2] = ["x-ms-range", "range"];

parsed_input! {
    /// The range of a read.
    pub ReadRange(RequestedRange) = [Input::header("range"), Input::header("x-ms-range")],
    |fields| {
        let text = RANGES.into_iter().find_map(|name| fields.header(name));
        Ok(text.map_or(RequestedRange::Whole, RequestedRange::parse))
    }
}

parsed_input! {
    /// The range of a write, which must have a start and an end.
    pub WriteRange(InclusiveRange) = [Input::Group(ReadRange::INPUTS)],
    |fields| {
        let found = RANGES.into_iter().find_map(|name| Some((name, fields.header(name)?)));
        let (name, text) = found.ok_or_else(|| StorageError::missing_header("x-ms-range"))?;
        let name = if name == "range" { "Range" } else { name };
        ranges::exact(text).ok_or_else(|| StorageError::invalid_header(name, text))
    }
}

parsed_input! {
    /// The largest number of entries of a page, if the request limits it (`maxresults`).
    pub MaxResults(Option<usize>) = [Input::query("maxresults")],
    |fields| fields.query("maxresults").map(|text| listing::maxresults(Some(text))).transpose()
}

parsed_input! {
    /// The start of a page of a listing (`marker`).
    pub Marker(Option<listing::Position>) = [Input::query("marker")],
    |fields| fields.query("marker").map(listing::Position::read).transpose()
}

/// The time that names a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotTime(pub Timestamp);

impl FromText for SnapshotTime {
    const MALFORMED: &'static str = "Must be in the specific snapshot date time format.";

    fn from_text(text: &str) -> Option<SnapshotTime> {
        Timestamp::parse_iso(text).map(SnapshotTime)
    }
}
