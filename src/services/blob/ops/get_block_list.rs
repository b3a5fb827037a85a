//! Get Block List: the committed blocks of a blob, and the uncommitted ones.

use crate::operation::{FieldLocation, Fields, FromField, Operation, OperationSpec, Reply, Request, Selector, StateQuery};
use crate::rules::auth::permissions::RequiredPermission;
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
        requires: RequiredPermission::object("r"),
        ..READ
    }
);

input! { pub(super) Input {
    lists: BlockListType = Query "blocklisttype",
} }

/// The lists that the answer has.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockListType {
    committed: bool,
    uncommitted: bool,
}

impl FromField for BlockListType {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<BlockListType, StorageError> {
        let text = fields.text(location, name).unwrap_or("committed");
        let (committed, uncommitted) = match text.to_ascii_lowercase().as_str() {
            "committed" => (true, false),
            "uncommitted" => (false, true),
            "all" => (true, true),
            _ => return Err(StorageError::invalid_query(name, text, "Invalid block list type.")),
        };
        Ok(BlockListType { committed, uncommitted })
    }
}

async fn get_block_list(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    let BlockListType { committed, uncommitted } = input.lists;
    let container = blobs.container(&request)?.read();
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
