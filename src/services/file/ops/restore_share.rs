//! Restore Share: restores a deleted share within its retention period, under its own name or another.

use crate::operation::{Access, FromText, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::retention;
use crate::rules::time::Timestamp;
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static RESTORE_SHARE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Restore Share",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "undelete")],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    name: String = Header "x-ms-deleted-share-name",
    version: DeletedVersion = Header "x-ms-deleted-share-version",
} }

/// The creation time of a deleted share.
#[derive(Debug)]
pub(super) struct DeletedVersion(Timestamp);

impl FromText for DeletedVersion {
    /// A malformed version is the version of no share, which is 404.
    fn from_text(text: &str) -> Option<DeletedVersion> {
        Some(DeletedVersion(retention::read_container_version(text).unwrap_or_default()))
    }
}

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let account = files.account(&request.account.name)?;
    account.resources.write(|shares| shares.restore(&input.name, input.version.0, request.container(), request.now)).await?;
    Ok(wire::share_state(files.share(&request)?.read().properties(), &request))
}
