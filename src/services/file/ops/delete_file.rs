//! Delete File; of a file with several hard links, the one that the request names.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::{CurrentPath, WantedNode};

pub(super) static DELETE_FILE: Operation<Files> = operation!(
    run,
    CurrentPath,
    OperationSpec {
        name: "Delete File",
        methods: &["DELETE"],
        resource: ResourceKind::Path,
        requires: RequiredPermission::object("d"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request, at: CurrentPath) -> Result<Reply, StorageError> {
    let share = files.share(&request)?;
    share
        .write(|share| {
            let node = share.admit(&request, &at, WantedNode::File, FileAccess::Remove)?;
            share.remove(&node, request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
