//! Groups of fields that several operations share.

use crate::operation::headers::metadata;
use crate::operation::{Fields, FromRequest, Input};
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions::{self, Conditions};
use crate::rules::encryption::{self, Encryption};
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;

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
