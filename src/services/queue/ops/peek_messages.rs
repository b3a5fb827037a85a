//! Peek Messages: looks at the front of a queue, and changes nothing.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;

pub(super) static PEEK_MESSAGES: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Peek Messages",
        methods: &["GET"],
        resource: ResourceKind::Messages,
        selectors: &[Selector::Query("peekonly", "true")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    count: Option<String> = Query "numofmessages",
} }

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let count = message::how_many(asked.count.as_deref())?;
    let queue = queues.queue(&request)?.read();
    Ok(Reply::xml(request.spec.status, wire::document(queue.peek(count, request.now), wire::MessageView::Peeked)))
}
