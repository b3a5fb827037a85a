//! Delete Directory, which must be empty.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::services::file::files::Files;
use crate::services::file::state::{WantedNode, refuse_root};
use crate::services::file::wire;

pub(super) static DELETE_DIRECTORY: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Delete Directory",
        methods: &["DELETE"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory")],
        inputs: &[Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("d"),
        access: Access::Write,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    refuse_root(&request)?;
    let share = files.share(&request)?;
    share
        .write(|share| {
            let directory = share.admit(&request, WantedNode::Directory, FileAccess::Remove)?;
            share.remove(&directory, request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
