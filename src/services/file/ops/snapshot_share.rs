//! Snapshot Share: the share as it is now, to be read for good.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;

pub(super) static SNAPSHOT_SHARE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Snapshot Share",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "snapshot")],
        inputs: &[Input::Group(METADATA)],
        requires: RequiredPermission::container("cw").account_sas_only(),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let metadata = Some(request.metadata()?).filter(|metadata| !metadata.is_empty());
    let share = files.share(&request)?;
    let (taken, stamp) = share
        .write(|share| {
            share.admit_self(&request)?;
            Ok((share.take_snapshot(metadata, request.now)?, share.properties().last_modified))
        })
        .await?;
    // Recorded: entity tag and date are the share's, which a snapshot does not change.
    Ok(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp).with("x-ms-snapshot", taken.iso()))
}
