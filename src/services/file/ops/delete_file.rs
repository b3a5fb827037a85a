//! Delete File; of a file with several hard links, the one that is named.

use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static DELETE_FILE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Delete File",
        methods: &["DELETE"],
        resource: ResourceKind::Path,
        inputs: &[Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("d"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?;
    share
        .write(|share| {
            let file = share.admit(&request, WantedNode::File, FileAccess::Remove)?;
            share.remove(&file, request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
