//! Get and Set Queue ACL: the stored access policies of a queue.

use super::super::queues::Queues;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::service::policies;

pub(super) static GET_QUEUE_ACL: Op<Queues> = Op {
    row: Row {
        name: "Get Queue ACL",
        methods: &["GET", "HEAD"],
        shape: Shape::Queue,
        signs: &[Sign::Query("comp", "acl")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |queues, call| Box::pin(get(queues, call)),
};

pub(super) static SET_QUEUE_ACL: Op<Queues> = Op {
    row: Row {
        name: "Set Queue ACL",
        methods: &["PUT"],
        shape: Shape::Queue,
        signs: &[Sign::Query("comp", "acl")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |queues, call| Box::pin(set(queues, call)),
};

/// The permissions that a policy of a queue can give: read, add, update, process.
const LETTERS: &str = "raup";

async fn get(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let queue = queues.queue(&call)?.read();
    Ok(Reply::xml(call.row.status, policies::document(queue.policies())))
}

async fn set(queues: &Queues, mut call: Call) -> Result<Reply, Fault> {
    let stored = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    let queue = queues.queue(&call)?;
    queue
        .write(|queue| {
            queue.set_policies(stored.into());
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
