//! Rename File and Rename Directory: another name in the same share. The nodes below a directory do not change.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector, SourceAccess, SourceAuthorization, SourceLocation};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::Path;
use crate::rules::file::smb::SmbInput;
use crate::rules::lease::LeaseId;
use crate::rules::metadata::Metadata;
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::ops::spec::WRITE;
use crate::services::file::state::{CurrentPath, Share, WantedNode};
use crate::services::file::wire::{self, SourceTrailingDots};

pub(super) static RENAME_FILE: Operation<Files> = operation!(
    |files, request, input: FileInput| run(files, request, input.rename, WantedNode::File, input.content_type),
    FileInput,
    OperationSpec { name: "Rename File", selectors: &[Selector::Query("comp", "rename")], ..SPEC }
);

pub(super) static RENAME_DIRECTORY: Operation<Files> = operation!(
    |files, request, input| run(files, request, input, WantedNode::Directory, None),
    Input,
    OperationSpec {
        name: "Rename Directory",
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "rename")],
        ..SPEC
    }
);

const SPEC: OperationSpec = OperationSpec { ..WRITE };

input! { pub(super) FileInput {
    rename: Input,
    content_type: Option<String> = Header "x-ms-content-type",
} }

input! { pub(super) Input {
    source: String = Header "x-ms-file-rename-source",
    replace: Option<bool> = Header "x-ms-file-rename-replace-if-exists",
    ignore_readonly: Option<bool> = Header "x-ms-file-rename-ignore-readonly",
    source_lease: Option<LeaseId> = Header "x-ms-source-lease-id",
    target_lease: Option<LeaseId> = Header "x-ms-destination-lease-id",
    smb: SmbInput,
    at: CurrentPath,
    source_dots: SourceTrailingDots,
    metadata: Metadata,
} }

/// The permission on the source. The SDKs' tests rename with a SAS that permits only reads and writes.
const SOURCE: SourceAccess = SourceAccess {
    header: "x-ms-file-rename-source",
    requires: RequiredPermission::object("dw").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
    authorization: SourceAuthorization::Caller,
};

async fn run(
    files: &Files,
    request: Request,
    input: Input,
    wanted: WantedNode,
    content_type: Option<String>,
) -> Result<Reply, StorageError> {
    let SourceLocation::Local(source) = request.sources.find_for(&request, &input.source, SOURCE)? else {
        return Err(StorageError::invalid_header("x-ms-file-rename-source", input.source));
    };
    if source.account.name != request.account.name || source.target.resource_name()? != request.target.resource_name()? {
        return Err(ErrorCode::InvalidInput.with_reason("a rename cannot move a node to another share"));
    }
    let from = Path::parse(source.target.path_text()?, input.source_dots.0)?;
    let (replace, ignore_read_only, now) = (input.replace == Some(true), input.ignore_readonly == Some(true), request.now);
    let rename = |share: &mut Share| {
        let moved = share.admit_at(&from, wanted, FileAccess::Remove, input.source_lease, now, ignore_read_only)?;
        let claimed = share.claim_for(&input.at, &moved, replace, input.target_lease, now, ignore_read_only)?;
        let smb = share.smb(&moved, &input.smb, now)?;
        let node = share.rename(&moved, &claimed, now, |node| {
            node.smb = smb;
            if !input.metadata.is_empty() {
                node.metadata = input.metadata;
            }
            if let (Body::File(file), Some(content_type)) = (&mut node.body, content_type) {
                file.headers.content_type = Some(content_type.into());
            }
        })?;
        Ok((node, claimed.parent()))
    };
    let (node, parent) = files.write(&request, rename).await?;
    Ok(wire::written(&node, parent, &request))
}
