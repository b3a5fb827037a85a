//! Get Blob Properties, and Set Blob Properties: what a reader is told of the content.
use super::super::service::Blobs;
use super::super::state::ContentHeaders;
use super::super::wire::{self, Describes, Part};
use crate::op::{Call, Op, Reply, Row, STATE, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
};

pub(super) static GET_BLOB_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Get Blob Properties",
        methods: &["HEAD"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[STATE],
        permit: Permit { level: Level::Object, account: "r", service: "r", public: Public::Blob },
        secondary: Secondary::Allowed,
        accepts: Accepts::Read,
        lease: Guard::Read,
        status: 200,
    },
    run: |blobs, call| Box::pin(get(blobs, call)),
};

pub(super) static SET_BLOB_PROPERTIES: Op<Blobs> = Op {
    row: Row {
        name: "Set Blob Properties",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[Sign::Query("comp", "properties")],
        takes: &[],
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
    let reply = wire::describe(Reply::new(call.row.status), &blob, Part::Whole, &call);
    Ok(wire::with_tier(reply, &blob).content(&blob.content, 0, blob.content.len()))
}

/// Headers that ask for a page blob to be resized or its sequence number changed.
const PAGES: [&str; 3] = ["x-ms-blob-content-length", "x-ms-sequence-number-action", "x-ms-blob-sequence-number"];

/// What the request does not say is cleared.
async fn set(blobs: &Blobs, call: Call) -> Result<Reply, Fault> {
    if PAGES.iter().any(|name| call.has_header(name)) {
        return Err(Code::NotImplemented.saying("Page blobs are not implemented yet."));
    }
    let headers = ContentHeaders::read(&call, Describes::ByName);
    let container = blobs.container(&call)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&call)?;
            Ok(container.replace(admitted, call.now, |blob| blob.headers = headers))
        })
        .await?;
    Ok(Reply::new(call.row.status).with_state(blob.etag(), blob.stamp))
}
