//! Undelete Blob: brings back what was deleted of a blob within its days of retention. On a blob that is there it does no harm.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static UNDELETE_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Undelete Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "undelete")],
        takes: &[],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let container = blobs.container(&call)?;
    container.write(|container| container.undelete(call.blob(), call.now)).await?;
    Ok(Reply::new(call.row.status))
}
