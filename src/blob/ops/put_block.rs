//! Put Block: keeps a block aside until a block list commits it.
use super::super::blobs::Blobs;
use super::super::wire;
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, STRUCTURED_BODY, Secondary, Shape, Sign, CHECKSUMS};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::blocks::{self, BlockId};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
    version::Version,
};
use crate::store::content::Content;
use crate::takes;

pub(super) static PUT_BLOCK: Op<Blobs> = Op {
    row: Row {
        name: "Put Block",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "block")],
        takes: &[ENCRYPTED, Asked::FIELDS, STRUCTURED_BODY, CHECKSUMS],
        permit: STAGES,
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
    check_stages(&call)?;
    let id = block_id(&call)?;
    call.check_content()?;
    wire::check_kept(&call)?;
    let claimed = call.claimed_checksums()?;
    let received = call.receive(blocks::put_block_limit(call.version), claimed.wanted(call.version)).await?;
    claimed.check(received.digests)?;
    let reply = stage(blobs, &call, id, received.content).await?;
    Ok(wire::with_digests(reply, received.digests).with_structured(&call))
}

/// Who may put blocks and commit them: from 2026-06-06 on, who may create (`c`) too, which [`check_stages`] holds to its version.
pub(super) const STAGES: Permit = Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never };

/// Checks that a caller who may create and not write asks in a version that lets it put blocks.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub(super) fn check_stages(call: &Call) -> Result<(), Fault> {
    match call.version >= Version::V2026_06_06 || call.grant.allows("w") {
        true => Ok(()),
        false => Err(Code::AuthorizationPermissionMismatch.into()),
    }
}

/// The block id that the request names.
pub(super) fn block_id(call: &Call) -> Result<BlockId, Fault> {
    BlockId::parse(&Asked::of(call)?.block_id)
}

/// Keeps a block aside for the blob that the call names.
pub(super) async fn stage(blobs: &Blobs, call: &Call, id: BlockId, content: Content) -> Result<Reply, Fault> {
    let container = blobs.container(call)?;
    let encryption = container
        .write(|container| {
            let name = container.claim(call)?;
            name.check_block_blob()?;
            let encryption = name.encryption().clone();
            container.stage(name, id, content, call.now)?;
            Ok(encryption)
        })
        .await?;
    let reply = Reply::new(call.row.status).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_encryption(reply, &encryption))
}
