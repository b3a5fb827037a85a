//! List Containers: the account's containers in order of their names, a page at a time.

use super::super::{blobs::Blobs, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
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

/// What `include=` may ask for; deleted and system containers add nothing yet.
const INCLUDE: &[&str] = &["metadata", "deleted", "system"];

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let containers = blobs.account(&call.account.name)?.named.read();
    listing::answer(&call, &containers, "Containers", INCLUDE, |xml, name, container, include| {
        wire::write_container(xml, name, container, include.contains(&"metadata"), &call);
    })
}
