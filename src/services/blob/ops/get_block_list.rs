//! Get Block List: the committed blocks of a blob, and the uncommitted ones.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::spec::READ;
use crate::services::blob::state::BlockLists;
use crate::services::blob::wire;

pub(super) static GET_BLOCK_LIST: Operation<Blobs> = operation!(
    get_block_list,
    (StateQuery, Input),
    OperationSpec {
        name: "Get Block List",
        selectors: &[Selector::Query("comp", "blocklist")],
        requires: RequiredPermission::object("r").actions(&[&[RoleAction::BlobRead]]),
        ..READ
    }
);

input! { pub(super) Input {
    lists: Option<BlockListType> = Query "blocklisttype",
} }

words! {
    /// The lists that the answer has.
    pub(super) BlockListType { Committed = "committed", Uncommitted = "uncommitted", All = "all" } or "Invalid block list type."
}

async fn get_block_list(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    let lists = input.lists.unwrap_or(BlockListType::Committed);
    let (committed, uncommitted) = (lists != BlockListType::Uncommitted, lists != BlockListType::Committed);
    let container = blobs.resource(&request)?.read();
    let BlockLists { blob, uncommitted: staged } = container.block_lists(&request)?;
    if blob.as_ref().is_some_and(|blob| !matches!(blob.body, Body::Block { .. })) {
        return Err(ErrorCode::InvalidBlobType.into());
    }
    let blocks = blob.as_ref().map(|blob| blob.body.blocks()).unwrap_or_default();
    let document = wire::block_list(committed.then_some(blocks), uncommitted.then_some(&*staged));
    let reply = Reply::xml(request.spec.status, document);
    // A name that has no blob yet has neither state nor length (recorded).
    Ok(match &blob {
        Some(blob) => reply.with_state(blob.etag(), blob.last_modified).with("x-ms-blob-content-length", blob.size().to_string()),
        None => reply,
    })
}
