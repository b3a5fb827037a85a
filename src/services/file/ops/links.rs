//! Create Hard Link, Create Symbolic Link and Get Symbolic Link, in NFS shares.

use crate::operation::{
    Access, Fields, FromRequest, FromText, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::file::posix::{PosixFileType, PosixInput};
use crate::rules::file::smb::SmbInput;
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::state::{CurrentPath, NodePath, WantedNode};
use crate::services::file::wire;

pub(super) static CREATE_HARD_LINK: Operation<Files> = operation!(
    create_hard,
    HardLinkInput,
    OperationSpec {
        name: "Create Hard Link",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "hardlink")],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static CREATE_SYMBOLIC_LINK: Operation<Files> = operation!(
    create_symbolic,
    SymbolicLinkInput,
    OperationSpec {
        name: "Create Symbolic Link",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "symboliclink")],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static GET_SYMBOLIC_LINK: Operation<Files> = operation!(
    get_symbolic,
    NodePath,
    OperationSpec {
        name: "Get Symbolic Link",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "symboliclink")],
        requires: RequiredPermission::object("r"),
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) HardLinkInput {
    target: LinkTarget,
    _resource_type: Option<FileResource> = Header "x-ms-type",
    at: CurrentPath,
} }

input! { pub(super) SymbolicLinkInput {
    text: String = Header "x-ms-link-text",
    smb: SmbInput,
    posix: PosixInput,
    at: CurrentPath,
    metadata: Metadata,
} }

/// The path of the file that a hard link is added to.
#[derive(Debug)]
pub(super) struct LinkTarget(Path);

impl FromRequest for LinkTarget {
    const INPUTS: &'static [Input] = &[Input::required_header("x-ms-file-target-file")];

    fn from_request(fields: &Fields<'_>) -> Result<LinkTarget, StorageError> {
        let name = "x-ms-file-target-file";
        let path = names::decode(fields.header(name).ok_or_else(|| StorageError::missing_header(name))?)?;
        Path::parse(path.trim_start_matches('/'), TrailingDots::Kept).map(LinkTarget)
    }
}

/// The only value of `x-ms-type`.
#[derive(Debug)]
pub(super) struct FileResource;

impl FromText for FileResource {
    fn from_text(text: &str) -> Option<FileResource> {
        text.eq_ignore_ascii_case("file").then_some(FileResource)
    }
}

async fn create_hard(files: &Files, request: Request, input: HardLinkInput) -> Result<Reply, StorageError> {
    let LinkTarget(target) = input.target;
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            share.check_nfs()?;
            let (wanted, access) = (WantedNode::Content, FileAccess::Describe);
            let file = share.admit_at(&target, wanted, access, request.lease_id, request.now, false)?;
            let claimed = share.claim_free(&input.at)?;
            let parent = claimed.parent();
            Ok((share.link(&file, claimed, request.now), parent))
        })
        .await?;
    Ok(wire::with_smb(wire::state(&node, &request), &node, parent, &request))
}

async fn create_symbolic(files: &Files, request: Request, input: SymbolicLinkInput) -> Result<Reply, StorageError> {
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            share.check_nfs()?;
            let claimed = share.claim_free(&input.at)?;
            let parent = claimed.parent();
            let properties = share.properties_of_new(&input.smb, input.posix, PosixFileType::Link, request.now)?;
            let body = Body::Link(input.text.into());
            Ok((share.create(claimed, request.now, |new| new.node(body, properties, input.metadata)), parent))
        })
        .await?;
    Ok(wire::with_smb(wire::state(&node, &request), &node, parent, &request))
}

async fn get_symbolic(files: &Files, request: Request, at: NodePath) -> Result<Reply, StorageError> {
    let link = files.share(&request)?.read().admit(&request, &at, WantedNode::Link, FileAccess::Look)?;
    let Body::Link(text) = &link.body else { return Err(ErrorCode::ResourceTypeMismatch.into()) };
    Ok(wire::state(&link, &request).with("x-ms-link-text", text))
}
