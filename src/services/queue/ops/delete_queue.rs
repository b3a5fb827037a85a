//! Delete Queue: its messages go with it.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::queue::queues::Queues;

pub(super) static DELETE_QUEUE: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Delete Queue",
        methods: &["DELETE"],
        resource: ResourceKind::Queue,
        requires: RequiredPermission::container("d").account_sas_only(),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let account = queues.account(&request.account.name)?;
    let deleted = account
        .resources
        .write(|queues| {
            let queue = queues.get(request.target.queue()?).ok_or(ErrorCode::QueueNotFound)?;
            // Closed before its name is free: who is still putting messages there is refused, and none is lost.
            queue.edit(|_| Ok(()), true)?;
            Ok(queues.remove(request.target.queue()?))
        })
        .await?;
    // Only here, where nobody waits for it: letting go of many messages takes time.
    drop(deleted);
    Ok(Reply::new(request.spec.status))
}
