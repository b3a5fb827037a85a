//! Put Range from URL: writes bytes of another file or blob, on this or another server, to a file.

use crate::operation::{self, Fields, FromRequest, Operation, OperationSpec, Reply, Request, Selector, SourceAuthorization};
use crate::rules::checksums::{ChecksumKinds, Crc64, Digests, RequestChecksums};
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges;
use crate::rules::ranges::{InclusiveRange, RequestedRange};
use crate::services::file::files::Files;
use crate::services::file::node::Node;
use crate::services::file::ops::put_range::{self, MAX_WRITE, WriteInput, WriteMode};
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::wire::{NoSourceConditions, SourceTrailingDots, half_open};
use crate::services::shared::remote_source::{ForwardedHeaders, NamedSource, RemoteSource};
use crate::store::content::Content;
use std::ops::Range;

pub(super) static PUT_RANGE_FROM_URL: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Put Range from URL",
        selectors: &[Selector::Query("comp", "range"), Selector::HasHeader("x-ms-copy-source")],
        status: 201,
        ..WRITE_FILE
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-copy-source",
    range: SourceRange = Header "x-ms-source-range",
    checksums: SourceChecksums,
    forwarded: ForwardedHeaders,
    _conditions: NoSourceConditions,
    mode: WriteMode = Header "x-ms-write",
    write: WriteInput,
    source_dots: SourceTrailingDots,
} }

/// The range of the source.
#[derive(Debug)]
pub(super) struct SourceRange(InclusiveRange);

from_text! { SourceRange: |text| ranges::exact(text).map(SourceRange); }

/// The CRC64 of the source's bytes, and the conditions on it.
#[derive(Debug)]
pub(super) struct SourceChecksums {
    expected: RequestChecksums,
    if_match: Option<Crc64>,
    if_none_match: Option<Crc64>,
}

impl FromRequest for SourceChecksums {
    const INPUTS: &'static [operation::Input] = &[operation::Input::Headers(&[
        "x-ms-source-content-crc64",
        "x-ms-source-if-match-crc64",
        "x-ms-source-if-none-match-crc64",
    ])];

    fn from_request(fields: &Fields<'_>) -> Result<SourceChecksums, StorageError> {
        let condition = |name: &str| {
            let parse = |text| Crc64::parse(text).ok_or_else(|| StorageError::invalid_header(name, text));
            fields.header(name).map(parse).transpose()
        };
        Ok(SourceChecksums {
            expected: RequestChecksums::read(None, fields.header("x-ms-source-content-crc64"))?,
            if_match: condition("x-ms-source-if-match-crc64")?,
            if_none_match: condition("x-ms-source-if-none-match-crc64")?,
        })
    }
}

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    if input.mode != WriteMode::Update {
        return Err(StorageError::invalid_header("x-ms-write", "clear"));
    }
    if request.body.content_length() != 0 {
        return Err(StorageError::invalid_header("Content-Length", request.body.content_length().to_string()));
    }
    let length = input.write.range.0.len();
    if length > MAX_WRITE {
        return Err(StorageError::too_large(MAX_WRITE));
    }
    let source = files.source(&request, &input.source, SourceAuthorization::Presented, input.source_dots.0)?;
    let (content, digests) = match source {
        Some(source) => local(&source.node, half_open(input.range.0))?,
        None => remote(&request, &input).await?,
    };
    if content.len() != length {
        return Err(ErrorCode::CannotVerifyCopySource.with_message(SHORT).with_status(409));
    }
    let SourceChecksums { expected, if_match, if_none_match } = input.checksums;
    expected.check(digests)?;
    if (if_match.is_some() && if_match != digests.crc64) || (if_none_match.is_some() && if_none_match == digests.crc64) {
        return Err(ErrorCode::SourceConditionNotMet.with_message(CONDITION_FAILED));
    }
    let node = put_range::write(files, &request, &input.write, Some(&content)).await?;
    Ok(put_range::answer(&node, &request).with("x-ms-request-server-encrypted", "true").with_digests(digests))
}

/// The bytes of a file on this server, as many of the range as the file has.
fn local(source: &Node, range: Range<u64>) -> Result<(Content, Digests), StorageError> {
    let original = &source.file().ok_or(ErrorCode::ResourceTypeMismatch)?.content;
    let bytes = range.start..range.end.min(original.len());
    if bytes.end.saturating_sub(bytes.start) > MAX_WRITE {
        return Err(StorageError::too_large(MAX_WRITE));
    }
    let digests = operation::digest(original.slice(bytes.clone()), CRC64)?;
    Ok((Content::from_chunks(original.slice(bytes)), digests))
}

/// The bytes of a source on another server.
async fn remote(request: &Request, input: &Input) -> Result<(Content, Digests), StorageError> {
    let range = RequestedRange::Between(input.range.0.start, input.range.0.end);
    let named = NamedSource { url: &input.source, range, conditions: &Conditions::default(), headers: &input.forwarded };
    let source = RemoteSource::open(request, named).await?;
    let received = source.answer.receive(&request.store, source.part, MAX_WRITE, CRC64).await?;
    Ok((received.content, received.digests))
}

/// The checksum in the response.
const CRC64: ChecksumKinds = ChecksumKinds { md5: false, crc64: true };

/// The message for a source whose checksum fails a condition.
const CONDITION_FAILED: &str = "The Crc64 condition specified was not met.";

/// The message for a source with fewer bytes than the range to write (recorded).
const SHORT: &str = "The source request body for copy source does not match requested length to write on target.";
