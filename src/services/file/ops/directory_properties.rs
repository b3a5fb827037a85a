//! Get and Set Directory Properties.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::posix;
use crate::rules::file::smb::NodeKind;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static GET_DIRECTORY_PROPERTIES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Get Directory Properties",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory")],
        inputs: &[wire::SNAPSHOT, wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, request| Box::pin(get(files, request)),
};

pub(super) static SET_DIRECTORY_PROPERTIES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Set Directory Properties",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "properties")],
        inputs: &[wire::SMB, wire::POSIX, wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, request| Box::pin(set(files, request)),
};

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let directory = files.share(&request)?.read().admit(&request, WantedNode::Directory, FileAccess::Look)?;
    let reply = Reply::new(request.spec.status)
        .with_state(directory.etag(), directory.last_modified)
        .with("x-ms-server-encrypted", "true")
        .with_metadata(&directory.metadata);
    Ok(wire::with_smb(reply, &directory, directory.parent(), &request))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let given = wire::given(&request)?;
    given.check_complete(request.version)?;
    let posix = wire::given_posix(&request)?;
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            let directory = share.admit(&request, WantedNode::Directory, FileAccess::Describe)?;
            let (before, parent) = (directory.smb, directory.parent());
            let permission = share.permission(&given, NodeKind::Directory, Some(before.permission))?;
            let smb = given.revise(NodeKind::Directory, before, None, permission, request.now)?;
            let posix = share.posix(posix, posix::PosixFileType::Directory, directory.posix.as_deref())?;
            let node = share.replace(&directory, request.now, |node| {
                node.smb = smb;
                node.posix = posix;
            });
            Ok((node, parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &request))
}
