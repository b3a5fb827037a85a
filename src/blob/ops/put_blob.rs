//! Put Blob: a block blob in one piece, or an append or page blob without content yet.
use super::super::blobs::Blobs;
use super::super::body::{Body, ContentHeaders};
use super::super::wire::{self, Describes};
use super::set_expiry::OfNew;
use crate::op::{Call, ENCRYPTED, Op, Reply, Row, STRUCTURED_BODY, Secondary, Shape, CHECKSUMS};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::checksum::Claimed;
use crate::rules::{blocks, condition::Accepts, fault::Fault, lease::Guard, pages, tier::Kept};
use crate::store::sparse::Sparse;
use crate::takes;
use std::sync::Arc;

pub(super) static PUT_BLOB: Op<Blobs> = Op {
    row: Row {
        name: "Put Blob",
        methods: &["PUT"],
        shape: Shape::Blob,
        signs: &[],
        takes: &[ENCRYPTED, Asked::FIELDS, Pages::FIELDS, wire::Given::FIELDS, OfNew::FIELDS, STRUCTURED_BODY, wire::CONTENT, CHECKSUMS],
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

takes! { Pages {
    size: String = Header "x-ms-blob-content-length",
    sequence: Option<String> = Header "x-ms-blob-sequence-number",
} }

async fn run(blobs: &Blobs, mut call: Call) -> Result<Reply, Fault> {
    match Asked::of(&call)?.blob_type.as_str() {
        "BlockBlob" => block(blobs, &mut call).await,
        "AppendBlob" => empty(blobs, &call, Body::Append { content: Sparse::default(), blocks: 0, sealed: false }).await,
        "PageBlob" => {
            let asked = Pages::of(&call)?;
            let content = Sparse::new(pages::read_size(&asked.size)?);
            let sequence = asked.sequence.map(|text| pages::read_sequence("x-ms-blob-sequence-number", &text)).transpose()?;
            empty(blobs, &call, Body::Page { content, sequence: sequence.unwrap_or(0) }).await
        }
        other => Err(Fault::header("x-ms-blob-type", other)),
    }
}

/// A block blob with the content that the request brings.
async fn block(blobs: &Blobs, call: &mut Call) -> Result<Reply, Fault> {
    let given = wire::Given::read(call, Kept::Standard)?;
    let expires = OfNew::read(call)?;
    let claimed = call.claimed_checksums()?;
    let mut headers = ContentHeaders::read(call, Describes::ByBody);
    let container = blobs.container(call)?;
    let keeping = blobs.keeping(call)?;

    let received = call.receive(blocks::put_blob_limit(call.version), claimed.wanted_of_blob(call.version)).await?;
    // The blob's own MD5 outranks that of the request: Azurite holds the body against that alone, and nothing says otherwise.
    let stated = Claimed::read(headers.md5.as_deref(), None)?;
    Claimed { md5: stated.md5.or(claimed.md5), ..claimed }.check(received.digests)?;
    headers.md5 = received.digests.md5.map(|md5| md5.to_string().into());

    let body = Body::Block { content: received.content, blocks: Arc::default() };
    let blob = container
        .write(|container| {
            let claimed = container.claim(call)?;
            Ok(container.create(claimed, call.now, keeping, |new| given.apply(new.blob(body, headers)).expiring(expires)))
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(blob.etag(), blob.stamp).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_digests(wire::with_made(reply, &blob), received.digests).with_structured(call))
}

/// An append blob or a page blob, which is created without content.
async fn empty(blobs: &Blobs, call: &Call, body: Body) -> Result<Reply, Fault> {
    call.check_no_content()?;
    let given = wire::Given::read(call, wire::tiers_of(&body))?;
    given.check_tier(&body)?;
    let expires = OfNew::read(call)?;
    let headers = ContentHeaders::read(call, Describes::ByBody);
    let container = blobs.container(call)?;
    let keeping = blobs.keeping(call)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(call)?;
            Ok(container.create(claimed, call.now, keeping, |new| given.apply(new.blob(body, headers)).expiring(expires)))
        })
        .await?;
    let reply = Reply::new(call.row.status).with_state(blob.etag(), blob.stamp).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_made(reply, &blob))
}
