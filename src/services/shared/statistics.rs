//! Get Service Stats: the state of replication. Only the secondary endpoint answers it, and is always in sync.

use crate::operation::xml::Writer;
use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::service::ServiceResource;

/// Declares the operation of a service.
pub const fn get<S: ServiceResource>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    operation!(
        answer,
        OperationSpec {
            name,
            methods: &["GET"],
            resource: ResourceKind::Service,
            selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "stats")],
            requires: RequiredPermission::service("r").account_sas_only().actions(S::ACTIONS.service_read),
            secondary: Secondary::Only,
            ..OperationSpec::DEFAULT
        }
    )
}

async fn answer<S: ServiceResource>(_: &ServiceAccounts<S>, request: Request) -> Result<Reply, StorageError> {
    let mut xml = Writer::new();
    xml.open("StorageServiceStats").open("GeoReplication");
    xml.leaf("Status", "live").leaf("LastSyncTime", request.now.rfc1123());
    xml.close("GeoReplication").close("StorageServiceStats");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}
