//! Get and Set Share Properties.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::file::share::SettingsInput;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::{READ_SHARE, WRITE_SHARE};
use crate::services::file::state::{ShareProperties, ShareSnapshotQuery};
use crate::services::file::wire;

pub(super) static GET_SHARE_PROPERTIES: Operation<Files> = operation!(
    get,
    ShareSnapshotQuery,
    OperationSpec {
        name: "Get Share Properties",
        methods: &["GET", "HEAD"],
        selectors: &[Selector::Query("restype", "share")],
        ..READ_SHARE
    }
);

pub(super) static SET_SHARE_PROPERTIES: Operation<Files> = operation!(
    set,
    SettingsInput,
    OperationSpec {
        name: "Set Share Properties",
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "properties")],
        requires: RequiredPermission::container("w").account_sas_only().actions(&[&[RoleAction::ShareWrite]]),
        status: 200,
        ..WRITE_SHARE
    }
);

async fn get(files: &Files, request: Request, snapshot: ShareSnapshotQuery) -> Result<Reply, StorageError> {
    let share = files.resource(&request)?.read();
    Ok(wire::describe_share(&share.admit_share(&request, snapshot.0)?, &request))
}

async fn set(files: &Files, request: Request, input: SettingsInput) -> Result<Reply, StorageError> {
    let change = |properties: &mut ShareProperties| {
        properties.settings = properties.settings.apply(input, request.now)?;
        Ok(())
    };
    let properties = files.write(&request, |share| share.set_properties(&request, change)).await?;
    let (settings, last_modified) = (properties.settings, properties.last_modified);
    let reply = wire::with_downgrades(wire::share_state(&properties, &request), &settings, last_modified);
    Ok(wire::with_provision(reply, &settings))
}
