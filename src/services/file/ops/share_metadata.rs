//! Get and Set Share Metadata.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::services::file::files::Files;
use crate::services::file::state::{CurrentShare, ShareProperties, ShareSnapshotQuery};
use crate::services::file::wire;

pub(super) static GET_SHARE_METADATA: Operation<Files> = operation!(
    get,
    ShareSnapshotQuery,
    OperationSpec {
        name: "Get Share Metadata",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "metadata")],
        requires: RequiredPermission::container("r").account_sas_only(),
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_SHARE_METADATA: Operation<Files> = operation!(
    set,
    (CurrentShare, Metadata),
    OperationSpec {
        name: "Set Share Metadata",
        methods: &["PUT"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "metadata")],
        requires: RequiredPermission::container("w").account_sas_only(),
        access: Access::Write,
        lease: LeaseCheck::IfPresent,
        ..OperationSpec::DEFAULT
    }
);

async fn get(files: &Files, request: Request, snapshot: ShareSnapshotQuery) -> Result<Reply, StorageError> {
    let share = files.share(&request)?.read();
    let properties = share.admit_share(&request, snapshot.0)?.properties;
    Ok(wire::share_state(properties, &request).with_metadata(&properties.metadata))
}

async fn set(files: &Files, request: Request, (_, metadata): (CurrentShare, Metadata)) -> Result<Reply, StorageError> {
    let share = files.share(&request)?;
    let change = |properties: &mut ShareProperties| {
        properties.metadata = metadata;
        Ok(())
    };
    let properties = share.write(|share| share.set_properties(&request, change)).await?;
    Ok(wire::share_state(&properties, &request))
}
