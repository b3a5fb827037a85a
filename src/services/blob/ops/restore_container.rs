//! Restore Container: restores a deleted container within its retention period, under its own name or another one.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::retention;
use crate::services::blob::blobs::Blobs;

pub(super) static RESTORE_CONTAINER: Operation<Blobs> = operation!(
    restore_container,
    Input,
    OperationSpec {
        name: "Restore Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "undelete")],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    name: String = Header "x-ms-deleted-container-name",
    version: String = Header "x-ms-deleted-container-version",
} }

async fn restore_container(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let account = blobs.account(&request.account.name)?;
    account
        .resources
        .write(|containers| {
            // A malformed version is that of no container: none was created at the beginning of time.
            let created = retention::read_container_version(&input.version).unwrap_or_default();
            containers.restore(&input.name, created, request.target.container()?, request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
