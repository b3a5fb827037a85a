//! Get and Set Metadata of a directory or a file.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::{READ, WRITE};
use crate::services::file::state::{CurrentPath, NodePath, Share, WantedNode};
use crate::services::file::wire;

const DIRECTORY: &[Selector] = &[Selector::Query("restype", "directory"), Selector::Query("comp", "metadata")];
const FILE: &[Selector] = &[Selector::Query("comp", "metadata")];

pub(super) static GET_DIRECTORY_METADATA: Operation<Files> = operation!(
    |files, request, at| get(files, request, at, WantedNode::Directory),
    NodePath,
    OperationSpec { name: "Get Directory Metadata", selectors: DIRECTORY, ..GET }
);

pub(super) static SET_DIRECTORY_METADATA: Operation<Files> = operation!(
    |files, request, input| set(files, request, input, WantedNode::Directory),
    (CurrentPath, Metadata),
    OperationSpec { name: "Set Directory Metadata", selectors: DIRECTORY, ..SET }
);

pub(super) static GET_FILE_METADATA: Operation<Files> = operation!(
    |files, request, at| get(files, request, at, WantedNode::File),
    NodePath,
    OperationSpec { name: "Get File Metadata", selectors: FILE, lease: LeaseCheck::IfPresent, ..GET }
);

pub(super) static SET_FILE_METADATA: Operation<Files> = operation!(
    |files, request, input| set(files, request, input, WantedNode::File),
    (CurrentPath, Metadata),
    OperationSpec { name: "Set File Metadata", selectors: FILE, lease: LeaseCheck::Required, ..SET }
);

const GET: OperationSpec = OperationSpec { methods: &["GET", "HEAD"], ..READ };

const SET: OperationSpec = OperationSpec { ..WRITE };

async fn get(files: &Files, request: Request, at: NodePath, wanted: WantedNode) -> Result<Reply, StorageError> {
    let node = files.resource(&request)?.read().admit(&request, &at, wanted, FileAccess::Look)?;
    Ok(wire::state(&node, &request).with_metadata(&node.metadata))
}

async fn set(
    files: &Files,
    request: Request,
    (at, metadata): (CurrentPath, Metadata),
    wanted: WantedNode,
) -> Result<Reply, StorageError> {
    let set = |share: &mut Share| {
        let node = share.admit(&request, &at, wanted, FileAccess::Describe)?;
        Ok(share.replace(&node, request.now, |node| {
            node.metadata = metadata;
            node.smb.changed = request.now;
        }))
    };
    let node = files.write(&request, set).await?;
    Ok(wire::state(&node, &request).with("x-ms-request-server-encrypted", "true"))
}
