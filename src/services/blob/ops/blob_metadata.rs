//! Get and Set Blob Metadata.
use crate::operation::{EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::error::StorageError;
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::metadata::Metadata;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::{READ, WRITE};
use crate::services::blob::state::Container;
use crate::services::blob::wire;

pub(super) static GET_BLOB_METADATA: Operation<Blobs> = operation!(
    get_blob_metadata,
    StateQuery,
    OperationSpec {
        name: "Get Blob Metadata",
        methods: &["GET", "HEAD"],
        selectors: &[Selector::Query("comp", "metadata")],
        encryption: EncryptionCheck::Read,
        ..READ
    }
);

pub(super) static SET_BLOB_METADATA: Operation<Blobs> = operation!(
    set_blob_metadata,
    Metadata,
    OperationSpec {
        name: "Set Blob Metadata",
        selectors: &[Selector::Query("comp", "metadata")],
        encryption: EncryptionCheck::Write,
        ..WRITE
    }
);

async fn get_blob_metadata(blobs: &Blobs, request: Request, _: StateQuery) -> Result<Reply, StorageError> {
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    Ok(wire::state(&blob, &request).with_metadata(&blob.metadata))
}

/// Replaces all metadata of the blob.
async fn set_blob_metadata(blobs: &Blobs, request: Request, metadata: Metadata) -> Result<Reply, StorageError> {
    let retention = blobs.retention_policy(&request)?;
    let set = |container: &mut Container| {
        let admitted = container.admit(&request)?;
        admitted.check_online(request.now)?;
        container.replace_as_version(admitted, request.now, retention, |blob| {
            blob.metadata = if blob.path.is_some() { metadata.without(IS_FOLDER) } else { metadata };
        })
    };
    let blob = blobs.write(&request, set).await?;
    Ok(wire::written(&blob, &request))
}
