//! Set and Delete Blob Immutability Policy: until a date, a blob, a snapshot or a version cannot be changed.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::immutability::Policy;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::protection;
use crate::services::blob::state::Blob;

pub(super) static SET_IMMUTABILITY_POLICY: Operation<Blobs> = operation!(
    set_immutability_policy,
    (StateQuery, Policy),
    OperationSpec {
        name: "Set Blob Immutability Policy",
        selectors: &[Selector::Query("comp", "immutabilitypolicies")],
        requires: PERMISSION,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::None,
        ..WRITE
    }
);

pub(super) static DELETE_IMMUTABILITY_POLICY: Operation<Blobs> = operation!(
    delete_immutability_policy,
    StateQuery,
    OperationSpec {
        name: "Delete Blob Immutability Policy",
        methods: &["DELETE"],
        selectors: &[Selector::Query("comp", "immutabilitypolicies")],
        requires: PERMISSION,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        ..WRITE
    }
);

const PERMISSION: RequiredPermission = RequiredPermission::object("i").actions(&[&[RoleAction::BlobImmutability]]);

async fn set_immutability_policy(
    blobs: &Blobs,
    request: Request,
    (_, policy): (StateQuery, Policy),
) -> Result<Reply, StorageError> {
    protection::check_account(&request)?;
    let replace = |blob: &mut Blob| {
        policy.check_replaces(blob.protection.policy)?;
        blob.protection.policy = Some(policy);
        Ok(())
    };
    blobs.amend(&request, replace).await?;
    Ok(protection::with_policy(Reply::new(request.spec.status), Some(policy)))
}

async fn delete_immutability_policy(blobs: &Blobs, request: Request, _: StateQuery) -> Result<Reply, StorageError> {
    protection::check_account(&request)?;
    let delete = |blob: &mut Blob| blob.protection.policy.take().map_or(Ok(()), Policy::check_deleted);
    blobs.amend(&request, delete).await?;
    Ok(Reply::new(request.spec.status))
}
