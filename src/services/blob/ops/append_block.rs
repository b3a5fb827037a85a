//! Append Block and Append Blob Seal: a block is added at the end of an append blob, until the blob is sealed.

use crate::operation::{BodyFraming, EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::blocks;
use crate::rules::checksums::RequestChecksums;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Container;
use crate::services::blob::wire;
use crate::store::content::Content;

pub(super) static APPEND_BLOCK: Operation<Blobs> = operation!(
    append_block,
    Input,
    OperationSpec {
        name: "Append Block",
        path_action: Some(Action::Append),
        selectors: &[Selector::Query("comp", "appendblock")],
        requires: RequiredPermission::object("aw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        encryption: EncryptionCheck::Write,
        status: 201,
        ..WRITE
    }
);

pub(super) static SEAL: Operation<Blobs> = operation!(
    seal,
    AppendConditions,
    OperationSpec {
        name: "Append Blob Seal",
        selectors: &[Selector::Query("comp", "seal")],
        requires: RequiredPermission::object("aw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        ..WRITE
    }
);

input! { pub(super) AppendConditions {
    position: Option<u64> = Header "x-ms-blob-condition-appendpos",
    max_size: Option<u64> = Header "x-ms-blob-condition-maxsize",
} }

input! { pub(super) Input {
    conditions: AppendConditions,
    framing: BodyFraming,
    checksums: RequestChecksums,
} }

async fn append_block(blobs: &Blobs, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    let Input { conditions, framing, checksums } = input;
    framing.check_content(&request.body)?;
    wire::check_unsupported_headers(&request)?;
    request.conditions.check_file_times()?;
    let wanted = checksums.wanted(request.version);
    let received = request.receive(framing, blocks::append_block_limit(request.version), wanted).await?;
    checksums.check(received.digests)?;
    let reply = append(blobs, &request, &conditions, &received.content).await?;
    Ok(framing.answer(reply.with_digests(received.digests)))
}

/// Adds bytes to the end of the blob that the request names.
pub(super) async fn append(
    blobs: &Blobs,
    request: &Request,
    conditions: &AppendConditions,
    bytes: &Content,
) -> Result<Reply, StorageError> {
    let append = |container: &mut Container| {
        let admitted = container.admit(request)?;
        let Body::Append { content, blocks, sealed } = &admitted.body else { return Err(ErrorCode::InvalidBlobType.into()) };
        if *sealed {
            return Err(ErrorCode::BlobIsSealed.into());
        }
        let offset = content.len();
        let size = offset + bytes.len();
        conditions.check_position(offset)?;
        if conditions.max_size.is_some_and(|max| size > max) {
            return Err(ErrorCode::MaxBlobSizeConditionNotMet.into());
        }
        if *blocks as usize >= blocks::COMMITTED_BLOCKS {
            return Err(ErrorCode::BlockCountExceedsLimit.into());
        }
        let (mut content, count) = (content.clone(), blocks + 1);
        content.resize(size);
        content.write(offset, bytes, request.now);
        let body = Body::Append { content, blocks: count, sealed: false };
        Ok((offset, count, container.replace(admitted, request.now, |blob| blob.body = body)?))
    };
    let (offset, count, blob) = blobs.write(request, append).await?;
    let reply = wire::state(&blob, request)
        .with("x-ms-blob-append-offset", offset.to_string())
        .with("x-ms-blob-committed-block-count", count.to_string())
        .with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_encryption(reply, &blob.encryption))
}

async fn seal(blobs: &Blobs, request: Request, conditions: AppendConditions) -> Result<Reply, StorageError> {
    let seal = |container: &mut Container| {
        let admitted = container.admit(&request)?;
        let Body::Append { content, blocks, .. } = &admitted.body else { return Err(ErrorCode::InvalidBlobType.into()) };
        conditions.check_position(content.len())?;
        let body = Body::Append { content: content.clone(), blocks: *blocks, sealed: true };
        container.replace(admitted, request.now, |blob| blob.body = body)
    };
    let blob = blobs.write(&request, seal).await?;
    Ok(wire::state(&blob, &request).with("x-ms-blob-sealed", "true"))
}

impl AppendConditions {
    fn check_position(&self, end: u64) -> Result<(), StorageError> {
        match self.position {
            Some(position) if position != end => Err(ErrorCode::AppendPositionConditionNotMet.into()),
            _ => Ok(()),
        }
    }
}
