//! Delete Queue: its messages go with it.

use super::super::queues::Queues;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::{Code, Fault}, lease::Guard};

pub(super) static DELETE_QUEUE: Op<Queues> = Op {
    row: Row {
        name: "Delete Queue",
        methods: &["DELETE"],
        shape: Shape::Queue,
        signs: &[],
        takes: &[],
        permit: Permit { level: Level::Container, account: "d", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let account = queues.account(&call.account.name)?;
    let deleted = account
        .named
        .write(|queues| {
            let queue = queues.get(call.queue()).ok_or(Code::QueueNotFound)?;
            // Closed before its name is free: who is still putting messages there is refused, and none is lost.
            queue.edit(|_| Ok(()), true)?;
            Ok(queues.remove(call.queue()))
        })
        .await?;
    // Only here, where nobody waits for it: letting go of many messages takes time.
    drop(deleted);
    Ok(Reply::new(call.row.status))
}
