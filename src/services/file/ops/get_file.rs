//! Get File: the content, or a range of it.

use crate::operation::{self, Operation, OperationSpec, ReadRange, Reply, Request, StructuredAnswer};
use crate::rules::checksums::ChecksumKinds;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::ranges;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::READ_FILE;
use crate::services::file::state::{NodePath, WantedNode};
use crate::services::file::wire::{self, half_open};
use crate::store::chunks::Chunks;

pub(super) static GET_FILE: Operation<Files> = operation!(run, Input, OperationSpec { name: "Get File", ..READ_FILE });

input! { pub(super) Input {
    range: ReadRange,
    range_md5: Option<bool> = Header "x-ms-range-get-content-md5",
    structured: StructuredAnswer,
    at: NodePath,
} }

/// The largest range whose MD5 the service computes, in bytes.
const MAX_MD5_RANGE: u64 = 4 << 20;

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let wants_md5 = input.range_md5 == Some(true);
    let share = files.resource(&request)?.read();
    let file = share.admit(&request, &input.at, WantedNode::Content, FileAccess::Read)?;
    let content = &file.content()?.content;
    let size = content.len();
    let part = ranges::resolve(input.range.0, size)?;
    let bytes = part.map_or(0..size, half_open);
    let length = bytes.end - bytes.start;
    if input.at.snapshot.is_none() {
        share.check_range(&file, &bytes, false)?;
    }
    let chunks = Chunks::from(content.slice(bytes.clone()));
    let Some(part) = part else {
        if wants_md5 {
            return Err(StorageError::invalid_header("x-ms-range-get-content-md5", "true"));
        }
        let reply = wire::describe(Reply::new(request.spec.status), &file, true, &request).with("accept-ranges", "bytes");
        return Ok(input.structured.answer(reply, chunks, length));
    };
    if wants_md5 && length > MAX_MD5_RANGE {
        return Err(ErrorCode::OutOfRangeInput.with_reason(format!("the MD5 of a range of {length} bytes")));
    }
    let digests = operation::digest(content.slice(bytes), ChecksumKinds { md5: wants_md5, crc64: false })?;
    let reply = wire::describe(Reply::new(206), &file, false, &request)
        .with("accept-ranges", "bytes")
        .with("content-range", part.content_range(size))
        .with_digests(digests);
    Ok(input.structured.answer(reply, chunks, length))
}
