//! Get Messages: takes messages off the front of a queue, for a while.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::queue::message;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;

pub(super) static GET_MESSAGES: Operation<Queues> = operation!(
    run,
    OperationSpec {
        name: "Get Messages",
        methods: &["GET"],
        resource: ResourceKind::Messages,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("p"),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    count: Option<String> = Query "numofmessages",
    visibility: Option<String> = Query "visibilitytimeout",
    peek: Option<bool> = Query "peekonly",
} }

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    // What is nearly `true` must not take anything.
    if asked.peek == Some(true) {
        return Err(StorageError::invalid_query("peekonly", " true", "Value is not in the correct format."));
    }
    let count = message::how_many(asked.count.as_deref())?;
    let visible = message::taken_until(asked.visibility.as_deref(), request.now, request.version)?;
    let queue = queues.queue(&request)?;
    // Who finds nothing to take changes nothing.
    if queue.read().peek(1, request.now).next().is_none() {
        return Ok(Reply::xml(request.spec.status, wire::document(std::iter::empty(), wire::MessageView::Taken)));
    }
    let taken = queue.write(|queue| Ok(queue.take(count, visible, request.now))).await?;
    Ok(Reply::xml(request.spec.status, wire::document(taken.iter().map(|message| &**message), wire::MessageView::Taken)))
}
