//! Get Container Properties.
use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::READ_CONTAINER;
use crate::services::blob::wire;
use crate::services::shared::lease::with_lease;

pub(super) static GET_CONTAINER_PROPERTIES: Operation<Blobs> = operation!(
    get_container_properties,
    OperationSpec {
        name: "Get Container Properties",
        methods: &["GET", "HEAD"],
        selectors: &[Selector::Query("restype", "container")],
        requires: RequiredPermission::container("r")
            .account_sas_only()
            .actions(&[&[RoleAction::ContainerRead]])
            .or_anonymous(AnonymousAccess::Container),
        lease: LeaseCheck::IfPresent,
        ..READ_CONTAINER
    }
);

async fn get_container_properties(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.resource(&request)?.read();
    container.check_container(&request)?;
    let properties = container.properties();
    let mut reply = Reply::new(request.spec.status)
        .with_state(container.etag(), properties.last_modified)
        .with_metadata(&properties.metadata)
        .with_some("x-ms-blob-public-access", properties.access.name());
    if request.version >= Version::V2017_11_09 {
        reply = reply.with("x-ms-has-immutability-policy", "false").with("x-ms-has-legal-hold", "false");
    }
    if request.version >= Version::V2019_02_02 {
        let (scope, deny) = wire::reported_scope(&properties.encryption);
        reply = reply.with("x-ms-default-encryption-scope", scope).with("x-ms-deny-encryption-scope-override", deny);
    }
    if request.version >= Version::V2020_10_02 {
        reply = reply.with("x-ms-immutable-storage-with-versioning-enabled", request.account.immutability.to_string());
    }
    Ok(with_lease(reply, container.lease(), request.now))
}
