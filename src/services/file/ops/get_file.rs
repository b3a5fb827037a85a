//! Get File: the content, or as much of it as was asked for.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, StructuredAnswer};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::{ChecksumKinds, Hasher};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::rules::ranges;
use crate::rules::ranges::RequestedRange as Range;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;
use crate::store::chunks::Chunks;

pub(super) static GET_FILE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Get File",
        methods: &["GET"],
        resource: ResourceKind::Path,
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(StructuredAnswer::INPUTS),
            Input::Group(wire::SNAPSHOT),
            Input::Group(wire::DOTS)
        ],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    range_md5: Option<bool> = Header "x-ms-range-get-content-md5",
} }

/// The largest range whose MD5 can be asked for, in bytes.
const CHECKED_RANGE: u64 = 4 << 20;

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let range = asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(Range::Whole, Range::parse);
    let wants_md5 = asked.range_md5 == Some(true);
    let share = files.share(&request)?.read();
    let file = share.admit(&request, WantedNode::Content, FileAccess::Read)?;
    let content = &file.content()?.content;
    let size = content.len();
    let span = ranges::resolve(range, size)?;
    let bytes = span.map_or(0..size, |span| span.start..span.end + 1);
    if share.view(&request)?.taken.is_none() {
        share.check_range(&file, &bytes, false)?;
    }
    let StructuredAnswer(structured) = request.parse()?;
    let sent = |reply: Reply, bytes: std::ops::Range<u64>| {
        let length = bytes.end - bytes.start;
        let chunks = Chunks::from(content.slice(bytes));
        if structured { reply.structured(chunks, length) } else { reply.bytes(chunks, length) }
    };
    let Some(span) = span else {
        if wants_md5 {
            return Err(StorageError::invalid_header("x-ms-range-get-content-md5", "true"));
        }
        let reply = wire::describe(Reply::new(request.spec.status), &file, true, &request).with("accept-ranges", "bytes");
        return Ok(sent(reply, bytes));
    };
    if wants_md5 && span.len() > CHECKED_RANGE {
        return Err(ErrorCode::OutOfRangeInput.with_reason(format!("the MD5 of {} bytes was asked for", span.len())));
    }
    let mut hasher = Hasher::new(ChecksumKinds { md5: wants_md5, crc64: false });
    if wants_md5 {
        for chunk in content.slice(bytes.clone()) {
            hasher.update(&chunk.read()?);
        }
    }
    let reply = wire::describe(Reply::new(206), &file, false, &request)
        .with("accept-ranges", "bytes")
        .with("content-range", span.content_range(size))
        .with_some("content-md5", hasher.finish().md5.map(|md5| md5.to_string()));
    Ok(sent(reply, bytes))
}
