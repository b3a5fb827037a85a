//! Service statistics: how far the secondary has come. Only the secondary is asked; here it is never behind.

use crate::operation::xml::Writer;
use crate::operation::{OperationRequest, Reply};

/// What Get Service Stats answers.
pub fn answer(call: &OperationRequest) -> Reply {
    let mut xml = Writer::new();
    xml.open("StorageServiceStats").open("GeoReplication");
    xml.leaf("Status", "live").leaf("LastSyncTime", call.now.rfc1123());
    xml.close("GeoReplication").close("StorageServiceStats");
    Reply::xml(call.spec.status, xml.finish())
}
