//! Put Range: writes bytes into a file, or clears them.

use super::super::files::Files;
use super::super::node::{Body, Node};
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, STRUCTURED_BODY, Secondary, Shape, Sign, CHECKSUMS};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::Wanted;
use crate::rules::fault::{Code, Fault};
use crate::rules::handle::Touch;
use crate::rules::range::{self, Span};
use crate::rules::smb::Moment;
use crate::rules::{condition::Accepts, lease::Guard, version::Version};
use crate::store::content::Content;
use crate::takes;
use std::sync::Arc;

pub(super) static PUT_RANGE: Op<Files> = Op {
    row: Row {
        name: "Put Range",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("comp", "range")],
        takes: &[Asked::FIELDS, STRUCTURED_BODY, wire::DOTS, CHECKSUMS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    write: String = Header "x-ms-write",
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    written: Option<String> = Header "x-ms-file-last-write-time",
} }

/// The most bytes that one request writes.
pub(super) const MAX_WRITE: u64 = 4 << 20;

impl Asked {
    /// The range that is written to.
    pub(super) fn span(&self) -> Result<Span, Fault> {
        let (name, text) = match (&self.ms_range, &self.range) {
            (Some(text), _) => ("x-ms-range", text),
            (None, Some(text)) => ("Range", text),
            (None, None) => return Err(Fault::missing_header("x-ms-range")),
        };
        range::exact(text).ok_or_else(|| Fault::header(name, text))
    }

    /// What the time of the last write becomes: now, unless it is to be preserved.
    fn moment(&self) -> Result<Moment, Fault> {
        match self.written.as_deref().map(|text| (text, Moment::parse(text))) {
            None | Some((_, Some(Moment::Now))) => Ok(Moment::Now),
            Some((_, Some(Moment::Preserve))) => Ok(Moment::Preserve),
            Some((text, _)) => Err(Fault::header("x-ms-file-last-write-time", text)),
        }
    }
}

async fn run(files: &Files, mut call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let span = asked.span()?;
    if asked.write.eq_ignore_ascii_case("clear") {
        call.check_no_content()?;
        let node = write(files, &call, &asked, span, None).await?;
        return Ok(answer(&node, &call));
    }
    if !asked.write.eq_ignore_ascii_case("update") {
        return Err(Fault::header("x-ms-write", asked.write));
    }
    let claimed = call.claimed_checksums()?;
    // Recorded: the MD5 comes back whatever was claimed.
    let wanted = Wanted { md5: true, crc64: claimed.crc64.is_some() };
    let received = call.receive(MAX_WRITE, wanted).await?;
    claimed.check(received.digests)?;
    let node = write(files, &call, &asked, span, Some(&received.content)).await?;
    Ok(answer(&node, &call)
        .with("x-ms-request-server-encrypted", "true")
        .with_some("content-md5", received.digests.md5.map(|md5| md5.to_string()))
        .with_some("x-ms-content-crc64", received.digests.crc64.map(|crc64| crc64.to_string()))
        .with_structured(&call))
}

/// Writes these bytes to the range, or clears it when there are none.
///
/// # Errors
/// 400 InvalidHeaderValue for more or fewer bytes than the range has; 416 InvalidRange for one that is not all within the file.
pub(super) async fn write(
    files: &Files,
    call: &Call,
    asked: &Asked,
    span: Span,
    bytes: Option<&Content>,
) -> Result<Arc<Node>, Fault> {
    let moment = asked.moment()?;
    if let Some(bytes) = bytes.filter(|bytes| bytes.len() != span.len()) {
        return Err(Fault::header("Content-Length", bytes.len().to_string()));
    }
    let share = files.share(call)?;
    share
        .write(|share| {
            let file = share.admit(call, Want::Content, Touch::Write)?;
            let size = file.content()?.content.len();
            if span.end >= size {
                return Err(Code::InvalidRange.into());
            }
            share.check_range(&file, &(span.start..span.end + 1), true)?;
            Ok(share.replace(&file, call.now, |node| {
                // Recorded: before 2021-06-08 Windows is told nothing of a write over REST.
                if call.version >= Version::V2021_06_08 {
                    node.smb.changed = call.now;
                    if moment == Moment::Now {
                        node.smb.written = call.now;
                    }
                }
                let stamp = node.stamp;
                let Body::File(file) = &mut node.body else { return };
                match bytes {
                    Some(bytes) => file.write(span.start, bytes, stamp),
                    None => file.clear(span.start..span.end + 1, stamp),
                }
            }))
        })
        .await
}

/// The answer to a write, without checksums.
pub(super) fn answer(node: &Node, call: &Call) -> Reply {
    let told = call.version >= Version::V2021_06_08;
    Reply::new(call.row.status)
        .with_state(node.etag(), node.stamp)
        .with_some("x-ms-file-last-write-time", told.then(|| node.smb.written.iso()))
}
