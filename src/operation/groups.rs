//! Groups of fields that several operations share.

use crate::operation::headers::metadata;
use crate::operation::{Fields, FromRequest, Input};
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions::{self, Conditions};
use crate::rules::encryption::{self, Encryption};
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use crate::rules::ranges::{InclusiveRange, RequestedRange};
use crate::rules::time::Timestamp;
use crate::rules::{listing, ranges};

parsed_input! {
    /// The query parameters that name a snapshot or a version of a blob instead of the blob itself. Their value is part of the target.
    pub StateQuery(()) = [Input::query("snapshot"), Input::query("versionid")], |_| Ok(())
}

parsed_input! {
    /// The query parameter that names a version of a blob, for operations that accept no snapshot. Its value is part of the target.
    pub VersionQuery(()) = [Input::query("versionid")], |_| Ok(())
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

parsed_input! {
    /// The conditions on the source of a copy.
    pub SourceConditions(Conditions) = [Input::Headers(&[
        conditions::SOURCE.if_match,
        conditions::SOURCE.if_none_match,
        conditions::SOURCE.if_modified_since,
        conditions::SOURCE.if_unmodified_since,
        conditions::SOURCE.if_tags,
    ])],
    |fields| fields.conditions_named(&conditions::SOURCE)
}

parsed_input! {
    /// The customer-provided key of the source of a copy.
    pub SourceEncryption(Encryption) =
        [Input::Headers(&[encryption::SOURCE.key, encryption::SOURCE.sha256, encryption::SOURCE.algorithm])],
    |fields| fields.encryption_named(&encryption::SOURCE)
}

parsed_input! {
    /// The content type of a batch, which contains the boundary of its parts.
    pub BatchContentType(String) = [Input::required_header("content-type")],
    |fields| fields.header("content-type").map(str::to_owned).ok_or_else(|| StorageError::missing_header("Content-Type"))
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

from_text! {
    SnapshotTime or "Must be in the specific snapshot date time format.": |text| Timestamp::parse_iso(text).map(SnapshotTime);
}
