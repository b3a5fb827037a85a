//! Get Blob: the content, or as much of it as was asked for.
use super::super::accessed;
use super::super::blobs::Blobs;
use super::super::body::Body;
use super::super::state::Admitted;
use super::super::wire::{self, Part};
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, STATE, STRUCTURED, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::{Digests, Hasher, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::rules::range::{self, Asked as Range, Span};
use crate::rules::{condition::Accepts, lease::Guard, version::Version};
use crate::takes;

pub(super) static GET_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob",
        methods: &["GET"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[ENCRYPTED, Asked::FIELDS, STATE, STRUCTURED],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Blob },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    range_md5: Option<bool> = Header "x-ms-range-get-content-md5",
    range_crc64: Option<bool> = Header "x-ms-range-get-content-crc64",
} }

/// The largest range whose checksum can be asked for, in bytes.
const CHECKED_RANGE: u64 = 4 << 20;

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let range = asked.ms_range.as_deref().or(asked.range.as_deref()).map_or(Range::Whole, Range::parse);
    let wanted = Wanted { md5: asked.range_md5 == Some(true), crc64: asked.range_crc64 == Some(true) };
    if wanted.md5 && wanted.crc64 {
        return Err(Code::BothCrc64AndMd5RangeHeaderPresent.into());
    }
    let structured = call.structured()?;
    let container = blobs.container(&call)?;
    let blob = container.read().admit(&call)?;
    blob.check_readable(call.now)?;
    let reply = read(&blob, range, wanted, structured, &call)?;
    accessed::keep(&container, &call.account, call.blob(), &blob, call.now).await;
    Ok(reply)
}

/// As much of a blob as was asked for.
fn read(blob: &Admitted, range: Range, wanted: Wanted, structured: bool, call: &Call) -> Result<Reply, Fault> {
    let size = blob.body.len();
    let Some(span) = range::resolve(range, size)? else {
        if wanted != Wanted::default() {
            return Err(Fault::header(if wanted.md5 { "x-ms-range-get-content-md5" } else { "x-ms-range-get-content-crc64" }, "true"));
        }
        let reply = describe(Reply::new(call.row.status), blob, Part::Whole, call);
        return Ok(content(reply, &blob.body, 0, size, structured));
    };
    let digests = digest(&blob.body, span, wanted)?;
    let reply = describe(Reply::new(206), blob, Part::Range, call)
        .with("content-range", span.content_range(size))
        .with_some("content-md5", digests.md5.map(|md5| md5.to_string()))
        .with_some("x-ms-content-crc64", digests.crc64.map(|crc64| crc64.to_string()));
    Ok(content(reply, &blob.body, span.start, span.len(), structured))
}

/// Answers so many bytes from here on, as they are or in a structured message.
fn content(reply: Reply, body: &Body, start: u64, length: u64, structured: bool) -> Reply {
    let chunks = body.slice(start..start + length);
    if structured { reply.structured(chunks, length) } else { reply.bytes(chunks, length) }
}

/// What Get Blob tells of a blob: of its tier nothing until late.
fn describe(reply: Reply, blob: &Admitted, part: Part, call: &Call) -> Reply {
    let reply = wire::describe(reply, blob, part, call);
    match call.version {
        version if version >= Version::V2026_10_06 => wire::with_tier(reply, blob, call),
        version if version >= Version::V2026_02_06 => wire::with_smart_tier(reply, blob, call.now),
        _ => reply,
    }
}

fn digest(body: &Body, span: Span, wanted: Wanted) -> Result<Digests, Fault> {
    if wanted == Wanted::default() {
        return Ok(Digests::default());
    }
    if span.len() > CHECKED_RANGE {
        return Err(Code::OutOfRangeInput.because(format!("a checksum of {} bytes was asked for", span.len())));
    }
    let mut hasher = Hasher::new(wanted);
    for chunk in body.slice(span.start..span.end + 1) {
        hasher.update(&chunk.read()?);
    }
    Ok(hasher.finish())
}
