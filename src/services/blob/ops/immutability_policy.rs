//! Set and Delete Blob Immutability Policy: until when a blob, a snapshot or a version must stay as it is.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, STATE, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::blob::immutability::Policy;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::protection;
use crate::takes;

pub(super) static SET_IMMUTABILITY_POLICY: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Set Blob Immutability Policy",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "immutabilitypolicies")],
        inputs: &[Asked::FIELDS, STATE],
        requires: PERMIT,
        secondary: Secondary::Refused,
        conditions: ConditionSupport::Dates,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

pub(super) static DELETE_IMMUTABILITY_POLICY: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Delete Blob Immutability Policy",
        methods: &["DELETE"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "immutabilitypolicies")],
        inputs: &[STATE],
        requires: PERMIT,
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(delete(blobs, call)),
};

const PERMIT: RequiredPermission =
    RequiredPermission { level: ResourceLevel::Object, account: "i", service: "i", public: AnonymousAccess::Never };

takes! { Asked {
    until: String = Header "x-ms-immutability-policy-until-date",
    mode: Option<String> = Header "x-ms-immutability-policy-mode",
} }

async fn set(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    let policy = Policy::read(Some(&asked.until), asked.mode.as_deref(), call.now)?;
    protection::check_account(&call)?;
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            policy.map_or(Ok(()), |policy| policy.check_replaces(admitted.protection.policy))?;
            container.amend(admitted, |blob| blob.protection.policy = policy);
            Ok(())
        })
        .await?;
    Ok(protection::with_policy(Reply::new(call.spec.status), policy))
}

async fn delete(blobs: &Blobs, call: OperationRequest) -> Result<Reply, StorageError> {
    protection::check_account(&call)?;
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            admitted.protection.policy.map_or(Ok(()), Policy::check_deleted)?;
            container.amend(admitted, |blob| blob.protection.policy = None);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.spec.status))
}
