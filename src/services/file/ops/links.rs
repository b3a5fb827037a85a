//! Create Hard Link, Create Symbolic Link and Get Symbolic Link, in shares that are served over NFS.

use crate::operation::{Access, FromRequest, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::file::posix;
use crate::rules::file::smb::NodeKind;
use crate::rules::lease::LeaseCheck;
use crate::rules::{lease, names};
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static CREATE_HARD_LINK: Operation<Files> = operation!(
    create_hard,
    OperationSpec {
        name: "Create Hard Link",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "hardlink")],
        inputs: &[Input::Group(<Hard as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static CREATE_SYMBOLIC_LINK: Operation<Files> = operation!(
    create_symbolic,
    OperationSpec {
        name: "Create Symbolic Link",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "symboliclink")],
        inputs: &[
            Input::Group(<Symbolic as FromRequest>::INPUTS),
            Input::Group(wire::SMB),
            Input::Group(wire::POSIX),
            Input::Group(METADATA)
        ],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static GET_SYMBOLIC_LINK: Operation<Files> = operation!(
    get_symbolic,
    OperationSpec {
        name: "Get Symbolic Link",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "symboliclink")],
        inputs: &[Input::Group(wire::SNAPSHOT)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Hard {
    target: String = Header "x-ms-file-target-file",
    kind: Option<String> = Header "x-ms-type",
    lease: Option<lease::LeaseId> = Header "x-ms-lease-id",
} }

input! { pub(super) Symbolic {
    text: String = Header "x-ms-link-text",
} }

async fn create_hard(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Hard>()?;
    if let Some(kind) = asked.kind.filter(|kind| !kind.eq_ignore_ascii_case("file")) {
        return Err(StorageError::invalid_header("x-ms-type", kind));
    }
    let target = Path::parse(names::decode(&asked.target)?.trim_start_matches('/'), TrailingDots::Kept)?;
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            share.check_nfs()?;
            let file = share.admit_at(&target, WantedNode::Content, FileAccess::Describe, asked.lease, request.now, false)?;
            let claimed = share.claim_free(&request)?;
            let parent = claimed.parent();
            Ok((share.link(&file, claimed, request.now), parent))
        })
        .await?;
    let reply = Reply::new(request.spec.status).with_state(node.etag(), node.last_modified);
    Ok(wire::with_smb(reply, &node, parent, &request))
}

async fn create_symbolic(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Symbolic>()?;
    let (given, metadata) = (wire::given(&request)?, request.metadata()?);
    let posix = wire::given_posix(&request)?;
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            share.check_nfs()?;
            let claimed = share.claim_free(&request)?;
            let parent = claimed.parent();
            let permission = share.permission(&given, NodeKind::File, None)?;
            let smb = given.make(NodeKind::File, permission, request.now)?;
            let posix = share.posix(posix, posix::PosixFileType::Link, None)?;
            let made = share.create(claimed, request.now, |new| {
                let mut node = new.node(Body::Link(asked.text.as_str().into()), smb, metadata);
                node.posix = posix;
                node
            });
            Ok((made, parent))
        })
        .await?;
    let reply = Reply::new(request.spec.status).with_state(node.etag(), node.last_modified);
    Ok(wire::with_smb(reply, &node, parent, &request))
}

async fn get_symbolic(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let link = files.share(&request)?.read().admit(&request, WantedNode::Link, FileAccess::Look)?;
    let Body::Link(text) = &link.body else { return Err(ErrorCode::ResourceTypeMismatch.into()) };
    Ok(Reply::new(request.spec.status).with_state(link.etag(), link.last_modified).with("x-ms-link-text", text))
}
