//! Put Block List: makes a blob of blocks, those put aside and those of the blob as it is.
use crate::operation::{
    Access, CHECKSUMS, EncryptionCheck, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector,
};
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::tier::TierSupport;
use crate::rules::checksums::ChecksumKinds;
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Block, Body, ContentHeaders};
use crate::services::blob::ops::put_block::{STAGES, check_stages};
use crate::services::blob::wire;
use crate::services::blob::wire::ContentHeaderSource;
use crate::store::content::Content;
use std::collections::HashMap;

pub(super) static PUT_BLOCK_LIST: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Put Block List",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "blocklist")],
        inputs: &[Input::Group(wire::NewBlobHeaders::INPUTS), Input::Group(wire::CONTENT), Input::Group(CHECKSUMS)],
        encryption: EncryptionCheck::Write,
        requires: STAGES,
        access: Access::Write,
        conditions: ConditionSupport::Create,
        lease: LeaseCheck::Required,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

/// The largest list in bytes: fifty thousand of the longest ids, in the longest elements, with room to breathe.
const LIMIT: u64 = 8 << 20;

async fn run(blobs: &Blobs, mut request: Request) -> Result<Reply, StorageError> {
    check_stages(&request)?;
    let given = wire::NewBlobHeaders::read(&request, TierSupport::Standard)?;
    let headers = ContentHeaders::read(&request, ContentHeaderSource::ByName);
    let claimed = request.claimed_checksums()?;
    // Recorded: whatever was claimed, the answer carries the CRC64 of the list (the list itself, not the content).
    let wanted = ChecksumKinds { crc64: request.version >= Version::V2019_02_02, ..claimed.wanted(request.version) };
    let (document, digests) = request.body.document(LIMIT, wanted).await?;
    claimed.check(digests)?;
    let list = wire::read_block_list(&document)?;
    let container = blobs.container(&request)?;
    let keeping = blobs.retention_policy(&request)?;
    let blob = container
        .write(|container| {
            let name = container.claim(&request)?;
            name.check_block_blob()?;
            let stands: HashMap<&BlockId, &Content> =
                name.current().into_iter().flat_map(|blob| blob.body.blocks()).map(|block| (&block.id, &block.content)).collect();
            // A block comes with the key or scope that it was put with, and only the same can make a blob of it.
            let block = |id: &BlockId, content, encryption: &Encryption| -> Result<Block, StorageError> {
                encryption.admits_writer(name.encryption())?;
                Ok(Block { id: id.clone(), content })
            };
            let committed = name.current().map(|blob| &blob.encryption).unwrap_or(&Encryption::Service);
            let chosen = blocks::resolve(
                &list,
                |id| stands.get(id).map(|content| block(id, Content::clone(content), committed)),
                |id| container.staged_block(&name, id, request.now).map(|aside| block(id, aside.content, &aside.encryption)),
            )?;
            let chosen = chosen.into_iter().collect::<Result<Vec<Block>, StorageError>>()?;
            let content = Content::concat(chosen.iter().map(|block| &block.content));
            let body = Body::Block { content, blocks: chosen.into() };
            Ok(container.create(name, request.now, keeping, |new| given.apply(new.blob(body, headers))))
        })
        .await?;
    let reply =
        Reply::new(request.spec.status).with_state(blob.etag(), blob.last_modified).with("x-ms-request-server-encrypted", "true");
    // Recorded: the MD5 is told up to 2018-11-09, the CRC64 since then, whichever the client named.
    let told = ChecksumKinds { md5: request.version < Version::V2019_02_02, crc64: wanted.crc64 };
    Ok(wire::with_digests(wire::with_written(reply, &blob), digests.only(told)))
}
