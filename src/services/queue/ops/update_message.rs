//! Update Message: changes when a message becomes visible, and its text if the request has a body.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::services::queue::inputs::{PopReceipt, UpdateVisibility};
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;

pub(super) static UPDATE_MESSAGE: Operation<Queues> = operation!(
    run,
    UpdateInput,
    OperationSpec {
        name: "Update Message",
        methods: &["PUT"],
        resource: ResourceKind::Message,
        requires: RequiredPermission::object("u").actions(&[&[RoleAction::MessageWrite]]),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) UpdateInput {
    receipt: PopReceipt,
    visible: UpdateVisibility,
} }

async fn run(queues: &Queues, mut request: Request, input: UpdateInput) -> Result<Reply, StorageError> {
    let (PopReceipt(receipt), UpdateVisibility(visible)) = (input.receipt, input.visible);
    let text = wire::read_text(&mut request.body).await?;
    let queue = queues.resource(&request)?;
    let id = message::id(request.target.message_id()?)?;
    let updated = queue.write(|queue| queue.update(id, &receipt, visible, text, request.now)).await?;
    Ok(Reply::new(request.spec.status)
        .with("x-ms-popreceipt", updated.receipt.text())
        .with("x-ms-time-next-visible", updated.visible.rfc1123()))
}
