//! List Containers: the account's containers in order of their names, a page at a time.

use super::super::{blobs::Blobs, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, name};
use crate::service::listing;

pub(super) static LIST_CONTAINERS: Op<Blobs> = Op {
    row: Row {
        name: "List Containers",
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
    run: |blobs, call| Box::pin(run(blobs, call)),
};

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata", "deleted", "system"];

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let containers = blobs.account(&call.account.name)?.named.read();
    listing::answer_lines(&call, &containers, "Containers", INCLUDE, &name::SYSTEM, |xml, line, include| {
        wire::write_container(xml, line, include.contains(&"metadata"), &call);
    })
}
