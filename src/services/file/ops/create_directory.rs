//! Create Directory.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::file::posix::{PosixFileType, PosixInput};
use crate::rules::metadata::Metadata;
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::ops::spec::WRITE;
use crate::services::file::state::{NonRootPath, Share};
use crate::services::file::wire::{self, NewSmbHeaders};

pub(super) static CREATE_DIRECTORY: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Create Directory",
        selectors: &[Selector::Query("restype", "directory")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 201,
        ..WRITE
    }
);

input! { pub(super) Input {
    at: NonRootPath,
    smb: NewSmbHeaders,
    posix: PosixInput,
    metadata: Metadata,
} }

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let smb = input.smb.input();
    let create = |share: &mut Share| {
        let claimed = share.claim_free(&input.at.0)?;
        let parent = claimed.parent();
        let properties = share.properties_of_new(&smb, input.posix, PosixFileType::Directory, request.now)?;
        Ok((share.create(claimed, request.now, |new| new.node(Body::Directory, properties, input.metadata)), parent))
    };
    let (node, parent) = files.write(&request, create).await?;
    Ok(wire::written(&node, parent, &request))
}
