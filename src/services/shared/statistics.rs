//! Get Service Stats: the state of replication. Only the secondary endpoint answers it, and is always in sync.

use crate::operation::xml::Writer;
use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind, Secondary, Selector, Service};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;

/// Declares the operation of a service.
pub const fn get<S: Service>(name: &'static str) -> Operation<S> {
    operation!(
        answer,
        OperationSpec {
            name,
            methods: &["GET"],
            resource: ResourceKind::Service,
            selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "stats")],
            requires: RequiredPermission::service("r").account_sas_only(),
            secondary: Secondary::Only,
            ..OperationSpec::DEFAULT
        }
    )
}

async fn answer<S: Service>(_: &S, request: Request) -> Result<Reply, StorageError> {
    let mut xml = Writer::new();
    xml.open("StorageServiceStats").open("GeoReplication");
    xml.leaf("Status", "live").leaf("LastSyncTime", request.now.rfc1123());
    xml.close("GeoReplication").close("StorageServiceStats");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}
