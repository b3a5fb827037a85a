//! Clear Messages: deletes all messages of a queue, whoever holds them.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
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
    run: |queues, request| Box::pin(run(queues, request)),
};

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let queue = queues.queue(&request)?;
    drop(queue.write(|queue| Ok(queue.clear())).await?);
    Ok(Reply::new(request.spec.status))
}
