//! Create Hard Link, Create Symbolic Link and Get Symbolic Link, in NFS shares.

use crate::operation::{Input, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::file::posix::{PosixFileType, PosixInput};
use crate::rules::file::smb::SmbInput;
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::ops::spec::{READ, WRITE_FILE};
use crate::services::file::state::{CurrentPath, NodePath, Share, WantedNode};
use crate::services::file::wire;

pub(super) static CREATE_HARD_LINK: Operation<Files> = operation!(
    create_hard,
    HardLinkInput,
    OperationSpec {
        name: "Create Hard Link",
        selectors: &[Selector::Query("restype", "hardlink")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 201,
        ..WRITE_FILE
    }
);

pub(super) static CREATE_SYMBOLIC_LINK: Operation<Files> = operation!(
    create_symbolic,
    SymbolicLinkInput,
    OperationSpec {
        name: "Create Symbolic Link",
        selectors: &[Selector::Query("restype", "symboliclink")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 201,
        ..WRITE_FILE
    }
);

pub(super) static GET_SYMBOLIC_LINK: Operation<Files> = operation!(
    get_symbolic,
    NodePath,
    OperationSpec {
        name: "Get Symbolic Link",
        methods: &["GET", "HEAD"],
        selectors: &[Selector::Query("restype", "symboliclink")],
        ..READ
    }
);

input! { pub(super) HardLinkInput {
    target: LinkTarget,
    _resource_type: Option<LinkedResource> = Header "x-ms-type",
    at: CurrentPath,
} }

input! { pub(super) SymbolicLinkInput {
    text: String = Header "x-ms-link-text",
    smb: SmbInput,
    posix: PosixInput,
    at: CurrentPath,
    metadata: Metadata,
} }

parsed_input! {
    /// The path of the file that a hard link is added to.
    pub(super) LinkTarget(Path) = [Input::required_header(TARGET)],
    |fields| {
        let path = names::decode(fields.header(TARGET).ok_or_else(|| StorageError::missing_header(TARGET))?)?;
        Path::parse(path.trim_start_matches('/'), TrailingDots::Significant)
    }
}

const TARGET: &str = "x-ms-file-target-file";

words! {
    /// The only value of `x-ms-type`.
    pub(super) LinkedResource { File = "file" }
}

async fn create_hard(files: &Files, request: Request, input: HardLinkInput) -> Result<Reply, StorageError> {
    let LinkTarget(target) = input.target;
    let link = |share: &mut Share| {
        share.check_nfs()?;
        let (wanted, access) = (WantedNode::Content, FileAccess::Describe);
        let file = share.admit_at(&target, wanted, access, request.lease_id, request.now, false)?;
        let claimed = share.claim_free(&input.at)?;
        let parent = claimed.parent();
        Ok((share.link(&file, claimed, request.now), parent))
    };
    let (node, parent) = files.write(&request, link).await?;
    Ok(wire::with_smb(wire::state(&node, &request), &node, parent, &request))
}

async fn create_symbolic(files: &Files, request: Request, input: SymbolicLinkInput) -> Result<Reply, StorageError> {
    let create = |share: &mut Share| {
        share.check_nfs()?;
        let claimed = share.claim_free(&input.at)?;
        let parent = claimed.parent();
        let properties = share.properties_of_new(&input.smb, input.posix, PosixFileType::Link, request.now)?;
        let body = Body::Link(input.text.into());
        Ok((share.create(claimed, request.now, |new| new.node(body, properties, input.metadata)), parent))
    };
    let (node, parent) = files.write(&request, create).await?;
    Ok(wire::with_smb(wire::state(&node, &request), &node, parent, &request))
}

async fn get_symbolic(files: &Files, request: Request, at: NodePath) -> Result<Reply, StorageError> {
    let link = files.resource(&request)?.read().admit(&request, &at, WantedNode::Link, FileAccess::Look)?;
    let Body::Link(text) = &link.body else { return Err(ErrorCode::ResourceTypeMismatch.into()) };
    Ok(wire::state(&link, &request).with("x-ms-link-text", text))
}
