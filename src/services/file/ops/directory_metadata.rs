//! Get and Set Directory Metadata.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static GET_DIRECTORY_METADATA: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get Directory Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_DIRECTORY_METADATA: Operation<Files> = operation!(
    set,
    OperationSpec {
        name: "Set Directory Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(wire::DOTS), Input::Group(METADATA)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let node = files.share(&request)?.read().admit(&request, WantedNode::Directory, FileAccess::Look)?;
    Ok(Reply::new(request.spec.status).with_state(node.etag(), node.last_modified).with_metadata(&node.metadata))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let share = files.share(&request)?;
    let node = share
        .write(|share| {
            let node = share.admit(&request, WantedNode::Directory, FileAccess::Describe)?;
            Ok(share.replace(&node, request.now, |node| {
                node.metadata = metadata;
                node.smb.changed = request.now;
            }))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(node.etag(), node.last_modified).with("x-ms-request-server-encrypted", "true"))
}
