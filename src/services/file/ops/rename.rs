//! Rename File and Rename Directory: a new name for what has another, in the same share. Nothing below a directory is touched.

use crate::operation::{
    Access, FromRequest, Input, METADATA, Operation, OperationSpec, Reply, ReplyFuture, Request, ResourceKind, Selector,
    SourceAccess, SourceAuthorization, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::handle::FileAccess;
use crate::rules::lease;
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static RENAME_FILE: Operation<Files> = row(
    "Rename File",
    &[Selector::Query("comp", "rename")],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(wire::SMB),
        Input::Group(wire::DOTS),
        Input::Group(wire::SOURCE_DOTS),
        Input::Group(METADATA),
        CONTENT_TYPE,
    ],
    |files, request| Ok(Box::pin(run(files, request, WantedNode::File))),
);
pub(super) static RENAME_DIRECTORY: Operation<Files> = row(
    "Rename Directory",
    &[Selector::Query("restype", "directory"), Selector::Query("comp", "rename")],
    &[
        Input::Group(<Asked as FromRequest>::INPUTS),
        Input::Group(wire::SMB),
        Input::Group(wire::DOTS),
        Input::Group(wire::SOURCE_DOTS),
        Input::Group(METADATA),
    ],
    |files, request| Ok(Box::pin(run(files, request, WantedNode::Directory))),
);

const CONTENT_TYPE: Input = wire::CONTENT[0];

const fn row(
    name: &'static str,
    signs: &'static [Selector],
    takes: &'static [Input],
    start: for<'a> fn(&'a Files, Request) -> Result<ReplyFuture<'a>, StorageError>,
) -> Operation<Files> {
    Operation {
        spec: OperationSpec {
            name,
            methods: &["PUT"],
            resource: ResourceKind::Path,
            selectors: signs,
            inputs: takes,
            requires: RequiredPermission::object("w"),
            access: Access::Write,
            status: 200,
            ..OperationSpec::DEFAULT
        },
        start,
    }
}

input! { pub(super) Asked {
    source: String = Header "x-ms-file-rename-source",
    replace: Option<bool> = Header "x-ms-file-rename-replace-if-exists",
    ignore_readonly: Option<bool> = Header "x-ms-file-rename-ignore-readonly",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
    target_lease: Option<lease::LeaseId> = Header "x-ms-destination-lease-id",
} }

/// What a rename needs of its source. The SDKs' tests rename with a signature that may read and write alone.
const MOVES: SourceAccess = SourceAccess {
    header: "x-ms-file-rename-source",
    permit: RequiredPermission::object("dw"),
    opens: SourceAuthorization::Caller,
};

async fn run(files: &Files, request: Request, want: WantedNode) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let given = wire::given(&request)?;
    let metadata = request.metadata()?;
    let content_type = wire::text(&request, "x-ms-content-type");
    let SourceLocation::Here(source) = request.sources.find_for(&request, &asked.source, MOVES)? else {
        return Err(StorageError::invalid_header("x-ms-file-rename-source", asked.source));
    };
    if source.account.name != request.account.name || source.target.share()? != request.target.share()? {
        return Err(ErrorCode::InvalidInput.with_reason("what is renamed stays in its share"));
    }
    let from = source.target.path()?.clone();
    let (replace, despite) = (asked.replace == Some(true), asked.ignore_readonly == Some(true));
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            let moved = share.admit_at(&from, want, FileAccess::Remove, asked.source_lease, request.now, despite)?;
            let claimed = share.claim_for(&request, &moved, replace, despite, asked.target_lease)?;
            let (before, parent) = (moved.smb, claimed.parent());
            let permission = share.permission(&given, moved.sort(), Some(before.permission))?;
            let smb = given.revise(moved.sort(), before, None, permission, request.now)?;
            let node = share.rename(&moved, &claimed, request.now, |node| {
                node.smb = smb;
                if !metadata.is_empty() {
                    node.metadata = metadata;
                }
                if let (Body::File(file), Some(kind)) = (&mut node.body, content_type) {
                    file.headers.content_type = Some(kind.into());
                }
            })?;
            Ok((node, parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &request))
}
