//! Clear Messages: deletes all messages of a queue, whoever holds them.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::queue::queues::Queues;

pub(super) static CLEAR_MESSAGES: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Clear Messages",
        methods: &["DELETE"],
        resource: ResourceKind::Messages,
        selectors: &[],
        inputs: &[],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "d", service: "", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

async fn run(queues: &Queues, call: OperationRequest) -> Result<Reply, StorageError> {
    let queue = queues.queue(&call)?;
    drop(queue.write(|queue| Ok(queue.clear())).await?);
    Ok(Reply::new(call.spec.status))
}
