//! Create File: a file of a given size, all zeros, or from 2026-06-06 on with its first bytes.

use crate::operation::{self, BodyFraming, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix::{PosixFileType, PosixInput};
use crate::rules::metadata::Metadata;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::node::{Body, File};
use crate::services::file::ops::put_range::MAX_WRITE;
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::state::{CurrentPath, NewNode, Share};
use crate::services::file::wire::{self, FileContentHeaders, NewSmbHeaders};
use crate::services::shared::content_headers::DEFAULT_TYPE;
use crate::store::sparse::Sparse;

pub(super) static CREATE_FILE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Create File",
        selectors: &[Selector::Header("x-ms-type", "file"), Selector::Lacks("x-ms-copy-source")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 201,
        ..WRITE_FILE
    }
);

input! { pub(super) Input {
    length: u64 = Header "x-ms-content-length",
    file_type: Option<CreatedFileType> = Header "x-ms-file-file-type",
    content: FirstBytes,
    headers: FileContentHeaders,
    smb: NewSmbHeaders,
    posix: PosixInput,
    at: CurrentPath,
    metadata: Metadata,
    checksums: RequestChecksums,
} }

parsed_input! {
    /// The content of the new file in the body, which versions before 2026-06-06 refuse.
    pub(super) FirstBytes(BodyFraming) = [operation::Input::Group(BodyFraming::INPUTS)],
    |fields| {
        if fields.version < Version::V2026_06_06 || fields.body.content_length() == 0 {
            fields.check_no_content()?;
        }
        BodyFraming::from_request(fields)
    }
}

words! {
    /// The only file type that Create File creates: links and directories have operations of their own.
    pub(super) CreatedFileType { Regular = "Regular" }
}

/// The largest file, in bytes: 4 TiB.
const MAX_SIZE: u64 = 4 << 40;

/// Checks the size of a file.
///
/// # Errors
/// 400 OutOfRangeInput.
pub(super) fn check_size(size: u64) -> Result<u64, StorageError> {
    match size > MAX_SIZE {
        true => Err(ErrorCode::OutOfRangeInput.with_message("The file size exceeds the maximum permissible limit.")),
        false => Ok(size),
    }
}

async fn run(files: &Files, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    let size = check_size(input.length)?;
    let FirstBytes(framing) = input.content;
    let wanted = ChecksumKinds { md5: true, crc64: input.checksums.crc64.is_some() };
    let received = request.receive(framing, MAX_WRITE.min(size), wanted).await?;
    input.checksums.check(received.digests)?;
    let (bytes, md5) = (received.content, received.digests.md5);
    let md5 = md5.filter(|_| !bytes.is_empty()).map(|md5| md5.to_string());
    let smb = input.smb.input();
    // A new file has a Content-Type, and loses it when its properties are set without one (recorded).
    let FileContentHeaders(mut headers) = input.headers;
    headers.content_type.get_or_insert_with(|| DEFAULT_TYPE.into());
    let create = |share: &mut Share| {
        if input.file_type.is_some() && share.check_nfs().is_err() {
            return Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", "x-ms-file-file-type"));
        }
        let claimed = share.claim(&request, &input.at, false)?;
        let parent = claimed.parent();
        let properties = share.properties_of_new(&smb, input.posix, PosixFileType::File, request.now)?;
        let make = |new: NewNode| {
            let mut file = File { content: Sparse::new(size), headers, ..File::default() };
            if !bytes.is_empty() {
                file.write(0, &bytes, new.last_modified());
            }
            new.node(Body::File(Box::new(file)), properties, input.metadata)
        };
        Ok((share.create(claimed, request.now, make), parent))
    };
    let (node, parent) = files.write(&request, create).await?;
    Ok(framing.answer(wire::written(&node, parent, &request).with_some("content-md5", md5)))
}
