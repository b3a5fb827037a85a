//! Get and Set Directory Properties.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::posix::{PosixFileType, PosixInput};
use crate::services::file::files::Files;
use crate::services::file::ops::spec::{READ, WRITE};
use crate::services::file::state::{CurrentPath, NodePath, Share, WantedNode};
use crate::services::file::wire::{self, RequiredSmbHeaders};

pub(super) static GET_DIRECTORY_PROPERTIES: Operation<Files> = operation!(
    get,
    NodePath,
    OperationSpec {
        name: "Get Directory Properties",
        methods: &["GET", "HEAD"],
        selectors: &[Selector::Query("restype", "directory")],
        ..READ
    }
);

pub(super) static SET_DIRECTORY_PROPERTIES: Operation<Files> = operation!(
    set,
    Input,
    OperationSpec {
        name: "Set Directory Properties",
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "properties")],
        ..WRITE
    }
);

input! { pub(super) Input {
    smb: RequiredSmbHeaders,
    posix: PosixInput,
    at: CurrentPath,
} }

async fn get(files: &Files, request: Request, at: NodePath) -> Result<Reply, StorageError> {
    let directory = files.resource(&request)?.read().admit(&request, &at, WantedNode::Directory, FileAccess::Look)?;
    let reply = wire::state(&directory, &request).with("x-ms-server-encrypted", "true").with_metadata(&directory.metadata);
    Ok(wire::with_smb(reply, &directory, directory.parent(), &request))
}

async fn set(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let RequiredSmbHeaders(smb) = input.smb;
    let set = |share: &mut Share| {
        let directory = share.admit(&request, &input.at, WantedNode::Directory, FileAccess::Describe)?;
        let smb = share.smb(&directory, &smb, request.now)?;
        let posix = share.posix(input.posix, PosixFileType::Directory, directory.posix.as_deref())?;
        let node = share.replace(&directory, request.now, |node| {
            node.smb = smb;
            node.posix = posix;
        });
        Ok((node, directory.parent()))
    };
    let (node, parent) = files.write(&request, set).await?;
    Ok(wire::written(&node, parent, &request))
}
