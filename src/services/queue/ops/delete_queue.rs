//! Delete Queue: its messages go with it.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::queue::queues::Queues;

pub(super) static DELETE_QUEUE: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Delete Queue",
        methods: &["DELETE"],
        resource: ResourceKind::Queue,
        selectors: &[],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "d",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |queues, request| Box::pin(run(queues, request)),
};

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let account = queues.account(&request.account.name)?;
    let deleted = account
        .resources
        .write(|queues| {
            let queue = queues.get(request.queue()).ok_or(ErrorCode::QueueNotFound)?;
            // Closed before its name is free: who is still putting messages there is refused, and none is lost.
            queue.edit(|_| Ok(()), true)?;
            Ok(queues.remove(request.queue()))
        })
        .await?;
    // Only here, where nobody waits for it: letting go of many messages takes time.
    drop(deleted);
    Ok(Reply::new(request.spec.status))
}
