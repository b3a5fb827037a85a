//! Get Messages: returns messages from the front of a queue and makes them invisible for a while.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::services::queue::inputs::{GetVisibility, MessageCount};
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;

pub(super) static GET_MESSAGES: Operation<Queues> = operation!(
    run,
    GetInput,
    OperationSpec {
        name: "Get Messages",
        methods: &["GET"],
        resource: ResourceKind::Messages,
        requires: RequiredPermission::object("p")
            .actions(&[&[RoleAction::MessageProcess], &[RoleAction::MessageDelete, RoleAction::MessageRead]]),
        access: Access::Write,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) GetInput {
    peek: Option<bool> = Query "peekonly",
    count: MessageCount,
    visible: GetVisibility,
} }

async fn run(queues: &Queues, request: Request, input: GetInput) -> Result<Reply, StorageError> {
    // A value that is almost `true`, such as ` true`, must not make messages invisible.
    if input.peek == Some(true) {
        return Err(StorageError::invalid_query("peekonly", " true", "Value is not in the correct format."));
    }
    let (MessageCount(count), GetVisibility(visible)) = (input.count, input.visible);
    let queue = queues.resource(&request)?;
    // Without a visible message, nothing is written.
    if queue.read().peek(1, request.now).next().is_none() {
        return Ok(Reply::xml(request.spec.status, wire::document(std::iter::empty(), wire::MessageView::Get)));
    }
    let messages = queue.write(|queue| Ok(queue.get(count, visible, request.now))).await?;
    Ok(Reply::xml(request.spec.status, wire::document(messages.iter().map(|message| &**message), wire::MessageView::Get)))
}
