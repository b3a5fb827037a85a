//! Get Share Stats: how many bytes the files of a share have.

use super::super::files::Files;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, xml::Writer};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};

pub(super) static GET_SHARE_STATS: Op<Files> = Op {
    row: Row {
        name: "Get Share Stats",
        methods: &["GET"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "stats")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let share = files.share(&call)?.read();
    let view = share.admit_self(&call)?;
    let mut xml = Writer::new();
    xml.open("ShareStats").leaf("ShareUsageBytes", view.tree.used().to_string()).close("ShareStats");
    let stamp = view.about.stamp;
    Ok(Reply::xml(call.row.status, xml.finish()).with_state(ETag::of(stamp), stamp))
}
