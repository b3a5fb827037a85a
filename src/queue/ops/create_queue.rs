//! Create Queue: creating one that is there already with the same metadata does nothing, and is no mistake.

use super::super::queues::Queues;
use super::super::state::Queue;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::{Code, Fault}, lease::Guard};

pub(super) static CREATE_QUEUE: Op<Queues> = Op {
    row: Row {
        name: "Create Queue",
        methods: &["PUT"],
        shape: Shape::Queue,
        signs: &[],
        takes: &[METADATA],
        permit: Permit { level: Level::Container, account: "cw", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

/// The status when the queue was there already.
const THERE: u16 = 204;

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let metadata = call.metadata()?;
    let account = queues.account(&call.account.name)?;
    let status = account
        .named
        .write(|named| match named.get(call.queue()) {
            Some(queue) if queue.read().metadata().says_as(&metadata) => Ok(THERE),
            Some(_) => Err(Code::QueueAlreadyExists.into()),
            None => {
                named.insert(call.queue().into(), queues.cell(Queue::new(metadata)));
                Ok(call.row.status)
            }
        })
        .await?;
    Ok(Reply::new(status))
}
