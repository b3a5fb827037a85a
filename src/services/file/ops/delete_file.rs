//! Delete File; of a file with several hard links, the one that the request names.

use crate::operation::{Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::state::{CurrentPath, WantedNode};

pub(super) static DELETE_FILE: Operation<Files> = operation!(
    run,
    CurrentPath,
    OperationSpec {
        name: "Delete File",
        methods: &["DELETE"],
        requires: RequiredPermission::object("d").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 202,
        ..WRITE_FILE
    }
);

async fn run(files: &Files, request: Request, at: CurrentPath) -> Result<Reply, StorageError> {
    files.write(&request, |share| share.delete(&request, &at, WantedNode::File)).await?;
    Ok(Reply::new(request.spec.status))
}
