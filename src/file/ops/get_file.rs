//! Get File: the content, or as much of it as was asked for.

use super::super::files::Files;
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, STRUCTURED, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::{Hasher, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::rules::handle::Touch;
use crate::rules::range::{self, Asked as Range};
use crate::rules::{condition::Accepts, lease::Guard};
use crate::store::chunks::Chunks;
use crate::takes;

pub(super) static GET_FILE: Op<Files> = Op {
    row: Row {
        name: "Get File",
        methods: &["GET"],
        shape: Shape::Path,
        signs: &[],
        takes: &[Asked::FIELDS, STRUCTURED, wire::SNAPSHOT, wire::DOTS],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    range_md5: Option<bool> = Header "x-ms-range-get-content-md5",
} }

/// The largest range whose MD5 can be asked for, in bytes.
const CHECKED_RANGE: u64 = 4 << 20;

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let range = asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(Range::Whole, Range::parse);
    let wants_md5 = asked.range_md5 == Some(true);
    let share = files.share(&call)?.read();
    let file = share.admit(&call, Want::Content, Touch::Read)?;
    let content = &file.content()?.content;
    let size = content.len();
    let span = range::resolve(range, size)?;
    let bytes = span.map_or(0..size, |span| span.start..span.end + 1);
    if share.view(&call)?.taken.is_none() {
        share.check_range(&file, &bytes, false)?;
    }
    let structured = call.structured()?;
    let sent = |reply: Reply, bytes: std::ops::Range<u64>| {
        let length = bytes.end - bytes.start;
        let chunks = Chunks::from(content.slice(bytes));
        if structured { reply.structured(chunks, length) } else { reply.bytes(chunks, length) }
    };
    let Some(span) = span else {
        if wants_md5 {
            return Err(Fault::header("x-ms-range-get-content-md5", "true"));
        }
        let reply = wire::describe(Reply::new(call.row.status), &file, true, &call).with("accept-ranges", "bytes");
        return Ok(sent(reply, bytes));
    };
    if wants_md5 && span.len() > CHECKED_RANGE {
        return Err(Code::OutOfRangeInput.because(format!("the MD5 of {} bytes was asked for", span.len())));
    }
    let mut hasher = Hasher::new(Wanted { md5: wants_md5, crc64: false });
    if wants_md5 {
        for chunk in content.slice(bytes.clone()) {
            hasher.update(&chunk.read()?);
        }
    }
    let reply = wire::describe(Reply::new(206), &file, false, &call)
        .with("accept-ranges", "bytes")
        .with("content-range", span.content_range(size))
        .with_some("content-md5", hasher.finish().md5.map(|md5| md5.to_string()));
    Ok(sent(reply, bytes))
}
