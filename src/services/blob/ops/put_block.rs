//! Put Block: stores a block, uncommitted until a block list names it.

use crate::operation::{BodyFraming, EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Container;
use crate::services::blob::wire;
use crate::store::content::Content;

pub(super) static PUT_BLOCK: Operation<Blobs> = operation!(
    put_block,
    Input,
    OperationSpec {
        name: "Put Block",
        selectors: &[Selector::Query("comp", "block")],
        requires: REQUIRED,
        conditions: ConditionSupport::None,
        encryption: EncryptionCheck::Write,
        status: 201,
        ..WRITE
    }
);

input! { pub(super) Input {
    id: BlockId = Query "blockid",
    framing: BodyFraming,
    checksums: RequestChecksums,
} }

async fn put_block(blobs: &Blobs, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    check_permission(&request)?;
    let Input { id, framing, checksums } = input;
    framing.check_content(&request.body)?;
    wire::check_unsupported_headers(&request)?;
    let received = request.receive(framing, blocks::put_block_limit(request.version), checksums.wanted(request.version)).await?;
    checksums.check(received.digests)?;
    let reply = stage(blobs, &request, id, received.content).await?;
    Ok(framing.answer(reply.with_digests(received.digests)))
}

/// The permission to put and commit blocks. Permission to create (`c`) is enough only from 2026-06-06 on: see [`check_permission`].
pub(super) const REQUIRED: RequiredPermission = RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite]]);

/// Checks that the caller may write. From 2026-06-06 on, permission to create is enough.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub(super) fn check_permission(request: &Request) -> Result<(), StorageError> {
    match request.version >= Version::V2026_06_06 || request.authorization.allows("w") {
        true => Ok(()),
        false => Err(ErrorCode::AuthorizationPermissionMismatch.into()),
    }
}

/// Adds an uncommitted block to the blob that the request names.
pub(super) async fn stage(blobs: &Blobs, request: &Request, id: BlockId, content: Content) -> Result<Reply, StorageError> {
    let put = |container: &mut Container| {
        let name = container.claim(request)?;
        name.check_block_blob()?;
        let encryption = name.encryption().clone();
        container.stage(name, id, content, request.now)?;
        Ok(encryption)
    };
    let encryption = blobs.write(request, put).await?;
    let reply = Reply::new(request.spec.status).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_encryption(reply, &encryption))
}
