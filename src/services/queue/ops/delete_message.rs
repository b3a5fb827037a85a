//! Delete Message, with its current pop receipt.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::services::queue::inputs::PopReceipt;
use crate::services::queue::queues::Queues;

pub(super) static DELETE_MESSAGE: Operation<Queues> = operation!(
    run,
    PopReceipt,
    OperationSpec {
        name: "Delete Message",
        methods: &["DELETE"],
        resource: ResourceKind::Message,
        requires: RequiredPermission::object("p").actions(&[&[RoleAction::MessageProcess], &[RoleAction::MessageDelete]]),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

async fn run(queues: &Queues, request: Request, PopReceipt(receipt): PopReceipt) -> Result<Reply, StorageError> {
    let queue = queues.resource(&request)?;
    let id = message::id(request.target.message_id()?)?;
    queue.write(|queue| queue.delete(id, &receipt, request.now)).await?;
    Ok(Reply::new(request.spec.status))
}
