//! Restore Container: brings a deleted container back within its days of retention, under its name or another one.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::retention;
use crate::services::blob::blobs::Blobs;

pub(super) static RESTORE_CONTAINER: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Restore Container",
        methods: &["PUT"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "undelete")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    name: String = Header "x-ms-deleted-container-name",
    version: String = Header "x-ms-deleted-container-version",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let account = blobs.account(&request.account.name)?;
    account
        .resources
        .write(|containers| {
            // What is no version is that of no container: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            containers.restore(&asked.name, born, request.target.container()?, request.now)
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
