//! Delete Directory, which must be empty.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE;
use crate::services::file::state::{NonRootPath, WantedNode};

pub(super) static DELETE_DIRECTORY: Operation<Files> = operation!(
    run,
    NonRootPath,
    OperationSpec {
        name: "Delete Directory",
        methods: &["DELETE"],
        selectors: &[Selector::Query("restype", "directory")],
        requires: RequiredPermission::object("d").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 202,
        ..WRITE
    }
);

async fn run(files: &Files, request: Request, NonRootPath(at): NonRootPath) -> Result<Reply, StorageError> {
    files.write(&request, |share| share.delete(&request, &at, WantedNode::Directory)).await?;
    Ok(Reply::new(request.spec.status))
}
