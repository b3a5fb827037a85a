//! Get and Set Access Control: the owner, the group, the permissions and the access control list of a path.

use crate::operation::{Fields, FromRequest, Input, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::{Authorization, RequiredPermission, SasScope};
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::lake::acl::AclEntries;
use crate::rules::lake::permissions::Permissions;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::{READ, WRITE};
use crate::services::blob::lake::wire::Upn;
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::{Blob, Container};
use crate::services::blob::wire;
use std::sync::Arc;

pub(super) static GET_ACCESS_CONTROL: Operation<Blobs> = operation!(
    get_access_control,
    Upn,
    OperationSpec {
        name: "Get Path Access Control",
        methods: &["HEAD"],
        path_action: Some(Action::GetStatus),
        selectors: &[Selector::Query("action", "getAccessControl")],
        requires: RequiredPermission::object("re").actions(&[&[RoleAction::BlobRead]]),
        // The service ignores conditions that are not met (tests of the .NET SDK).
        conditions: ConditionSupport::None,
        lease: LeaseCheck::IfPresent,
        ..READ
    }
);

pub(super) static SET_ACCESS_CONTROL: Operation<Blobs> = operation!(
    set_access_control,
    SetInput,
    OperationSpec {
        name: "Set Path Access Control",
        // What it changes decides what more is needed, when the path is known.
        path_action: Some(Action::GetStatus),
        selectors: &[Selector::Query("action", "setAccessControl")],
        requires: RequiredPermission::object("w").service_sas("poe").actions(&[
            &[RoleAction::BlobModifyPermissions],
            &[RoleAction::BlobManageOwnership],
            &[RoleAction::BlobRunAsSuperUser]
        ]),
        lease: LeaseCheck::IfPresent,
        ..WRITE
    }
);

async fn get_access_control(blobs: &Blobs, request: Request, Upn: Upn) -> Result<Reply, StorageError> {
    check_namespace(&request)?;
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    let path = blob.path()?;
    Ok(Reply::headers(request.spec.status)
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-owner", &path.owner)
        .with("x-ms-group", &path.group)
        .with("x-ms-permissions", path.acl.permissions_text())
        .with("x-ms-acl", path.acl.to_string()))
}

input! { pub(super) SetInput {
    owner: Option<String> = Header "x-ms-owner",
    group: Option<String> = Header "x-ms-group",
    access: Option<ChangedAccess>,
} }

const PERMISSIONS: &str = "x-ms-permissions";
const ACL: &str = "x-ms-acl";

/// The new permissions or the new access control list of a path.
#[derive(Debug)]
pub(super) enum ChangedAccess {
    Permissions(Permissions),
    Acl(AclEntries),
}

impl FromRequest for Option<ChangedAccess> {
    const INPUTS: &'static [Input] = &[Input::Headers(&[PERMISSIONS, ACL])];

    /// Returns 400 if the request has both, InvalidPermission or InvaldAccessControlList.
    fn from_request(fields: &Fields<'_>) -> Result<Option<ChangedAccess>, StorageError> {
        match (fields.header(PERMISSIONS), fields.header(ACL)) {
            (Some(_), Some(acl)) => Err(StorageError::invalid_header(ACL, acl)),
            (Some(text), None) => Permissions::parse(text).map(|permissions| Some(ChangedAccess::Permissions(permissions))),
            (None, Some(text)) => AclEntries::parse(text).map(|entries| Some(ChangedAccess::Acl(entries))),
            (None, None) => Ok(None),
        }
    }
}

async fn set_access_control(blobs: &Blobs, request: Request, input: SetInput) -> Result<Reply, StorageError> {
    check_namespace(&request)?;
    check_letters(&request, &input)?;
    let set = |blob: &mut Blob| {
        let before = blob.path()?;
        let acl = match &input.access {
            Some(ChangedAccess::Permissions(permissions)) => before.acl.chmod(*permissions),
            Some(ChangedAccess::Acl(entries)) => before.acl.set(entries, before.kind())?,
            None => before.acl.clone(),
        };
        let changed = |text: &Option<String>, before: &Arc<str>| text.as_deref().map_or_else(|| before.clone(), Arc::from);
        let (owner, group) = (changed(&input.owner, &before.owner), changed(&input.group, &before.group));
        blob.path = Some(Arc::new(PathProperties { owner, group, acl, ..before.clone() }));
        // The ETag and the modification time do not change (recorded).
        Ok(wire::state(blob, &request))
    };
    let edit = |container: &mut Container| {
        let admitted = container.admit(&request)?;
        let path = admitted.path()?;
        let changes = [
            input.access.as_ref().map(|_| Action::SetAccess),
            input.group.as_deref().filter(|group| *group != &*path.group).map(Action::SetGroup),
            input.owner.as_deref().filter(|owner| *owner != &*path.owner).map(|_| Action::SetOwner),
        ];
        for action in changes.into_iter().flatten() {
            container.check_access(&request.principal, action, request.target.blob()?.0, request.now)?;
        }
        container.amend(admitted, set)
    };
    Ok(blobs.write(&request, edit).await?.with("x-ms-namespace-enabled", "true"))
}

/// Checks the letters of a signature of one resource: `p` for permissions and ACLs, `o` for the owner and the group. The owner of the path,
/// whom the signature names, needs no more than `e`.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
fn check_letters(request: &Request, input: &SetInput) -> Result<(), StorageError> {
    let changes = [(input.access.is_some(), "p", "pe"), (input.group.is_some(), "o", "oe"), (input.owner.is_some(), "o", "o")];
    let mut needed = changes.into_iter().filter(|(is_changed, ..)| *is_changed);
    needed.try_for_each(|(_, letters, of_owner)| check_letters_of(request, letters, of_owner))
}

/// Checks that a signature of one resource has one of the letters, which are others for the owner whom the signature names.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub(super) fn check_letters_of(request: &Request, letters: &str, of_owner: &str) -> Result<(), StorageError> {
    let Authorization::Sas { scope: SasScope::Resource, .. } = request.authorization else { return Ok(()) };
    let letters = if request.principal.is_principal() { of_owner } else { letters };
    match request.authorization.allows(letters) {
        true => Ok(()),
        false => Err(request.authorization.missing_permission(letters)),
    }
}

/// Checks that the account has a hierarchical namespace, and so access control lists. Clients recognize a flat account by this
/// error.
///
/// # Errors
/// 400 HierarchicalNamespaceNotEnabled.
pub(super) fn check_namespace(request: &Request) -> Result<(), StorageError> {
    match request.account.hns {
        true => Ok(()),
        false => Err(ErrorCode::HierarchicalNamespaceNotEnabled
            .with_message("This operation is only supported on a hierarchical namespace account.")),
    }
}
