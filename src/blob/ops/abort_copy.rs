//! Abort Copy Blob. Copies are complete at once, so there is never one to abort; what the service says of that is all there is to say.

use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::lease::{Guard, Id};
use crate::rules::condition::Accepts;
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
    Id::parse(&id).ok_or_else(|| Fault::query("copyid", id, "copyid needs to be valid Guid."))?;
    blobs.container(&call)?.read().admit(&call)?;
    Err(Code::NoPendingCopyOperation.into())
}
