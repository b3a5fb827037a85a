//! Clear Messages: deletes all messages of a queue, including those that are invisible.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::services::queue::queues::Queues;

pub(super) static CLEAR_MESSAGES: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Clear Messages",
        methods: &["DELETE"],
        resource: ResourceKind::Messages,
        requires: RequiredPermission::object("d").account_sas_only().actions(&[&[RoleAction::MessageDelete]]),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let queue = queues.resource(&request)?;
    drop(queue.write(|queue| Ok(queue.clear())).await?);
    Ok(Reply::new(request.spec.status))
}
