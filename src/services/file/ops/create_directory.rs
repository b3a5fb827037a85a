//! Create Directory.

use crate::operation::{Access, Input, METADATA, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::posix;
use crate::rules::file::smb::NodeKind;
use crate::services::file::files::Files;
use crate::services::file::node::{Body, Node};
use crate::services::file::state::refuse_root;
use crate::services::file::wire;

pub(super) static CREATE_DIRECTORY: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Create Directory",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory")],
        inputs: &[
            Input::Group(wire::SMB),
            Input::Group(wire::SEMANTICS),
            Input::Group(wire::POSIX),
            Input::Group(wire::DOTS),
            Input::Group(METADATA)
        ],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    refuse_root(&request)?;
    let given = wire::given(&request)?;
    given.check_complete(request.version)?;
    let posix = wire::given_posix(&request)?;
    let metadata = request.metadata()?;
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            let claimed = share.claim_free(&request)?;
            let parent = claimed.parent();
            let permission = share.permission(&given, NodeKind::Directory, None)?;
            let smb = given.make(NodeKind::Directory, permission, request.now)?;
            let posix = share.posix(posix, posix::PosixFileType::Directory, None)?;
            Ok((share.create(claimed, request.now, |new| Node { posix, ..new.node(Body::Directory, smb, metadata) }), parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &request))
}
