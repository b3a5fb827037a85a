//! Peek Messages: looks at the front of a queue, and changes nothing.

use super::super::queues::Queues;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, message};
use crate::takes;

pub(super) static PEEK_MESSAGES: Op<Queues> = Op {
    row: Row {
        name: "Peek Messages",
        methods: &["GET"],
        shape: Shape::Messages,
        signs: &[Sign::Query("peekonly", "true")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    count: Option<String> = Query "numofmessages",
} }

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let count = message::how_many(asked.count.as_deref())?;
    let queue = queues.queue(&call)?.read();
    Ok(Reply::xml(call.row.status, wire::document(queue.peek(count, call.now), wire::Shown::Peeked)))
}
