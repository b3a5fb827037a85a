//! Get and Set Share Metadata.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static GET_SHARE_METADATA: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get Share Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(wire::SNAPSHOT)],
        requires: RequiredPermission::container("r").account_sas_only(),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_SHARE_METADATA: Operation<Files> = operation!(
    set,
    OperationSpec {
        name: "Set Share Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "metadata")],
        inputs: &[Input::Group(METADATA)],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let about = share.admit_self(&request)?.about;
    Ok(Reply::new(request.spec.status)
        .with_state(ETag::of(about.last_modified), about.last_modified)
        .with_metadata(&about.metadata))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let metadata = request.metadata()?;
    let share = files.share(&request)?;
    let stamp = share
        .write(|share| {
            share.admit_self(&request)?;
            share.revise(request.now, |about| about.metadata = metadata);
            Ok(share.properties().last_modified)
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp))
}
