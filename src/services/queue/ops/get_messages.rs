//! Get Messages: takes messages off the front of a queue, for a while.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::queue::message;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;
use crate::takes;

pub(super) static GET_MESSAGES: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Get Messages",
        methods: &["GET"],
        resource: ResourceKind::Messages,
        selectors: &[],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "p", service: "p", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |queues, request| Box::pin(run(queues, request)),
};

takes! { Asked {
    count: Option<String> = Query "numofmessages",
    visibility: Option<String> = Query "visibilitytimeout",
    peek: Option<bool> = Query "peekonly",
} }

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
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
