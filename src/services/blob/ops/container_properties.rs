//! Get Container Properties.
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;

pub(super) static GET_CONTAINER_PROPERTIES: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Get Container Properties",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container")],
        requires: RequiredPermission::container("r").account_sas_only().or_anonymous(AnonymousAccess::Container),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?.read();
    container.check_container(&request)?;
    let about = container.properties();
    let mut reply = Reply::new(request.spec.status)
        .with_state(container.etag(), about.last_modified)
        .with_metadata(&about.metadata)
        .with_some("x-ms-blob-public-access", about.access.name());
    if request.version >= Version::V2017_11_09 {
        reply = reply.with("x-ms-has-immutability-policy", "false").with("x-ms-has-legal-hold", "false");
    }
    if request.version >= Version::V2019_02_02 {
        let (scope, deny) = wire::preset_told(&about.encryption);
        reply = reply.with("x-ms-default-encryption-scope", scope).with("x-ms-deny-encryption-scope-override", deny);
    }
    if request.version >= Version::V2020_10_02 {
        reply = reply.with("x-ms-immutable-storage-with-versioning-enabled", request.account.immutability.to_string());
    }
    Ok(wire::with_lease(reply, container.lease(), request.now))
}
