//! Delete Blob.
use super::super::blobs::Blobs;
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
    if let Some(text) = &asked.delete_snapshots {
        let known = text.eq_ignore_ascii_case("include") || text.eq_ignore_ascii_case("only");
        if !known || asked.snapshot.is_some() {
            return Err(Fault::header("x-ms-delete-snapshots", text));
        }
    }
    let container = blobs.container(&call)?;
    container
        .write(|container| {
            let admitted = container.admit(&call)?;
            // No blob has snapshots yet: «only» finds none to delete, and leaves the blob.
            if asked.delete_snapshots.as_deref().is_none_or(|text| !text.eq_ignore_ascii_case("only")) {
                container.remove(&admitted);
            }
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status).with("x-ms-delete-type-permanent", "true"))
}
