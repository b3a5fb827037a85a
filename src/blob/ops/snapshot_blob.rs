//! Snapshot Blob: keeps a blob as it is, to be read by the moment of its keeping. It shares the blob's bytes.

use super::super::blobs::Blobs;
use super::super::wire;
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard, time::Timestamp};

pub(super) static SNAPSHOT_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Snapshot Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "snapshot")],
        takes: &[ENCRYPTED, METADATA],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Read,
        status: 201,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

async fn run(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    wire::check_kept(&call)?;
    let metadata = call.metadata()?;
    let writes = !metadata.is_empty();
    let container = blobs.container(&call)?;
    let keeping = blobs.keeping(&call)?;
    let taken = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            admitted.check_online(call.now)?;
            Ok(container.snapshot(admitted, call.now, metadata, keeping))
        })
        .await?;
    let reply = Reply::new(call.row.status)
        .with_state(taken.blob.etag(), taken.blob.stamp)
        .with("x-ms-snapshot", taken.at.iso())
        .with_some("x-ms-version-id", taken.version.map(Timestamp::iso))
        // Recorded: the flag is false where the snapshot is the blob as it was; with metadata of its own something is written.
        .with("x-ms-request-server-encrypted", writes.to_string());
    Ok(if writes { wire::with_encryption(reply, &taken.blob.encryption) } else { reply })
}
