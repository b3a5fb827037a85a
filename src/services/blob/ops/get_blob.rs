//! Get Blob: the content, or a range of it.

use crate::operation::{
    self, EncryptionCheck, Operation, OperationSpec, ReadRange, Reply, Request, StateQuery, StructuredAnswer,
};
use crate::rules::checksums::{ChecksumKinds, Digests};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges;
use crate::rules::ranges::{InclusiveRange, RequestedRange as Range};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::spec::READ;
use crate::services::blob::state::Admitted;
use crate::services::blob::wire::DescribedPart;
use crate::services::blob::{last_access, wire};

pub(super) static GET_BLOB: Operation<Blobs> =
    operation!(get_blob, (StateQuery, Input), OperationSpec { name: "Get Blob", encryption: EncryptionCheck::Read, ..READ });

input! { pub(in crate::services::blob) Input {
    range: ReadRange,
    md5: Option<bool> = Header "x-ms-range-get-content-md5",
    crc64: Option<bool> = Header "x-ms-range-get-content-crc64",
    structured: StructuredAnswer,
} }

/// The largest range that has a checksum, in bytes.
const CHECKED_RANGE: u64 = 4 << 20;

pub(in crate::services::blob) async fn get_blob(
    blobs: &Blobs,
    request: Request,
    (_, input): (StateQuery, Input),
) -> Result<Reply, StorageError> {
    let Input { range: ReadRange(range), structured, .. } = input;
    let wanted = ChecksumKinds { md5: input.md5 == Some(true), crc64: input.crc64 == Some(true) };
    if wanted.md5 && wanted.crc64 {
        return Err(ErrorCode::BothCrc64AndMd5RangeHeaderPresent.into());
    }
    let container = blobs.resource(&request)?;
    let blob = container.read().admit(&request)?;
    blob.check_readable(request.now)?;
    let reply = read(&blob, range, wanted, structured, &request)?;
    last_access::record(&container, &request.account, request.target.blob()?.0, &blob, request.now).await;
    Ok(reply)
}

/// The blob, or a range of it.
fn read(
    blob: &Admitted,
    range: Range,
    wanted: ChecksumKinds,
    structured: StructuredAnswer,
    request: &Request,
) -> Result<Reply, StorageError> {
    let size = blob.body.len();
    let Some(span) = ranges::resolve(range, size)? else {
        if wanted != ChecksumKinds::default() {
            return Err(StorageError::invalid_header(
                if wanted.md5 { "x-ms-range-get-content-md5" } else { "x-ms-range-get-content-crc64" },
                "true",
            ));
        }
        let reply = describe(Reply::new(request.spec.status), blob, DescribedPart::Whole, request);
        return Ok(structured.answer(reply, blob.body.slice(0..size), size));
    };
    let digests = digest(&blob.body, span, wanted)?;
    let reply = describe(Reply::new(206), blob, DescribedPart::Range, request)
        .with("content-range", span.content_range(size))
        .with_digests(digests);
    Ok(structured.answer(reply, blob.body.slice(span.start..span.end + 1), span.len()))
}

/// Describes the blob. Versions before 2026-10-06 do not report its tier.
fn describe(reply: Reply, blob: &Admitted, part: DescribedPart, request: &Request) -> Reply {
    let reply = wire::describe(reply, blob, part, request);
    match request.version {
        version if version >= Version::V2026_10_06 => wire::with_tier(reply, blob, request),
        version if version >= Version::V2026_02_06 => wire::with_smart_tier(reply, blob, request.now),
        _ => reply,
    }
}

fn digest(body: &Body, span: InclusiveRange, wanted: ChecksumKinds) -> Result<Digests, StorageError> {
    if wanted != ChecksumKinds::default() && span.len() > CHECKED_RANGE {
        return Err(ErrorCode::OutOfRangeInput
            .with_reason(format!("the range has {} bytes, and only {CHECKED_RANGE} can have a checksum", span.len())));
    }
    operation::digest(body.slice(span.start..span.end + 1), wanted)
}
