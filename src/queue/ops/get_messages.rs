//! Get Messages: takes messages off the front of a queue, for a while.

use super::super::queues::Queues;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, message};
use crate::takes;

pub(super) static GET_MESSAGES: Op<Queues> = Op {
    row: Row {
        name: "Get Messages",
        methods: &["GET"],
        shape: Shape::Messages,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "p", service: "p", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    count: Option<String> = Query "numofmessages",
    visibility: Option<String> = Query "visibilitytimeout",
    peek: Option<bool> = Query "peekonly",
} }

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    // What is nearly `true` must not take anything.
    if asked.peek == Some(true) {
        return Err(Fault::query("peekonly", " true", "Value is not in the correct format."));
    }
    let count = message::how_many(asked.count.as_deref())?;
    let visible = message::taken_until(asked.visibility.as_deref(), call.now, call.version)?;
    let queue = queues.queue(&call)?;
    // Who finds nothing to take changes nothing.
    if queue.read().peek(1, call.now).next().is_none() {
        return Ok(Reply::xml(call.row.status, wire::document(std::iter::empty(), wire::Shown::Taken)));
    }
    let taken = queue.write(|queue| Ok(queue.take(count, visible, call.now))).await?;
    Ok(Reply::xml(call.row.status, wire::document(taken.iter().map(|message| &**message), wire::Shown::Taken)))
}
