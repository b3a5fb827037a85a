//! Put Blob: a block blob in one piece, or an append or page blob without content yet.
use crate::operation::{
    Access, BodyFraming, CHECKSUMS, EncryptionCheck, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tier::TierSupport;
use crate::rules::blob::{blocks, pages};
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::ops::set_expiry::OfNew;
use crate::services::blob::wire;
use crate::services::blob::wire::ContentHeaderSource;
use crate::store::sparse::Sparse;
use std::sync::Arc;

pub(super) static PUT_BLOB: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Put Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(<Pages as FromRequest>::INPUTS),
            Input::Group(wire::NewBlobHeaders::INPUTS),
            Input::Group(<OfNew as FromRequest>::INPUTS),
            Input::Group(BodyFraming::INPUTS),
            Input::Group(wire::CONTENT),
            Input::Group(CHECKSUMS)
        ],
        encryption: EncryptionCheck::Write,
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        conditions: ConditionSupport::Create,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    blob_type: String = Header "x-ms-blob-type",
} }

input! { pub(super) Pages {
    size: String = Header "x-ms-blob-content-length",
    sequence: Option<String> = Header "x-ms-blob-sequence-number",
} }

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    match request.parse::<Asked>()?.blob_type.as_str() {
        "BlockBlob" => block(blobs, &mut request).await,
        "AppendBlob" => empty(blobs, &request, Body::Append { content: Sparse::default(), blocks: 0, sealed: false }).await,
        "PageBlob" => {
            let asked = request.parse::<Pages>()?;
            let content = Sparse::new(pages::read_size(&asked.size)?);
            let sequence = asked.sequence.map(|text| pages::read_sequence("x-ms-blob-sequence-number", &text)).transpose()?;
            empty(blobs, &request, Body::Page { content, sequence: sequence.unwrap_or(0) }).await
        }
        other => Err(StorageError::invalid_header("x-ms-blob-type", other)),
    }
}

/// A block blob with the content that the request brings.
async fn block(blobs: &Blobs, request: &mut Request) -> Result<Reply, StorageError> {
    let given = wire::NewBlobHeaders::read(request, TierSupport::Standard)?;
    let expires = OfNew::read(request)?;
    let claimed = request.claimed_checksums()?;
    let mut headers = ContentHeaders::read(request, ContentHeaderSource::ByBody);
    let container = blobs.container(request)?;
    let keeping = blobs.retention_policy(request)?;

    let framing: BodyFraming = request.parse()?;
    let received =
        request.receive(framing, blocks::put_blob_limit(request.version), claimed.wanted_of_blob(request.version)).await?;
    // The blob's own MD5 outranks that of the request: Azurite holds the body against that alone, and nothing says otherwise.
    let stated = RequestChecksums::read(headers.md5.as_deref(), None)?;
    RequestChecksums { md5: stated.md5.or(claimed.md5), ..claimed }.check(received.digests)?;
    headers.md5 = received.digests.md5.map(|md5| md5.to_string().into());

    let body = Body::Block { content: received.content, blocks: Arc::default() };
    let blob = container
        .write(|container| {
            let claimed = container.claim(request)?;
            Ok(container.create(claimed, request.now, keeping, |new| given.apply(new.blob(body, headers)).expiring(expires)))
        })
        .await?;
    let reply =
        Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-request-server-encrypted", "true");
    Ok(framing.answer(wire::with_digests(wire::with_written(reply, &blob), received.digests)))
}

/// An append blob or a page blob, which is created without content.
async fn empty(blobs: &Blobs, request: &Request, body: Body) -> Result<Reply, StorageError> {
    request.check_no_content()?;
    let given = wire::NewBlobHeaders::read(request, wire::tiers_of(&body))?;
    given.check_tier(&body)?;
    let expires = OfNew::read(request)?;
    let headers = ContentHeaders::read(request, ContentHeaderSource::ByBody);
    let container = blobs.container(request)?;
    let keeping = blobs.retention_policy(request)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(request)?;
            Ok(container.create(claimed, request.now, keeping, |new| given.apply(new.blob(body, headers)).expiring(expires)))
        })
        .await?;
    let reply =
        Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_written(reply, &blob))
}
