//! Set Blob Legal Hold: a blob, a snapshot or a version stays as it is until the hold is released.

use super::super::{blobs::Blobs, protection};
use crate::op::{Call, Op, Reply, Row, STATE, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::takes;

pub(super) static SET_LEGAL_HOLD: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Legal Hold",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "legalhold")],
        takes: &[Asked::FIELDS, STATE],
        permit: Permit { level: Level::Object, account: "i", service: "i", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    hold: bool = Header "x-ms-legal-hold",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    protection::check_account(&call)?;
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            container.amend(admitted, |blob| blob.protection.hold = Some(asked.hold));
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status).with("x-ms-legal-hold", asked.hold.to_string()))
}
