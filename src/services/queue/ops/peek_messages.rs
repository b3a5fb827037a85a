//! Peek Messages: looks at the front of a queue, and changes nothing.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::queue::message;
use crate::services::queue::queues::Queues;
use crate::services::queue::wire;
use crate::takes;

pub(super) static PEEK_MESSAGES: Operation<Queues> = Operation {
    spec: OperationSpec {
        name: "Peek Messages",
        methods: &["GET"],
        resource: ResourceKind::Messages,
        selectors: &[Selector::Query("peekonly", "true")],
        inputs: &[Asked::FIELDS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |queues, request| Box::pin(run(queues, request)),
};

takes! { Asked {
    count: Option<String> = Query "numofmessages",
} }

async fn run(queues: &Queues, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    let count = message::how_many(asked.count.as_deref())?;
    let queue = queues.queue(&request)?.read();
    Ok(Reply::xml(request.spec.status, wire::document(queue.peek(count, request.now), wire::MessageView::Peeked)))
}
