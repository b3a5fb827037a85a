//! Get Block List: the blocks that make the blob, and those that wait to.
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, STATE, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::state::BlockLists;
use crate::services::blob::wire;

pub(super) static GET_BLOCK_LIST: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Get Block List",
        methods: &["GET"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::Query("comp", "blocklist")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(STATE)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        conditions: ConditionSupport::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    list: Option<String> = Query "blocklisttype",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?.list.unwrap_or_else(|| "committed".to_owned());
    let (committed, uncommitted) = match asked.to_ascii_lowercase().as_str() {
        "committed" => (true, false),
        "uncommitted" => (false, true),
        "all" => (true, true),
        _ => return Err(StorageError::invalid_query("blocklisttype", asked, "Invalid block list type.")),
    };
    let container = blobs.container(&request)?.read();
    let BlockLists { blob, waiting } = container.block_lists(&request)?;
    if blob.as_ref().is_some_and(|blob| !matches!(blob.body, Body::Block { .. })) {
        return Err(ErrorCode::InvalidBlobType.into());
    }
    let stands = blob.as_ref().map(|blob| blob.body.blocks()).unwrap_or_default();
    let document = wire::block_list(committed.then_some(stands), uncommitted.then_some(&*waiting));
    let reply = Reply::xml(request.spec.status, document);
    // Recorded: of a name that has no blob yet there is neither state nor length.
    Ok(match &blob {
        Some(blob) => reply.with_state(blob.etag(), blob.last_modified).with("x-ms-blob-content-length", blob.size().to_string()),
        None => reply,
    })
}
