//! Snapshot Blob: keeps a blob as it is, to be read by the moment of its keeping. It shares the blob's bytes.

use crate::operation::{
    Access, EncryptionCheck, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;

pub(super) static SNAPSHOT_BLOB: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Snapshot Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "snapshot")],
        inputs: &[Input::Group(METADATA)],
        encryption: EncryptionCheck::Write,
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::IfPresent,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let metadata = request.metadata()?;
    let writes = !metadata.is_empty();
    let container = blobs.container(&request)?;
    let keeping = blobs.retention_policy(&request)?;
    let taken = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            admitted.check_online(request.now)?;
            Ok(container.snapshot(admitted, request.now, metadata, keeping))
        })
        .await?;
    let reply = Reply::new(request.spec.status)
        .with_state(taken.blob.etag(), taken.blob.last_modified)
        .with("x-ms-snapshot", taken.at.iso())
        .with_some("x-ms-version-id", taken.version.map(Timestamp::iso))
        // Recorded: the flag is false where the snapshot is the blob as it was; with metadata of its own something is written.
        .with("x-ms-request-server-encrypted", writes.to_string());
    Ok(if writes { wire::with_encryption(reply, &taken.blob.encryption) } else { reply })
}
