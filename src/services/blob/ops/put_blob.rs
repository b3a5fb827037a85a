//! Put Blob: a block blob in one piece, or an append or page blob without content yet.
use crate::operation::{
    CHECKSUMS, ENCRYPTED, Operation, Request, OperationSpec, Reply, ResourceKind, STRUCTURED_BODY, Secondary,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
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
use crate::takes;
use std::sync::Arc;

pub(super) static PUT_BLOB: Operation<Blobs> = Operation {
    spec: OperationSpec {
        name: "Put Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[],
        inputs: &[
            ENCRYPTED,
            Asked::FIELDS,
            Pages::FIELDS,
            wire::NewBlobHeaders::FIELDS,
            OfNew::FIELDS,
            STRUCTURED_BODY,
            wire::CONTENT,
            CHECKSUMS,
        ],
        requires: RequiredPermission {
            level: ResourceLevel::Object,
            account: "cw",
            service: "cw",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::Create,
        lease: LeaseCheck::Required,
        status: 201,
    },
    run: |blobs, request| Box::pin(run(blobs, request)),
};

takes! { Asked {
    blob_type: String = Header "x-ms-blob-type",
} }

takes! { Pages {
    size: String = Header "x-ms-blob-content-length",
    sequence: Option<String> = Header "x-ms-blob-sequence-number",
} }

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    match Asked::of(&request)?.blob_type.as_str() {
        "BlockBlob" => block(blobs, &mut request).await,
        "AppendBlob" => empty(blobs, &request, Body::Append { content: Sparse::default(), blocks: 0, sealed: false }).await,
        "PageBlob" => {
            let asked = Pages::of(&request)?;
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

    let received = request.receive(blocks::put_blob_limit(request.version), claimed.wanted_of_blob(request.version)).await?;
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
    Ok(wire::with_digests(wire::with_written(reply, &blob), received.digests).with_structured(request))
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
