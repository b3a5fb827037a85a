//! Abort Copy File: stops a pending copy. What came so far is dropped; the file stays, without content.

use super::super::files::Files;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::condition::Accepts;
use crate::rules::fault::Fault;
use crate::rules::lease::{Guard, Id};
use crate::takes;

pub(super) static ABORT_COPY: Op<Files> = Op {
    row: Row {
        name: "Abort Copy File",
        methods: &["PUT"],
        shape: Shape::Path,
        signs: &[Sign::Query("comp", "copy"), Sign::Header("x-ms-copy-action", "abort")],
        takes: &[Asked::FIELDS, wire::DOTS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 204,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    copy_id: String = Query "copyid",
} }

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let id = Asked::of(&call)?.copy_id;
    let id = Id::parse(&id).ok_or_else(|| Fault::query("copyid", id, "copyid needs to be valid Guid."))?;
    files.share(&call)?.write(|share| share.abort_copy(&call, id.0)).await?;
    Ok(Reply::new(call.row.status))
}
