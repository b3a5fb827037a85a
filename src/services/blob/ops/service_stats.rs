//! Get Blob Service Stats: how far the secondary has come. Only the secondary is asked; here it is never behind.

use crate::operation::{Access, Operation, OperationSpec, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::services::blob::blobs::Blobs;
use crate::services::shared::statistics;

pub(super) static GET_SERVICE_STATS: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Get Blob Service Stats",
        methods: &["GET"],
        resource: ResourceKind::Service,
        selectors: &[Selector::Query("restype", "service"), Selector::Query("comp", "stats")],
        requires: RequiredPermission::service("r").account_sas_only(),
        access: Access::Read,
        secondary: Secondary::Only,
        status: 200,
        ..OperationSpec::DEFAULT
    },
    start: |_, request| Ok(Box::pin(std::future::ready(Ok(statistics::answer(&request))))),
};
