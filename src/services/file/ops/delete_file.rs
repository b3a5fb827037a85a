//! Delete File; of a file with several hard links, the one that is named.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary};
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
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let share = files.share(&call)?;
    share
        .write(|share| {
            let file = share.admit(&call, WantedNode::File, FileAccess::Remove)?;
            share.remove(&file, call.now)
        })
        .await?;
    Ok(Reply::new(call.spec.status))
}
