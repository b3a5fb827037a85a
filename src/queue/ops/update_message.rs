//! Update Message: sets a message aside for a while, with another text if the request carries one.

use super::super::queues::Queues;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard,
    message::{self, Receipt},
};
use crate::takes;

pub(super) static UPDATE_MESSAGE: Op<Queues> = Op {
    row: Row {
        name: "Update Message",
        methods: &["PUT"],
        shape: Shape::Message,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "u", service: "u", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    receipt: String = Query "popreceipt",
    visibility: String = Query "visibilitytimeout",
} }

async fn run(queues: &Queues, mut call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    Receipt::check_form(&asked.receipt)?;
    let visible = message::aside_until(&asked.visibility, call.now)?;
    let text = wire::read_text(&mut call.body).await?;
    let queue = queues.queue(&call)?;
    let id = message::id(call.message())?;
    let updated = queue.write(|queue| queue.update(id, &asked.receipt, visible, text, call.now)).await?;
    Ok(Reply::new(call.row.status)
        .with("x-ms-popreceipt", updated.receipt.text())
        .with("x-ms-time-next-visible", updated.visible.rfc1123()))
}
