//! List Queues: the account's queues in order of their names, a page at a time.

use super::super::queues::Queues;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
    listing::PAGE,
};
use crate::service::listing;

pub(super) static LIST_QUEUES: Op<Queues> = Op {
    row: Row {
        name: "List Queues",
        methods: &["GET"],
        shape: Shape::Service,
        signs: &[Sign::Query("comp", "list")],
        takes: &[listing::FIELDS],
        permit: Permit { level: Level::Service, account: "l", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |queues, call| Box::pin(run(queues, call)),
};

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata"];

async fn run(queues: &Queues, call: Call) -> Result<Reply, Fault> {
    let named = queues.account(&call.account.name)?.named.read();
    let listed = listing::answer(&call, &named, "Queues", INCLUDE, |xml, name, queue, include| {
        xml.open("Queue").leaf("Name", name);
        if include.contains(&"metadata") {
            xml.nest("Metadata", |xml| queue.metadata().iter().for_each(|(name, value)| _ = xml.leaf(name, value)));
        }
        xml.close("Queue");
    });
    // A page of no length is what other services call an input out of range, and this one names the parameter.
    listed.map_err(|fault| match (fault.code(), call.query.get("maxresults")) {
        (Code::OutOfRangeInput, Some(text)) => Fault::query_range("maxresults", text, 1, PAGE as u64),
        _ => fault,
    })
}
