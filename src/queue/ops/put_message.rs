//! Put Message.

use super::super::queues::Queues;
use super::super::{state::New, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, message, version::Version};
use crate::takes;
use uuid::Uuid;

pub(super) static PUT_MESSAGE: Op<Queues> = Op {
    row: Row {
        name: "Put Message",
        methods: &["POST"],
        shape: Shape::Messages,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "a", service: "a", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

takes! { Asked {
    visibility: Option<String> = Query "visibilitytimeout",
    ttl: Option<String> = Query "messagettl",
} }

async fn run(queues: &Queues, mut call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let (visible, expires) = message::put_terms(asked.visibility.as_deref(), asked.ttl.as_deref(), call.now, call.version)?;
    let text = wire::read_text(&mut call.body).await?.ok_or_else(|| Fault::xml("Error parsing Xml content"))?;
    let new = New { id: Uuid::from_bytes(call.world.id()), text, visible, expires };
    let queue = queues.queue(&call)?;
    let put = queue.write(|queue| Ok(queue.put(new, call.now))).await?;
    if call.version < Version::V2016_05_31 {
        return Ok(Reply::new(call.row.status));
    }
    Ok(Reply::xml(call.row.status, wire::document(std::iter::once(&*put), wire::Shown::Put)))
}
