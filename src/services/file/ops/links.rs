//! Create Hard Link, Create Symbolic Link and Get Symbolic Link, in shares that are served over NFS.

use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
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
use crate::takes;

pub(super) static CREATE_HARD_LINK: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Create Hard Link",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "hardlink")],
        inputs: &[Hard::FIELDS],
        requires: RequiredPermission {
            level: ResourceLevel::Object,
            account: "cw",
            service: "cw",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 201,
    },
    run: |files, request| Box::pin(create_hard(files, request)),
};

pub(super) static CREATE_SYMBOLIC_LINK: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Create Symbolic Link",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "symboliclink")],
        inputs: &[Symbolic::FIELDS, wire::SMB, wire::POSIX, METADATA],
        requires: RequiredPermission {
            level: ResourceLevel::Object,
            account: "cw",
            service: "cw",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::Required,
        status: 201,
    },
    run: |files, request| Box::pin(create_symbolic(files, request)),
};

pub(super) static GET_SYMBOLIC_LINK: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Symbolic Link",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "symboliclink")],
        inputs: &[wire::SNAPSHOT],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, request| Box::pin(get_symbolic(files, request)),
};

takes! { Hard {
    target: String = Header "x-ms-file-target-file",
    kind: Option<String> = Header "x-ms-type",
    lease: Option<lease::LeaseId> = Header "x-ms-lease-id",
} }

takes! { Symbolic {
    text: String = Header "x-ms-link-text",
} }

async fn create_hard(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = Hard::of(&request)?;
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
    let asked = Symbolic::of(&request)?;
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
