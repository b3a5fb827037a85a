//! Set and Delete Blob Immutability Policy: until when a blob, a snapshot or a version must stay as it is.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, STATE, Secondary, Selector};
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
    run: |blobs, request| Box::pin(set(blobs, request)),
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
    run: |blobs, request| Box::pin(delete(blobs, request)),
};

const PERMIT: RequiredPermission =
    RequiredPermission { level: ResourceLevel::Object, account: "i", service: "i", public: AnonymousAccess::Never };

takes! { Asked {
    until: String = Header "x-ms-immutability-policy-until-date",
    mode: Option<String> = Header "x-ms-immutability-policy-mode",
} }

async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = Asked::of(&request)?;
    let policy = Policy::read(Some(&asked.until), asked.mode.as_deref(), request.now)?;
    protection::check_account(&request)?;
    let container = blobs.container(&request)?;
    container
        .write(|container| {
            let admitted = container.admit(&request)?;
            policy.map_or(Ok(()), |policy| policy.check_replaces(admitted.protection.policy))?;
            container.amend(admitted, |blob| blob.protection.policy = policy);
            Ok(())
        })
        .await?;
    Ok(protection::with_policy(Reply::new(request.spec.status), policy))
}

async fn delete(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
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
