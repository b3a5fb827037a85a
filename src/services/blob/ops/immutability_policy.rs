//! Set and Delete Blob Immutability Policy: until a date, a blob, a snapshot or a version cannot be changed.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::immutability::Policy;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::protection;

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

const PERMISSION: RequiredPermission = RequiredPermission::object("i");

async fn set_immutability_policy(
    blobs: &Blobs,
    request: Request,
    (_, policy): (StateQuery, Policy),
) -> Result<Reply, StorageError> {
    protection::check_account(&request)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            policy.check_replaces(admitted.protection.policy)?;
            container.amend(admitted, |blob| blob.protection.policy = Some(policy));
            Ok(())
        })
        .await?;
    Ok(protection::with_policy(Reply::new(request.spec.status), Some(policy)))
}

async fn delete_immutability_policy(blobs: &Blobs, request: Request, _: StateQuery) -> Result<Reply, StorageError> {
    protection::check_account(&request)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            admitted.protection.policy.map_or(Ok(()), Policy::check_deleted)?;
            container.amend(admitted, |blob| blob.protection.policy = None);
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
