//! Blob Batch: many deletions, or many changes of tier, in one request. Each part is performed and answered as if it had come alone:
//! with its own authorization, and whatever becomes of the others.

use super::super::blobs::Blobs;
use super::delete_blob::DELETE_BLOB;
use super::set_blob_tier::SET_BLOB_TIER;
use crate::op::{CONTENT_TYPE, Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::batch::{self, Part};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use std::fmt::Write;

pub(super) static BATCH: Op<Blobs> = within(
    "Blob Batch",
    Shape::Service,
    &[Sign::Query("comp", "batch")],
    OF_ACCOUNT,
);

/// What Azure's JavaScript client sends where the account stands in the path: it takes the account for a container.
pub(super) static PATH_STYLE_BATCH: Op<Blobs> = within(
    "Blob Batch (path style)",
    Shape::Service,
    &[Sign::Query("restype", "container"), Sign::Query("comp", "batch")],
    OF_ACCOUNT,
);

pub(super) static CONTAINER_BATCH: Op<Blobs> = within(
    "Blob Batch (container)",
    Shape::Container,
    &[Sign::Query("restype", "container"), Sign::Query("comp", "batch")],
    Permit { level: Level::Container, account: ANY, service: ANY, public: Public::Never },
);

/// Every letter that a SAS for blobs can have: what the parts do needs their own.
const ANY: &str = "racwdxyltfmeopiu";

const OF_ACCOUNT: Permit = Permit { level: Level::Service, account: ANY, service: "", public: Public::Never };

/// What a part can be.
static ROWS: [&Row; 2] = [&DELETE_BLOB.row, &SET_BLOB_TIER.row];

const fn within(name: &'static str, shape: Shape, signs: &'static [Sign], permit: Permit) -> Op<Blobs> {
    Op {
        row: Row {
            name,
            methods: &["POST"],
            shape,
            signs,
            takes: &[CONTENT_TYPE],
            permit,
            secondary: Secondary::Refused,
            accepts: Accepts::None,
            lease: Guard::None,
            status: 202,
        },
        run: |blobs, call| Box::pin(run(blobs, call)),
    }
}

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    if call.row.shape == Shape::Container {
        blobs.container(&call)?;
    }
    let body = call.body.bytes(batch::LONGEST).await?;
    let kind = call.header("content-type").ok_or_else(|| Fault::missing_header("Content-Type"))?;
    let boundary = format!("batchresponse_{}", uuid::Uuid::from_bytes(call.world.id()));
    let mut text = String::new();
    match batch::parse(&kind, &body) {
        Ok(parts) => {
            for part in &parts {
                put(&mut text, &boundary, part.id.as_deref(), &answer(&call, Ok(part)).await);
            }
        }
        // What is wrong with the batch as a whole is told as the answer of a part that has no Content-ID. Azure refused too many parts so
        // (Azure/azure-sdk-for-java#6725), a Content-Type without a boundary (Azure/Azurite#2421), and a malformed body
        // (Azure/azure-rest-api-specs#12782).
        Err(fault) => put(&mut text, &boundary, None, &answer(&call, Err(fault)).await),
    }
    _ = write!(text, "--{boundary}--");
    Ok(Reply::new(call.row.status).with("content-type", format!("multipart/mixed; boundary={boundary}")).text(text))
}

async fn answer(call: &Call, part: Result<&Part, Fault>) -> String {
    call.parts.answer(call, part, &ROWS).await
}

/// Adds a part's answer.
fn put(text: &mut String, boundary: &str, id: Option<&str>, answer: &str) {
    let id = id.map(|id| format!("Content-ID: {id}\r\n")).unwrap_or_default();
    _ = write!(text, "--{boundary}\r\nContent-Type: application/http\r\n{id}\r\n{answer}");
}
