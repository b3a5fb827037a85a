//! Get and Set Blob Metadata.
use crate::operation::{
    Access, EncryptionCheck, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;

pub(super) static GET_BLOB_METADATA: Operation<Blobs> = operation!(
    get,
    OperationSpec {
        name: "Get Blob Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(STATE)],
        encryption: EncryptionCheck::Read,
        requires: RequiredPermission::object("r").or_anonymous(AnonymousAccess::Blob),
        access: Access::Read,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_BLOB_METADATA: Operation<Blobs> = operation!(
    set,
    OperationSpec {
        name: "Set Blob Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(METADATA)],
        encryption: EncryptionCheck::Write,
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn get(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let blob = blobs.container(&request)?.read().admit(&request)?;
    Ok(Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with_metadata(&blob.metadata))
}

/// The metadata that the request carries takes the place of all there was.
async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let container = blobs.container(&request)?;
    let keeping = blobs.retention_policy(&request)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            admitted.check_online(request.now)?;
            container.replace_as_version(admitted, request.now, keeping, |blob| blob.metadata = metadata)
        })
        .await?;
    let reply =
        Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_written(reply, &blob))
}
