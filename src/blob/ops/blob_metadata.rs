//! Get and Set Blob Metadata.
use super::super::blobs::Blobs;
use super::super::wire;
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, Secondary, Shape, Sign, STATE, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static GET_BLOB_METADATA: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob Metadata",
        methods: &["GET", "HEAD"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "metadata")],
        takes: &[ENCRYPTED, STATE],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Blob },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_BLOB_METADATA: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Metadata",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "metadata")],
        takes: &[ENCRYPTED, METADATA],
        permit: Permit { level: Level::Object, account: "w", service: "w", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Write,
        lease: Guard::Write,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

async fn get(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let blob = blobs.container(&call)?.read().admit(&call)?;
    Ok(Reply::new(call.row.status).with_state(blob.etag(), blob.stamp).with_metadata(&blob.metadata))
}

/// The metadata that the request carries takes the place of all there was.
async fn set(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let metadata = call.metadata()?;
    let container = blobs.container(&call)?;
    let keeping = blobs.keeping(&call)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            admitted.check_online(call.now)?;
            container.replace_as_version(admitted, call.now, keeping, |blob| blob.metadata = metadata)
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(blob.etag(), blob.stamp).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_made(reply, &blob))
}
