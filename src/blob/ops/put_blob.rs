//! Put Blob: a block blob in one piece.
use super::super::blobs::Blobs;
use super::super::body::{Body, ContentHeaders};
use super::super::wire::{self, Describes};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::{Claimed, Wanted};
use crate::rules::fault::{Code, Fault};
use crate::rules::{blocks, condition::Accepts, lease::Guard};
use crate::takes;
use std::sync::Arc;

pub(super) static PUT_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Put Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[Asked::FIELDS, wire::Given::FIELDS],
        permit: Permit { level: Level::Object, account: "cw", service: "cw", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::Create,
        lease: Guard::Write,
        status: 201,
    },
    run: |blobs, call| Box::pin(run(blobs, call)),
};

takes! { Asked {
    blob_type: String = Header "x-ms-blob-type",
} }

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    match asked.blob_type.as_str() {
        "BlockBlob" => {}
        "PageBlob" | "AppendBlob" => return Err(Code::NotImplemented.saying("Page blobs and append blobs are not implemented yet.")),
        other => return Err(Fault::header("x-ms-blob-type", other)),
    }
    let given = wire::Given::read(&call)?;
    let claimed = call.claimed_checksums()?;
    let mut headers = ContentHeaders::read(&call, Describes::ByBody);
    let answers = claimed.wanted(call.version);
    let container = blobs.container(&call)?;

    let wanted = Wanted { md5: true, crc64: answers.crc64 };
    let received = call.body.receive(blocks::put_blob_limit(call.version), wanted).await?;
    claimed.check(received.digests)?;
    Claimed::read(headers.md5.as_deref(), None)?.check(received.digests)?;
    headers.md5 = received.digests.md5.map(|md5| md5.to_string().into());

    let blob = container
        .write(|container| {
            let claimed = container.claim(&call)?;
            Ok(container.create(claimed, call.now, |new| given.apply(new.blob(Body::Block { content: received.content, blocks: Arc::default() }, headers))))
        })
        .await?;
    Ok(Reply::new(call.row.status)
        .with_state(blob.etag(), blob.stamp)
        .with_some("content-md5", received.digests.md5.map(|md5| md5.to_string()))
        .with_some("x-ms-content-crc64", received.digests.crc64.map(|crc64| crc64.to_string()))
        .with("x-ms-request-server-encrypted", "true"))
}
