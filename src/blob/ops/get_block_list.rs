//! Get Block List: the blocks that make the blob, and those that wait to.
use super::super::blobs::Blobs;
use super::super::body::Body;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, STATE};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::fault::{Code, Fault};
use crate::rules::{condition::Accepts, lease::Guard};
use super::super::state::BlockLists;
use super::super::wire;
use crate::takes;

pub(super) static GET_BLOCK_LIST: Op<Blobs> = Op {
    row: Row {
        name: "Get Block List",
        methods: &["GET"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "blocklist")],
        takes: &[Asked::FIELDS, STATE],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Never },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    list: Option<String> = Query "blocklisttype",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?.list.unwrap_or_else(|| "committed".to_owned());
    let (committed, uncommitted) = match asked.to_ascii_lowercase().as_str() {
        "committed" => (true, false),
        "uncommitted" => (false, true),
        "all" => (true, true),
        _ => return Err(Fault::query("blocklisttype", asked, "Invalid block list type.")),
    };
    let container = blobs.container(&call)?.read();
    let BlockLists { blob, waiting } = container.block_lists(&call)?;
    if blob.as_ref().is_some_and(|blob| !matches!(blob.body, Body::Block { .. })) {
        return Err(Code::InvalidBlobType.into());
    }
    let stands = blob.as_ref().map(|blob| blob.body.blocks()).unwrap_or_default();
    let document = wire::block_list(committed.then_some(stands), uncommitted.then_some(&*waiting));
    let reply = Reply::xml(call.row.status, document);
    // Recorded: of a name that has no blob yet there is neither state nor length.
    Ok(match &blob {
        Some(blob) => reply.with_state(blob.etag(), blob.stamp).with("x-ms-blob-content-length", blob.size().to_string()),
        None => reply,
    })
}
