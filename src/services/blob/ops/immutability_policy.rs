//! Set and Delete Blob Immutability Policy: until when a blob, a snapshot or a version must stay as it is.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::immutability::Policy;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::protection;

pub(super) static SET_IMMUTABILITY_POLICY: Operation<Blobs> = operation!(
    set,
    OperationSpec {
        name: "Set Blob Immutability Policy",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "immutabilitypolicies")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(STATE)],
        requires: PERMIT,
        access: Access::Write,
        conditions: ConditionSupport::Dates,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static DELETE_IMMUTABILITY_POLICY: Operation<Blobs> = operation!(
    delete,
    OperationSpec {
        name: "Delete Blob Immutability Policy",
        methods: &["DELETE"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "immutabilitypolicies")],
        inputs: &[Input::Group(STATE)],
        requires: PERMIT,
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

const PERMIT: RequiredPermission = RequiredPermission::object("i");

input! { pub(super) Asked {
    until: String = Header "x-ms-immutability-policy-until-date",
    mode: Option<String> = Header "x-ms-immutability-policy-mode",
} }

async fn set(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
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
