//! Get and Set Directory Properties.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::posix;
use crate::rules::file::smb::NodeKind;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static GET_DIRECTORY_PROPERTIES: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get Directory Properties",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory")],
        inputs: &[Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_DIRECTORY_PROPERTIES: Operation<Files> = operation!(
    set,
    OperationSpec {
        name: "Set Directory Properties",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "properties")],
        inputs: &[Input::Group(wire::SMB), Input::Group(wire::POSIX), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

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
