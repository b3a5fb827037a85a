//! Get and Set Container Metadata.
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::services::blob::blobs::Blobs;

pub(super) static GET_CONTAINER_METADATA: Operation<Blobs> = operation!(
    get_container_metadata,
    OperationSpec {
        name: "Get Container Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "metadata")],
        requires: RequiredPermission::container("r").account_sas_only().or_anonymous(AnonymousAccess::Container),
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_CONTAINER_METADATA: Operation<Blobs> = operation!(
    set_container_metadata,
    Metadata,
    OperationSpec {
        name: "Set Container Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "metadata")],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

async fn get_container_metadata(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?.read();
    container.check_container(&request)?;
    let properties = container.properties();
    Ok(Reply::new(request.spec.status).with_state(container.etag(), properties.last_modified).with_metadata(&properties.metadata))
}

async fn set_container_metadata(blobs: &Blobs, request: Request, metadata: Metadata) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?;
    let (etag, last_modified) = container
        .write(|container| {
            container.check_container(&request)?;
            container.revise(request.now, |properties| properties.metadata = metadata);
            Ok((container.etag(), container.properties().last_modified))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(etag, last_modified))
}
