//! Get and Set Container Metadata.
use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;

pub(super) static GET_CONTAINER_METADATA: Operation<Blobs> = operation!(
    get,
    OperationSpec {
        name: "Get Container Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "metadata")],
        requires: RequiredPermission::container("r").account_sas_only().or_anonymous(AnonymousAccess::Container),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_CONTAINER_METADATA: Operation<Blobs> = operation!(
    set,
    OperationSpec {
        name: "Set Container Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(METADATA)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn get(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let container = blobs.container(&request)?.read();
    container.check_container(&request)?;
    let about = container.properties();
    Ok(Reply::new(request.spec.status).with_state(container.etag(), about.last_modified).with_metadata(&about.metadata))
}

async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let container = blobs.container(&request)?;
    let (etag, stamp) = container
        .write(|container| {
            container.check_container(&request)?;
            container.revise(request.now, |about| about.metadata = metadata);
            Ok((container.etag(), container.properties().last_modified))
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(etag, stamp))
}
