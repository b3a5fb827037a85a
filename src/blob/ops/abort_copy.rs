//! Abort Copy Blob: stops a pending copy. What came so far is dropped; the blob stays, without content.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::condition::Accepts;
use crate::rules::fault::Fault;
use crate::rules::lease::{Guard, Id};
use crate::takes;

pub(super) static ABORT_COPY: Op<Blobs> = Op {
    row: Row {
        name: "Abort Copy Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "copy"), Sign::Header("x-ms-copy-action", "abort")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 204,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    copy_id: String = Query "copyid",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let id = Asked::of(&call)?.copy_id;
    let id = Id::parse(&id).ok_or_else(|| Fault::query("copyid", id, "copyid needs to be valid Guid."))?;
    blobs.container(&call)?.write(|container| container.abort_copy(&call, id.0)).await?;
    Ok(Reply::new(call.row.status))
}
