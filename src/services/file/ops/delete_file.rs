//! Delete File; of a file with several hard links, the one that the request names.

use crate::operation::{Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::state::{CurrentPath, WantedNode};

pub(super) static DELETE_FILE: Operation<Files> = operation!(
    run,
    CurrentPath,
    OperationSpec {
        name: "Delete File",
        methods: &["DELETE"],
        requires: RequiredPermission::object("d"),
        status: 202,
        ..WRITE_FILE
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
