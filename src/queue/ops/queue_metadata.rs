//! Get and Set Queue Metadata; with the former, how many messages there are.

use super::super::queues::Queues;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static GET_QUEUE_METADATA: Op<Queues> = Op {
    row: Row {
        name: "Get Queue Metadata",
        methods: &["GET", "HEAD"],
        shape: Shape::Queue,
        signs: &[Sign::Query("comp", "metadata")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |queues, call| Box::pin(get(queues, call)),
};

pub(super) static SET_QUEUE_METADATA: Op<Queues> = Op {
    row: Row {
        name: "Set Queue Metadata",
        methods: &["PUT"],
        shape: Shape::Queue,
        signs: &[Sign::Query("comp", "metadata")],
        takes: &[METADATA],
        permit: Permit { level: Level::Container, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |queues, call| Box::pin(set(queues, call)),
};

async fn get(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let queue = queues.queue(&call)?.read();
    let count = queue.count(call.now).to_string();
    Ok(Reply::new(call.row.status).with("x-ms-approximate-messages-count", count).with_metadata(queue.metadata()))
}

async fn set(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let metadata = call.metadata()?;
    let queue = queues.queue(&call)?;
    queue
        .write(|queue| {
            queue.set_metadata(metadata);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
