//! Delete Directory, which must be empty.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
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
        requires: RequiredPermission::object("d"),
        status: 202,
        ..WRITE
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
