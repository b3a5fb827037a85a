//! Restore Share: brings a deleted share back within its days of retention, under its name or another one.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::retention;
use crate::services::file::files::Files;

pub(super) static RESTORE_SHARE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Restore Share",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "undelete")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    name: String = Header "x-ms-deleted-share-name",
    version: String = Header "x-ms-deleted-share-version",
} }

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let account = files.account(&request.account.name)?;
    account
        .resources
        .write(|shares| {
            // What is no version is that of no share: nothing was born at the beginning of time.
            let born = retention::read_container_version(&asked.version).unwrap_or_default();
            shares.restore(&asked.name, born, request.target.share()?, request.now)
        })
        .await?;
    let stamp = files.share(&request)?.read().properties().last_modified;
    Ok(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp))
}
