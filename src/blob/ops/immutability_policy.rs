//! Set and Delete Blob Immutability Policy: until when a blob, a snapshot or a version must stay as it is.

use super::super::{blobs::Blobs, protection};
use crate::op::{Call, Op, Reply, Row, STATE, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::immutability::Policy;
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::takes;

pub(super) static SET_IMMUTABILITY_POLICY: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Immutability Policy",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "immutabilitypolicies")],
        takes: &[Asked::FIELDS, STATE],
        permit: PERMIT,
        secondary: Secondary::Refused,
        accepts: Accepts::Dates,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

pub(super) static DELETE_IMMUTABILITY_POLICY: Op<Blobs> = Op {
    row: Row {
        name: "Delete Blob Immutability Policy",
        methods: &["DELETE"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "immutabilitypolicies")],
        takes: &[STATE],
        permit: PERMIT,
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(delete(blobs, call)),
};

const PERMIT: Permit = Permit { level: Level::Object, account: "i", service: "i", public: Public::Never };

takes! { Asked {
    until: String = Header "x-ms-immutability-policy-until-date",
    mode: Option<String> = Header "x-ms-immutability-policy-mode",
} }

async fn set(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
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
    Ok(protection::with_policy(Reply::new(call.row.status), policy))
}

async fn delete(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
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
    Ok(Reply::new(call.row.status))
}
