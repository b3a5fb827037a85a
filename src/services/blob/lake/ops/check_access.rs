//! Check Access: whether the caller has permissions on a path.

use crate::operation::{Input, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::rules::lake::permissions::Rwx;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::access_control::check_namespace;
use crate::services::blob::lake::ops::spec::READ;
use crate::services::blob::wire;

pub(super) static CHECK_ACCESS: Operation<Blobs> = operation!(
    check_access,
    WantedAccess,
    OperationSpec {
        name: "Check Path Access",
        path_action: Some(Action::GetStatus),
        methods: &["HEAD"],
        selectors: &[Selector::Query("action", "checkAccess")],
        requires: RequiredPermission::object("re").actions(&[&[RoleAction::BlobRead]]),
        ..READ
    }
);

parsed_input! {
    /// The permissions that are checked (`fsAction`).
    pub(super) WantedAccess(Rwx) = [Input::required_query("fsaction")],
    |fields| {
        let text = fields.query("fsaction").ok_or_else(|| StorageError::missing_query("fsAction"))?;
        Rwx::parse(text).ok_or_else(|| StorageError::invalid_query("fsAction", text, "It has to be like r-x."))
    }
}

async fn check_access(blobs: &Blobs, request: Request, WantedAccess(wanted): WantedAccess) -> Result<Reply, StorageError> {
    check_namespace(&request)?;
    let container = blobs.resource(&request)?.read();
    let blob = container.admit(&request)?;
    container.check_access(&request.principal, Action::CheckAccess(wanted), request.target.blob()?.0, request.now)?;
    Ok(wire::state(&blob, &request))
}
