//! Put Range from URL: writes bytes into a file that a file or a blob has, here or on another server.

use crate::operation::{
    Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector, SourceAuthorization,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::{ChecksumKinds, Crc64, Digests, Hasher, RequestChecksums};
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::ranges;
use crate::rules::ranges::{InclusiveRange, RequestedRange};
use crate::services::file::files::Files;
use crate::services::file::node::Node;
use crate::services::file::ops::put_range;
use crate::services::file::ops::put_range::MAX_WRITE;
use crate::services::file::wire;
use crate::services::shared::remote_source::{ForwardedHeaders, NamedSource, RemoteSource};
use crate::store::content::Content;

pub(super) static PUT_RANGE_FROM_URL: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Put Range from URL",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "range"), Selector::HasHeader("x-ms-copy-source")],
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(SHOWN),
            Input::Group(<put_range::Asked as FromRequest>::INPUTS),
            Input::Group(wire::DOTS),
            Input::Group(wire::SOURCE_DOTS)
        ],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    source: String = Header "x-ms-copy-source",
    range: String = Header "x-ms-source-range",
    crc64: Option<String> = Header "x-ms-source-content-crc64",
    if_match: Option<String> = Header "x-ms-source-if-match-crc64",
    if_none_match: Option<String> = Header "x-ms-source-if-none-match-crc64",
} }

/// What is shown for the source: a bearer token.
pub(super) const SHOWN: &[Input] = &[Input::Group(ForwardedHeaders::INPUTS)];

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let (asked, target) = (request.parse::<Asked>()?, request.parse::<put_range::Asked>()?);
    if !target.write.eq_ignore_ascii_case("update") {
        return Err(StorageError::invalid_header("x-ms-write", target.write));
    }
    if request.body.content_length() != 0 {
        return Err(StorageError::invalid_header("Content-Length", request.body.content_length().to_string()));
    }
    let span = target.span()?;
    if span.len() > MAX_WRITE {
        return Err(StorageError::too_large(MAX_WRITE));
    }
    let claimed = RequestChecksums::read(None, asked.crc64.as_deref())?;
    let condition = |name: &'static str, text: &Option<String>| match text {
        Some(text) => Crc64::parse(text).map(Some).ok_or_else(|| StorageError::invalid_header(name, text)),
        None => Ok(None),
    };
    let wants = condition("x-ms-source-if-match-crc64", &asked.if_match)?;
    let wants_not = condition("x-ms-source-if-none-match-crc64", &asked.if_none_match)?;
    let from = ranges::exact(&asked.range).ok_or_else(|| StorageError::invalid_header("x-ms-source-range", &asked.range))?;

    let (content, digests) = match files.source(&request, &asked.source, SourceAuthorization::Shown)? {
        Some(source) => here(&source.node, from)?,
        None => elsewhere(&request, &asked).await?,
    };
    if content.len() != span.len() {
        return Err(ErrorCode::CannotVerifyCopySource.with_message(SHORT).with_status(409));
    }
    claimed.check(digests)?;
    if wants.is_some_and(|wants| digests.crc64 != Some(wants)) || wants_not.is_some_and(|not| digests.crc64 == Some(not)) {
        return Err(ErrorCode::SourceConditionNotMet.with_message(UNMET));
    }
    let node = put_range::write(files, &request, &target, span, Some(&content)).await?;
    Ok(put_range::answer(&node, &request)
        .with("x-ms-request-server-encrypted", "true")
        .with_some("x-ms-content-crc64", digests.crc64.map(|crc64| crc64.to_string())))
}

/// The bytes of a file of this server, as many of the range as it has.
fn here(source: &Node, from: InclusiveRange) -> Result<(Content, Digests), StorageError> {
    let original = &source.file().ok_or(ErrorCode::ResourceTypeMismatch)?.content;
    let bytes = from.start..from.end.saturating_add(1).min(original.len());
    if bytes.end.saturating_sub(bytes.start) > MAX_WRITE {
        return Err(StorageError::too_large(MAX_WRITE));
    }
    let mut hasher = Hasher::new(CRC64);
    for chunk in original.slice(bytes.clone()) {
        hasher.update(&chunk.read()?);
    }
    Ok((Content::from_chunks(original.slice(bytes)), hasher.finish()))
}

/// The bytes that another server sends.
async fn elsewhere(request: &Request, asked: &Asked) -> Result<(Content, Digests), StorageError> {
    let (range, headers, conditions) = (RequestedRange::parse(&asked.range), request.parse()?, Conditions::default());
    let named = NamedSource { url: &asked.source, range, conditions: &conditions, headers: &headers };
    let source = RemoteSource::open(request, named).await?;
    let received = source.answer.receive(&request.store, source.part, MAX_WRITE, CRC64).await?;
    Ok((received.content, received.digests))
}

/// The checksum that the answer has.
const CRC64: ChecksumKinds = ChecksumKinds { md5: false, crc64: true };

/// What is said of a source whose bytes have another checksum than they shall, or the one that they shall not.
const UNMET: &str = "The Crc64 condition specified was not met.";

/// What is said of a source that has fewer bytes than are to be written, as recorded.
const SHORT: &str = "The source request body for copy source does not match requested length to write on target.";
