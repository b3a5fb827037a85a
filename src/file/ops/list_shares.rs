//! List Shares: the account's shares in order of their names, a page at a time, each after its snapshots.

use super::super::{files::Files, state::View, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::service::listing;

pub(super) static LIST_SHARES: Op<Files> = Op {
    row: Row {
        name: "List Shares",
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
    run: |files, call| Box::pin(run(files, call)),
};

/// What `include=` may ask for.
const INCLUDE: &[&str] = &["metadata", "snapshots", "deleted"];

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let shares = files.account(&call.account.name)?.named.read();
    listing::answer_lines(&call, &shares, "Shares", INCLUDE, &[], |xml, line, include| {
        let metadata = include.contains(&"metadata");
        let mut write = |view: &View<'_>| wire::write_share(xml, line, view, metadata, &call);
        if include.contains(&"snapshots") && line.deleted.is_none() {
            line.state.snapshots().for_each(|view| write(&view));
        }
        write(&line.state.live());
    })
}
