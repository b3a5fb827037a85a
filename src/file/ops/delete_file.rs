//! Delete File; of a file with several hard links, the one that is named.

use super::super::files::Files;
use super::super::state::WantedNode;
use super::super::wire;
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, Secondary, ResourceKind};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::handle::FileAccess;
use crate::rules::{condition::ConditionSupport, fault::StorageError, lease::LeaseCheck};

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
