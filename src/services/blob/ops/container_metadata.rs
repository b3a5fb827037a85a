//! Get and Set Container Metadata.
use crate::operation::{METADATA, Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;

pub(super) static GET_CONTAINER_METADATA: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Get Container Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "metadata")],
        inputs: &[],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "r",
            service: "",
            public: AnonymousAccess::Container,
        },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |blobs, request| Box::pin(get(blobs, request)),
};

pub(super) static SET_CONTAINER_METADATA: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Container Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "metadata")],
        inputs: &[METADATA],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "w",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |blobs, request| Box::pin(set(blobs, request)),
};

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
