//! Put Range: writes bytes to a file, or clears a range.

use crate::operation::{self, BodyFraming, Fields, FromRequest, Operation, OperationSpec, Reply, Request, Selector, WriteRange};
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::node::{Body, Node};
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::state::{CurrentPath, Share, WantedNode};
use crate::services::file::wire::{self, half_open};
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static PUT_RANGE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec { name: "Put Range", selectors: &[Selector::Query("comp", "range")], status: 201, ..WRITE_FILE }
);

input! { pub(super) Input {
    content: RangeContent,
    write: WriteInput,
} }

input! {
    /// The target of a write to a range.
    pub(super) WriteInput {
        range: WriteRange,
        last_write_time: Option<WriteTime> = Header "x-ms-file-last-write-time",
        at: CurrentPath,
    }
}

/// The new content of a range (`x-ms-write`).
#[derive(Debug)]
pub(super) enum RangeContent {
    Update(BodyFraming, RequestChecksums),
    Clear,
}

type UpdateHeaders = (BodyFraming, RequestChecksums);

impl FromRequest for RangeContent {
    const INPUTS: &'static [operation::Input] = <(Mode, UpdateHeaders)>::INPUTS;

    /// Returns 400 for content in the body of a request that clears a range.
    fn from_request(fields: &Fields<'_>) -> Result<RangeContent, StorageError> {
        match Mode::from_request(fields)?.mode {
            WriteMode::Update => {
                UpdateHeaders::from_request(fields).map(|(framing, checksums)| RangeContent::Update(framing, checksums))
            }
            WriteMode::Clear => fields.check_no_content().map(|()| RangeContent::Clear),
        }
    }
}

words! {
    /// What a write does with a range.
    pub(super) WriteMode { Update = "update", Clear = "clear" }
}

input! { pub(super) Mode {
    mode: WriteMode = Header "x-ms-write",
} }

words! {
    /// What a write does to the last write time of the file.
    pub(super) WriteTime { Now = "now", Preserve = "preserve" }
}

/// The most bytes that one request writes.
pub(super) const MAX_WRITE: u64 = 4 << 20;

async fn run(files: &Files, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    let RangeContent::Update(framing, checksums) = input.content else {
        let node = write(files, &request, &input.write, None).await?;
        return Ok(answer(&node, &request));
    };
    // The response has the MD5 even if the request has none (recorded).
    let wanted = ChecksumKinds { md5: true, crc64: checksums.crc64.is_some() };
    let received = request.receive(framing, MAX_WRITE, wanted).await?;
    checksums.check(received.digests)?;
    let node = write(files, &request, &input.write, Some(&received.content)).await?;
    Ok(framing.answer(answer(&node, &request).with("x-ms-request-server-encrypted", "true").with_digests(received.digests)))
}

/// Writes these bytes to the range, or clears the range if there are none.
///
/// # Errors
/// 400 InvalidHeaderValue if the number of bytes is not the length of the range; 416 InvalidRange for a range beyond the end of the
/// file.
pub(super) async fn write(
    files: &Files,
    request: &Request,
    input: &WriteInput,
    bytes: Option<&Content>,
) -> Result<Arc<Node>, StorageError> {
    let range = half_open(input.range.0);
    if let Some(bytes) = bytes.filter(|bytes| bytes.len() != range.end - range.start) {
        return Err(StorageError::invalid_header("Content-Length", bytes.len().to_string()));
    }
    let edit = |share: &mut Share| {
        let file = share.admit(request, &input.at, WantedNode::Content, FileAccess::Write)?;
        if range.end > file.content()?.content.len() {
            return Err(ErrorCode::InvalidRange.into());
        }
        share.check_range(&file, &range, true)?;
        Ok(share.replace(&file, request.now, |node| {
            // Before 2021-06-08, a write over REST does not change the SMB times (recorded).
            if request.version >= Version::V2021_06_08 {
                node.smb.changed = request.now;
                if input.last_write_time != Some(WriteTime::Preserve) {
                    node.smb.written = request.now;
                }
            }
            let Body::File(file) = &mut node.body else { return };
            match bytes {
                Some(bytes) => file.write(range.start, bytes, node.last_modified),
                None => file.clear(range.clone(), node.last_modified),
            }
        }))
    };
    files.write(request, edit).await
}

/// The response to a write, without checksums.
pub(super) fn answer(node: &Node, request: &Request) -> Reply {
    let last_write_time = (request.version >= Version::V2021_06_08).then(|| node.smb.written.iso());
    wire::state(node, request).with_some("x-ms-file-last-write-time", last_write_time)
}
