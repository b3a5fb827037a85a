//! Get Blob Service Stats: how far the secondary has come. Only the secondary is asked; here it is never behind.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, xml::Writer};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static GET_SERVICE_STATS: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob Service Stats",
        methods: &["GET"],
        shape: Shape::Service,
        signs: &[Sign::Query("restype", "service"), Sign::Query("comp", "stats")],
        takes: &[],
        permit: Permit { level: Level::Service, account: "r", service: "", public: Public::Never },
        secondary: Secondary::Only,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |_, call| Box::pin(run(call)),
};

async fn run(call: Call) -> Result<Reply, Fault> {
    let mut xml = Writer::new();
    xml.open("StorageServiceStats").open("GeoReplication");
    xml.leaf("Status", "live").leaf("LastSyncTime", call.now.rfc1123());
    xml.close("GeoReplication").close("StorageServiceStats");
    Ok(Reply::xml(call.row.status, xml.finish()))
}
