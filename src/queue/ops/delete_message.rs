//! Delete Message: by who holds it.

use super::super::queues::Queues;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard,
    message::{self, Receipt},
};
use crate::takes;

pub(super) static DELETE_MESSAGE: Op<Queues> = Op {
    row: Row {
        name: "Delete Message",
        methods: &["DELETE"],
        shape: Shape::Message,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "p", service: "p", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    receipt: String = Query "popreceipt",
} }

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    Receipt::check_form(&asked.receipt)?;
    let queue = queues.queue(&call)?;
    let id = message::id(call.message())?;
    queue.write(|queue| queue.delete(id, &asked.receipt, call.now)).await?;
    Ok(Reply::new(call.row.status))
}
