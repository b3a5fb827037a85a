//! Service statistics: how far the secondary has come. Only the secondary is asked; here it is never behind.

use crate::operation::xml::Writer;
use crate::operation::{Reply, Request};

/// What Get Service Stats answers.
pub fn answer(request: &Request) -> Reply {
    let mut xml = Writer::new();
    xml.open("StorageServiceStats").open("GeoReplication");
    xml.leaf("Status", "live").leaf("LastSyncTime", request.now.rfc1123());
    xml.close("GeoReplication").close("StorageServiceStats");
    Reply::xml(request.spec.status, xml.finish())
}
