//! Create File, of the size that is said: all zeros, or from 2026-06-06 on with its first bytes.

use crate::operation::{
    Access, BodyFraming, CHECKSUMS, FromRequest, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind,
    Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::ChecksumKinds;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix;
use crate::rules::file::smb::NodeKind;
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::node::{Body, ContentHeaders, File, Node};
use crate::services::file::ops::put_range::MAX_WRITE;
use crate::services::file::state::{NewNode, WantedNode};
use crate::services::file::wire;
use crate::store::sparse::Sparse;

pub(super) static CREATE_FILE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Create File",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Header("x-ms-type", "file"), Selector::Lacks("x-ms-copy-source")],
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(BodyFraming::INPUTS),
            Input::Group(wire::CONTENT),
            Input::Group(wire::SMB),
            Input::Group(wire::SEMANTICS),
            Input::Group(wire::POSIX),
            Input::Group(wire::DOTS),
            Input::Group(METADATA),
            Input::Group(CHECKSUMS)
        ],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    length: u64 = Header "x-ms-content-length",
    kind: Option<String> = Header "x-ms-file-file-type",
} }

/// Bytes of a file, at most: 4 TiB.
const LIMIT: u64 = 4 << 40;

/// Checks that a file may have so many bytes.
///
/// # Errors
/// 400 OutOfRangeInput.
pub(super) fn check_size(size: u64) -> Result<u64, StorageError> {
    match size > LIMIT {
        true => Err(ErrorCode::OutOfRangeInput.with_message("The file size exceeds the maximum permissible limit.")),
        false => Ok(size),
    }
}

async fn run(files: &Files, mut request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let size = check_size(asked.length)?;
    if let Some(kind) = asked.kind.as_deref().filter(|kind| !kind.eq_ignore_ascii_case("Regular")) {
        return Err(StorageError::invalid_header("x-ms-file-file-type", kind)
            .with_reason("links and directories are made by operations of their own"));
    }
    if request.version < Version::V2026_06_06 || request.body.content_length() == 0 {
        request.check_no_content()?;
    }
    let claimed_sums = request.claimed_checksums()?;
    let framing: BodyFraming = request.parse()?;
    let received =
        request.receive(framing, MAX_WRITE.min(size), ChecksumKinds { md5: true, crc64: claimed_sums.crc64.is_some() }).await?;
    claimed_sums.check(received.digests)?;
    let (bytes, md5) = (received.content, received.digests.md5);
    let told = md5.filter(|_| !bytes.is_empty()).map(|md5| md5.to_string());
    let given = wire::given(&request)?;
    given.check_complete(request.version)?;
    let posix = wire::given_posix(&request)?;
    let (metadata, headers) = (request.metadata()?, ContentHeaders::read(&request).with_type());
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            if asked.kind.is_some() && share.check_nfs().is_err() {
                return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", "x-ms-file-file-type"));
            }
            let claimed = share.claim(&request, WantedNode::File, false)?;
            let parent = claimed.parent();
            let permission = share.permission(&given, NodeKind::File, None)?;
            let smb = given.make(NodeKind::File, permission, request.now)?;
            let posix = share.posix(posix, posix::PosixFileType::File, None)?;
            let make = |new: NewNode| {
                let mut file = File { content: Sparse::new(size), headers, ..File::default() };
                if !bytes.is_empty() {
                    file.write(0, &bytes, new.stamp());
                }
                Node { posix, ..new.node(Body::File(Box::new(file)), smb, metadata) }
            };
            Ok((share.create(claimed, request.now, make), parent))
        })
        .await?;
    Ok(framing.answer(wire::written(&node, parent, &request).with_some("content-md5", told)))
}
