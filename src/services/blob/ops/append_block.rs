//! Append Block and Append Blob Seal: an append blob grows by blocks at its end, until it is sealed.

use crate::operation::{
    Access, BodyFraming, CHECKSUMS, EncryptionCheck, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind,
    Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::blocks;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::state::Admitted;
use crate::services::blob::wire;
use crate::store::content::Content;
use crate::store::sparse::Sparse;

pub(super) static APPEND_BLOCK: Operation<Blobs> = operation!(
    append,
    OperationSpec {
        name: "Append Block",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "appendblock")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(BodyFraming::INPUTS), Input::Group(CHECKSUMS)],
        encryption: EncryptionCheck::Write,
        requires: RequiredPermission::object("aw"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SEAL: Operation<Blobs> = operation!(
    seal,
    OperationSpec {
        name: "Append Blob Seal",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "seal")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::object("aw"),
        access: Access::Write,
        conditions: ConditionSupport::Write,
        lease: LeaseCheck::Required,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    position: Option<u64> = Header "x-ms-blob-condition-appendpos",
    max_size: Option<u64> = Header "x-ms-blob-condition-maxsize",
} }

/// What an append blob holds.
struct AppendPosition<'a> {
    content: &'a Sparse,
    blocks: u32,
    sealed: bool,
}

async fn append(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    let framing: BodyFraming = request.parse()?;
    framing.check_content(&request.body)?;
    wire::check_unsupported_headers(&request)?;
    request.conditions.check_file_times()?;
    let claimed = request.claimed_checksums()?;
    let received = request.receive(framing, blocks::append_block_limit(request.version), claimed.wanted(request.version)).await?;
    claimed.check(received.digests)?;
    let reply = add(blobs, &request, &received.content).await?;
    Ok(framing.answer(wire::with_digests(reply, received.digests)))
}

/// Adds bytes to the end of the blob that the call names.
pub(super) async fn add(blobs: &Blobs, request: &Request, bytes: &Content) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let container = blobs.container(request)?;
    let (offset, count, blob) = container
        .write(|container| {
            let admitted = container.admit(request)?;
            let held = held(&admitted)?;
            if held.sealed {
                return Err(ErrorCode::BlobIsSealed.into());
            }
            let offset = held.content.len();
            let size = offset + bytes.len();
            check_position(&asked, offset)?;
            if asked.max_size.is_some_and(|most| size > most) {
                return Err(ErrorCode::MaxBlobSizeConditionNotMet.into());
            }
            if held.blocks as usize >= blocks::COMMITTED_BLOCKS {
                return Err(ErrorCode::BlockCountExceedsLimit.into());
            }
            let mut content = held.content.clone();
            content.resize(size);
            content.write(offset, bytes, request.now);
            let count = held.blocks + 1;
            let body = Body::Append { content, blocks: count, sealed: false };
            Ok((offset, count, container.replace(admitted, request.now, |blob| blob.body = body)?))
        })
        .await?;
    let reply = Reply::new(request.spec.status)
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-blob-append-offset", offset.to_string())
        .with("x-ms-blob-committed-block-count", count.to_string())
        .with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_encryption(reply, &blob.encryption))
}

async fn seal(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let container = blobs.container(&request)?;
    let blob = container
        .write(|container| {
            let admitted = container.admit(&request)?;
            let held = held(&admitted)?;
            check_position(&asked, held.content.len())?;
            let body = Body::Append { content: held.content.clone(), blocks: held.blocks, sealed: true };
            container.replace(admitted, request.now, |blob| blob.body = body)
        })
        .await?;
    Ok(Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-blob-sealed", "true"))
}

fn held(admitted: &Admitted) -> Result<AppendPosition<'_>, StorageError> {
    match &admitted.body {
        Body::Append { content, blocks, sealed } => Ok(AppendPosition { content, blocks: *blocks, sealed: *sealed }),
        Body::Block { .. } | Body::Page { .. } => Err(ErrorCode::InvalidBlobType.into()),
    }
}

fn check_position(asked: &Asked, end: u64) -> Result<(), StorageError> {
    match asked.position {
        Some(position) if position != end => Err(ErrorCode::AppendPositionConditionNotMet.into()),
        _ => Ok(()),
    }
}
