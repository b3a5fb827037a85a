//! Put Range: writes bytes into a file, or clears them.

use crate::operation::{
    Access, BodyFraming, CHECKSUMS, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::ChecksumKinds;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::smb::FileTime;
use crate::rules::lease::LeaseCheck;
use crate::rules::ranges;
use crate::rules::ranges::InclusiveRange;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::node::{Body, Node};
use crate::services::file::state::WantedNode;
use crate::services::file::wire;
use crate::store::content::Content;
use std::sync::Arc;

pub(super) static PUT_RANGE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Put Range",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "range")],
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(BodyFraming::INPUTS),
            Input::Group(wire::DOTS),
            Input::Group(CHECKSUMS)
        ],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    write: String = Header "x-ms-write",
    range: Option<String> = Header "range",
    ms_range: Option<String> = Header "x-ms-range",
    written: Option<String> = Header "x-ms-file-last-write-time",
} }

/// The most bytes that one request writes.
pub(super) const MAX_WRITE: u64 = 4 << 20;

impl Asked {
    /// The range that is written to.
    pub(super) fn span(&self) -> Result<InclusiveRange, StorageError> {
        let (name, text) = match (&self.ms_range, &self.range) {
            (Some(text), _) => ("x-ms-range", text),
            (None, Some(text)) => ("Range", text),
            (None, None) => return Err(StorageError::missing_header("x-ms-range")),
        };
        ranges::exact(text).ok_or_else(|| StorageError::invalid_header(name, text))
    }

    /// What the time of the last write becomes: now, unless it is to be preserved.
    fn moment(&self) -> Result<FileTime, StorageError> {
        match self.written.as_deref().map(|text| (text, FileTime::parse(text))) {
            None | Some((_, Some(FileTime::Now))) => Ok(FileTime::Now),
            Some((_, Some(FileTime::Preserve))) => Ok(FileTime::Preserve),
            Some((text, _)) => Err(StorageError::invalid_header("x-ms-file-last-write-time", text)),
        }
    }
}

async fn run(files: &Files, mut request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let span = asked.span()?;
    if asked.write.eq_ignore_ascii_case("clear") {
        request.check_no_content()?;
        let node = write(files, &request, &asked, span, None).await?;
        return Ok(answer(&node, &request));
    }
    if !asked.write.eq_ignore_ascii_case("update") {
        return Err(StorageError::invalid_header("x-ms-write", asked.write));
    }
    let claimed = request.claimed_checksums()?;
    // Recorded: the MD5 comes back whatever was claimed.
    let wanted = ChecksumKinds { md5: true, crc64: claimed.crc64.is_some() };
    let framing: BodyFraming = request.parse()?;
    let received = request.receive(framing, MAX_WRITE, wanted).await?;
    claimed.check(received.digests)?;
    let node = write(files, &request, &asked, span, Some(&received.content)).await?;
    Ok(framing.answer(
        answer(&node, &request)
            .with("x-ms-request-server-encrypted", "true")
            .with_some("content-md5", received.digests.md5.map(|md5| md5.to_string()))
            .with_some("x-ms-content-crc64", received.digests.crc64.map(|crc64| crc64.to_string())),
    ))
}

/// Writes these bytes to the range, or clears it when there are none.
///
/// # Errors
/// 400 InvalidHeaderValue for more or fewer bytes than the range has; 416 InvalidRange for one that is not all within the file.
pub(super) async fn write(
    files: &Files,
    request: &Request,
    asked: &Asked,
    span: InclusiveRange,
    bytes: Option<&Content>,
) -> Result<Arc<Node>, StorageError> {
    let moment = asked.moment()?;
    if let Some(bytes) = bytes.filter(|bytes| bytes.len() != span.len()) {
        return Err(StorageError::invalid_header("Content-Length", bytes.len().to_string()));
    }
    let share = files.share(request)?;
    share
        .write(|share| {
            let file = share.admit(request, WantedNode::Content, FileAccess::Write)?;
            let size = file.content()?.content.len();
            if span.end >= size {
                return Err(ErrorCode::InvalidRange.into());
            }
            share.check_range(&file, &(span.start..span.end + 1), true)?;
            Ok(share.replace(&file, request.now, |node| {
                // Recorded: before 2021-06-08 Windows is told nothing of a write over REST.
                if request.version >= Version::V2021_06_08 {
                    node.smb.changed = request.now;
                    if moment == FileTime::Now {
                        node.smb.written = request.now;
                    }
                }
                let stamp = node.last_modified;
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
pub(super) fn answer(node: &Node, request: &Request) -> Reply {
    let told = request.version >= Version::V2021_06_08;
    Reply::new(request.spec.status)
        .with_state(node.etag(), node.last_modified)
        .with_some("x-ms-file-last-write-time", told.then(|| node.smb.written.iso()))
}
