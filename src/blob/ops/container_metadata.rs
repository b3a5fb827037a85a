//! Get and Set Container Metadata.
use super::super::blobs::Blobs;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static GET_CONTAINER_METADATA: Op<Blobs> = Op {
    row: Row {
        name: "Get Container Metadata",
        methods: &["GET", "HEAD"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container"), Sign::Query("comp", "metadata")],
        takes: &[],
        permit: Permit { level: Level::Container, account: "r", service: "", public: Public::Container },
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_CONTAINER_METADATA: Op<Blobs> = Op {
    row: Row {
        name: "Set Container Metadata",
        methods: &["PUT"],
        shape: Shape::Container,
        signs: &[Sign::Query("restype", "container"), Sign::Query("comp", "metadata")],
        takes: &[METADATA],
        permit: Permit { level: Level::Container, account: "w", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Dates,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(set(blobs, call)),
};

async fn get(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let container = blobs.container(&call)?.read();
    container.admit_self(&call)?;
    let about = container.about();
    Ok(Reply::new(call.row.status).with_state(container.etag(), about.stamp).with_metadata(&about.metadata))
}

async fn set(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    let metadata = call.metadata()?;
    let container = blobs.container(&call)?;
    let (etag, stamp) = container
        .write(|container| {
            container.admit_self(&call)?;
            container.revise(call.now, |about| about.metadata = metadata);
            Ok((container.etag(), container.about().stamp))
        })
        .await?;
    Ok(Reply::new(call.row.status).with_state(etag, stamp))
}
