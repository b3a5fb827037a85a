//! Put Block List: creates a blob from uncommitted blocks and from blocks of the current blob.

use crate::operation::{EncryptionCheck, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::blob::blocks;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::tier::TierSupport;
use crate::rules::checksums::{ChecksumKinds, RequestChecksums};
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Block, Body};
use crate::services::blob::ops::put_block::{REQUIRED, check_permission};
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Container;
use crate::services::blob::wire;
use crate::services::blob::wire::NewBlobHeaders;
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::content::Content;
use std::collections::HashMap;

pub(super) static PUT_BLOCK_LIST: Operation<Blobs> = operation!(
    put_block_list,
    Input,
    OperationSpec {
        name: "Put Block List",
        selectors: &[Selector::Query("comp", "blocklist")],
        requires: REQUIRED,
        conditions: ConditionSupport::Create,
        encryption: EncryptionCheck::Write,
        status: 201,
        ..WRITE
    }
);

/// The largest list in bytes: fifty thousand of the longest ids in the longest elements take less.
const LIMIT: u64 = 8 << 20;

input! { pub(super) Input {
    new: NewBlobHeaders,
    content: ContentHeaders,
    checksums: RequestChecksums,
} }

async fn put_block_list(blobs: &Blobs, mut request: Request, input: Input) -> Result<Reply, StorageError> {
    check_permission(&request)?;
    wire::check_unsupported_headers(&request)?;
    let Input { new, content: headers, checksums } = input;
    new.check_tier(TierSupport::Standard)?;
    // The answer has the CRC64 of the list itself, not of the content, whichever checksum the request has (recorded).
    let wanted = ChecksumKinds { crc64: request.version >= Version::V2019_02_02, ..checksums.wanted(request.version) };
    let (document, digests) = request.body.document(LIMIT, wanted).await?;
    checksums.check(digests)?;
    let list = wire::read_block_list(&document)?;
    let retention = blobs.retention_policy(&request)?;
    let commit = |container: &mut Container| {
        let name = container.claim(&request)?;
        name.check_block_blob()?;
        let current: HashMap<&BlockId, &Content> =
            name.current().into_iter().flat_map(|blob| blob.body.blocks()).map(|block| (&block.id, &block.content)).collect();
        // A block can only be committed with the key or the scope that it was put with.
        let block = |id: &BlockId, content, encryption: &Encryption| -> Result<Block, StorageError> {
            encryption.admits_writer(name.encryption())?;
            Ok(Block { id: id.clone(), content })
        };
        let committed = name.current().map(|blob| &blob.encryption).unwrap_or(&Encryption::Service);
        let chosen = blocks::resolve(
            &list,
            |id| current.get(id).map(|content| block(id, Content::clone(content), committed)),
            |id| container.uncommitted_block(&name, id, request.now).map(|staged| block(id, staged.content, &staged.encryption)),
        )?;
        let chosen = chosen.into_iter().collect::<Result<Vec<Block>, StorageError>>()?;
        let content = Content::concat(chosen.iter().map(|block| &block.content));
        let body = Body::Block { content, blocks: chosen.into() };
        container.create(name, request.now, retention, |blob| new.apply(blob.blob(body, headers), request.now))
    };
    let blob = blobs.write(&request, commit).await?;
    // Versions up to 2018-11-09 report the MD5, later ones the CRC64, whichever the request has (recorded).
    let reported = ChecksumKinds { md5: request.version < Version::V2019_02_02, crc64: wanted.crc64 };
    Ok(wire::written(&blob, &request).with_digests(digests.only(reported)))
}
