//! Delete File; of a file with several hard links, the one that is named.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static DELETE_FILE: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Delete File",
        methods: &["DELETE"],
        resource: ResourceKind::Path,
        selectors: &[],
        inputs: &[wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "d", service: "d", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::Required,
        status: 202,
    },
    run: |files, request| Box::pin(run(files, request)),
};

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
