//! Delete Directory, which must be empty.

use super::super::files::Files;
use super::super::state::{WantedNode, refuse_root};
use super::super::wire;
use crate::op::{OperationRequest, Operation, Reply, OperationSpec, Secondary, ResourceKind, Selector};
use crate::rules::access::{ResourceLevel, RequiredPermission, AnonymousAccess};
use crate::rules::handle::FileAccess;
use crate::rules::{condition::ConditionSupport, fault::StorageError, lease::LeaseCheck};

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
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    refuse_root(&call)?;
    let share = files.share(&call)?;
    share
        .write(|share| {
            let directory = share.admit(&call, WantedNode::Directory, FileAccess::Remove)?;
            share.remove(&directory, call.now)
        })
        .await?;
    Ok(Reply::new(call.spec.status))
}
