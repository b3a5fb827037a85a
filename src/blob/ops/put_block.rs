//! Put Block: keeps a block aside until a block list commits it.
use super::super::blobs::Blobs;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::blocks::{self, BlockId};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
};
use crate::takes;

pub(super) static PUT_BLOCK: Op<Blobs> = Op {
    row: Row {
        name: "Put Block",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "block")],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 201,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    block_id: String = Query "blockid",
} }

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    if call.has_header("x-ms-copy-source") {
        return Err(Code::NotImplemented.saying("Put Block From URL is not implemented yet."));
    }
    let id = BlockId::parse(&Asked::of(&call)?.block_id)?;
    if call.body.announced() == 0 {
        return Err(Fault::header("Content-Length", "0"));
    }
    wire::check_kept(&call)?;
    let claimed = call.claimed_checksums()?;
    let container = blobs.container(&call)?;
    let received = call.body.receive(blocks::put_block_limit(call.version), claimed.wanted(call.version)).await?;
    claimed.check(received.digests)?;
    container
        .write(|container| {
            let name = container.claim(&call)?;
            container.stage(name, id, received.content, call.now)
        })
        .await?;
    let reply = Reply::new(call.row.status).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_digests(reply, received.digests))
}
