//! Delete Directory, which must be empty.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::services::file::files::Files;
use crate::services::file::state::{NonRootPath, WantedNode};

pub(super) static DELETE_DIRECTORY: Operation<Files> = operation!(
    run,
    NonRootPath,
    OperationSpec {
        name: "Delete Directory",
        methods: &["DELETE"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory")],
        requires: RequiredPermission::object("d"),
        access: Access::Write,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request, NonRootPath(at): NonRootPath) -> Result<Reply, StorageError> {
    let share = files.share(&request)?;
    share
        .write(|share| {
            let node = share.admit(&request, &at, WantedNode::Directory, FileAccess::Remove)?;
            share.remove(&node, request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
