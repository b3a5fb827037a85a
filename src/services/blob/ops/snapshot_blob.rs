//! Snapshot Blob: stores the current state of a blob under the current time. The snapshot shares the bytes of the blob.

use crate::operation::{EncryptionCheck, NamespaceSupport, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Container;
use crate::services::blob::wire;

pub(super) static SNAPSHOT_BLOB: Operation<Blobs> = operation!(
    snapshot_blob,
    Metadata,
    OperationSpec {
        name: "Snapshot Blob",
        namespace: NamespaceSupport::Flat,
        selectors: &[Selector::Query("comp", "snapshot")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        lease: LeaseCheck::IfPresent,
        encryption: EncryptionCheck::Write,
        status: 201,
        ..WRITE
    }
);

async fn snapshot_blob(blobs: &Blobs, request: Request, metadata: Metadata) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let has_metadata = !metadata.is_empty();
    let retention = blobs.retention_policy(&request)?;
    let take = |container: &mut Container| {
        let admitted = container.admit(&request)?;
        admitted.check_online(request.now)?;
        Ok(container.snapshot(admitted, request.now, metadata, retention))
    };
    let snapshot = blobs.write(&request, take).await?;
    let reply = wire::state(&snapshot.blob, &request)
        .with("x-ms-snapshot", snapshot.at.iso())
        .with_some("x-ms-version-id", snapshot.version.map(Timestamp::iso))
        // True only for a snapshot with metadata of its own, which alone writes something (recorded).
        .with("x-ms-request-server-encrypted", has_metadata.to_string());
    Ok(if has_metadata { wire::with_encryption(reply, &snapshot.blob.encryption) } else { reply })
}
