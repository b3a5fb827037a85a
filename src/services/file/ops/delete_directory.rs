//! Delete Directory, which must be empty.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::{WantedNode, refuse_root};
use crate::services::file::wire;

pub(super) static DELETE_DIRECTORY: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Delete Directory",
        methods: &["DELETE"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory")],
        inputs: &[wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "d", service: "d", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 202,
    },
    run: |files, request| Box::pin(run(files, request)),
};

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
