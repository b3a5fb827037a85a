//! Delete Queue, with its messages.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::queue::queues::Queues;

pub(super) static DELETE_QUEUE: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Delete Queue",
        methods: &["DELETE"],
        resource: ResourceKind::Queue,
        requires: RequiredPermission::container("d").account_sas_only().actions(&[&[RoleAction::QueueDelete]]),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let account = queues.account(&request.account.name)?;
    let deleted = account
        .resources
        .write(|index| {
            let queue = index.get(request.target.resource_name()?).ok_or(ErrorCode::QueueNotFound)?;
            // Closed before its name is free: a concurrent Put Message fails, rather than losing its message.
            queue.edit(|_| Ok(()), true)?;
            Ok(index.remove(request.target.resource_name()?))
        })
        .await?;
    // Freeing many messages takes time, so it happens outside of the lock.
    drop(deleted);
    Ok(Reply::new(request.spec.status))
}
