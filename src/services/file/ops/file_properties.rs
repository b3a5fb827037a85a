//! Get File Properties, and Set File Properties: its size, what a reader is told of the content, and what Windows knows of it.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::posix;
use crate::rules::file::smb::NodeKind;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::node::{Body, ContentHeaders};
use crate::services::file::ops::create_file::check_size;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;
use crate::store::sparse::Sparse;

pub(super) static GET_FILE_PROPERTIES: Operation<Files> = operation!(
    get,
    OperationSpec {
        name: "Get File Properties",
        methods: &["HEAD"],
        resource: ResourceKind::Path,
        inputs: &[Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        lease: LeaseCheck::IfPresent,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_FILE_PROPERTIES: Operation<Files> = operation!(
    set,
    OperationSpec {
        name: "Set File Properties",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "properties")],
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(wire::CONTENT),
            Input::Group(wire::SMB),
            Input::Group(wire::POSIX),
            Input::Group(wire::DOTS)
        ],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    length: Option<u64> = Header "x-ms-content-length",
} }

async fn get(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let file = files.share(&request)?.read().admit(&request, WantedNode::File, FileAccess::Look)?;
    let reply = wire::describe(Reply::new(request.spec.status), &file, true, &request);
    // The length of what a GET would send, and no byte of it.
    Ok(reply.bytes(Sparse::new(0).slice(0..0).into(), file.size()))
}

async fn set(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let size = request.parse::<Asked>()?.length.map(check_size).transpose()?;
    let given = wire::given(&request)?;
    given.check_complete(request.version)?;
    let posix = wire::given_posix(&request)?;
    let headers = ContentHeaders::read(&request);
    // Recorded: who only resizes a file leaves what is said of its content.
    let only_size = size.is_some() && headers == ContentHeaders::default();
    let share = files.share(&request)?;
    let (node, parent) = share
        .write(|share| {
            let touch = if size.is_some() { FileAccess::Write } else { FileAccess::Describe };
            let file = share.admit(&request, WantedNode::File, touch)?;
            if let Some(size) = size {
                share.check_range(&file, &(size.min(file.size())..size.max(file.size())), true)?;
                file.content()?;
            }
            let (before, parent) = (file.smb, file.parent());
            let permission = share.permission(&given, NodeKind::File, Some(before.permission))?;
            let smb = given.revise(NodeKind::File, before, None, permission, request.now)?;
            let posix = share.posix(posix, posix::PosixFileType::File, file.posix.as_deref())?;
            let node = share.replace(&file, request.now, |node| {
                node.smb = smb;
                node.posix = posix;
                if let Body::File(file) = &mut node.body {
                    size.into_iter().for_each(|size| file.resize(size));
                    if !only_size {
                        file.headers = headers;
                    }
                }
            });
            Ok((node, parent))
        })
        .await?;
    Ok(wire::written(&node, parent, &request))
}
