//! Clear Messages: deletes all messages of a queue, whoever holds them.

use super::super::queues::Queues;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static CLEAR_MESSAGES: Op<Queues> = Op {
    row: Row {
        name: "Clear Messages",
        methods: &["DELETE"],
        shape: Shape::Messages,
        signs: &[],
        takes: &[],
        permit: Permit { level: Level::Object, account: "d", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let queue = queues.queue(&call)?;
    drop(queue.write(|queue| Ok(queue.clear())).await?);
    Ok(Reply::new(call.row.status))
}
