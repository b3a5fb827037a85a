//! Delete Blob: the blob, its snapshots with it or instead of it, or one snapshot.
use super::super::blobs::Blobs;
use super::super::state::Snapshots;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::takes;

pub(super) static DELETE_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Delete Blob",
        methods: &["DELETE"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[Asked::FIELDS],
        permit: Permit { level: Level::Object, account: "d", service: "d", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 202,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    delete_snapshots: Option<String> = Header "x-ms-delete-snapshots",
    snapshot: Option<String> = Query "snapshot",
} }

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let snapshots = match asked.delete_snapshots.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None => None,
        Some("include") if asked.snapshot.is_none() => Some(Snapshots::Include),
        Some("only") if asked.snapshot.is_none() => Some(Snapshots::Only),
        Some(other) => return Err(Fault::header("x-ms-delete-snapshots", other)),
    };
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            container.remove(&admitted, snapshots)
        })
        .await?;
    Ok(Reply::new(call.row.status).with("x-ms-delete-type-permanent", "true"))
}
