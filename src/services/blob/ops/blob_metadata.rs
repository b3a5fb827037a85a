//! Get and Set Blob Metadata.
use crate::operation::{
    ENCRYPTED, METADATA, Operation, OperationRequest, OperationSpec, Reply, ResourceKind, STATE, Secondary, Selector,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;

pub(super) static GET_BLOB_METADATA: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Get Blob Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[ENCRYPTED, STATE],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Blob },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_BLOB_METADATA: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Blob Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[ENCRYPTED, METADATA],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

async fn get(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let blob = blobs.container(&call)?.read().admit(&call)?;
    Ok(Reply::new(call.spec.status).with_state(blob.etag(), blob.last_modified).with_metadata(&blob.metadata))
}

/// The metadata that the request carries takes the place of all there was.
async fn set(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let metadata = call.metadata()?;
    let container = blobs.container(&call)?;
    let keeping = blobs.retention_policy(&call)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            admitted.check_online(call.now)?;
            container.replace_as_version(admitted, call.now, keeping, |blob| blob.metadata = metadata)
        })
        .await?;
    let reply =
        Reply::new(call.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_written(reply, &blob))
}
