//! Put Block: keeps a block aside until a block list commits it.
use crate::operation::{
    Access, BodyFraming, CHECKSUMS, EncryptionCheck, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind,
    Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::wire;
use crate::store::content::Content;

pub(super) static PUT_BLOCK: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Put Block",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "block")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(BodyFraming::INPUTS), Input::Group(CHECKSUMS)],
        encryption: EncryptionCheck::Write,
        requires: STAGES,
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    block_id: String = Query "blockid",
} }

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    check_stages(&request)?;
    let id = block_id(&request)?;
    let framing: BodyFraming = request.parse()?;
    framing.check_content(&request.body)?;
    wire::check_unsupported_headers(&request)?;
    let claimed = request.claimed_checksums()?;
    let received = request.receive(framing, blocks::put_block_limit(request.version), claimed.wanted(request.version)).await?;
    claimed.check(received.digests)?;
    let reply = stage(blobs, &request, id, received.content).await?;
    Ok(framing.answer(wire::with_digests(reply, received.digests)))
}

/// Who may put blocks and commit them: from 2026-06-06 on, who may create (`c`) too, which [`check_stages`] holds to its version.
pub(super) const STAGES: RequiredPermission = RequiredPermission::object("cw");

/// Checks that a caller who may create and not write asks in a version that lets it put blocks.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub(super) fn check_stages(request: &Request) -> Result<(), StorageError> {
    match request.version >= Version::V2026_06_06 || request.authorization.allows("w") {
        true => Ok(()),
        false => Err(ErrorCode::AuthorizationPermissionMismatch.into()),
    }
}

/// The block id that the request names.
pub(super) fn block_id(request: &Request) -> Result<BlockId, StorageError> {
    BlockId::parse(&request.parse::<Asked>()?.block_id)
}

/// Keeps a block aside for the blob that the call names.
pub(super) async fn stage(blobs: &Blobs, request: &Request, id: BlockId, content: Content) -> Result<Reply, StorageError> {
    let container = blobs.container(request)?;
    let encryption = container
        .write(|container| {
            let name = container.claim(request)?;
            name.check_block_blob()?;
            let encryption = name.encryption().clone();
            container.stage(name, id, content, request.now)?;
            Ok(encryption)
        })
        .await?;
    let reply = Reply::new(request.spec.status).with("x-ms-request-server-encrypted", "true");
    Ok(wire::with_encryption(reply, &encryption))
}
