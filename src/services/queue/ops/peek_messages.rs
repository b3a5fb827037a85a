//! Peek Messages: returns messages from the front of a queue and changes nothing.

use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::services::queue::inputs::MessageCount;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;

pub(super) static PEEK_MESSAGES: Operation<Queues> = operation!(
    run,
    MessageCount,
    OperationSpec {
        name: "Peek Messages",
        methods: &["GET"],
        resource: ResourceKind::Messages,
        selectors: &[Selector::Query("peekonly", "true")],
        requires: RequiredPermission::object("r").actions(&[&[RoleAction::MessageRead]]),
        ..OperationSpec::DEFAULT
    }
);

async fn run(queues: &Queues, request: Request, MessageCount(count): MessageCount) -> Result<Reply, StorageError> {
    let queue = queues.resource(&request)?.read();
    Ok(Reply::xml(request.spec.status, wire::document(queue.peek(count, request.now), wire::MessageView::Peek)))
}
