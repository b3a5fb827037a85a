//! Get File Properties; and Set File Properties: the size, the headers that describe the content, and the SMB properties.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::posix::{PosixFileType, PosixInput};
use crate::services::file::files::Files;
use crate::services::file::node::Body;
use crate::services::file::ops::create_file::check_size;
use crate::services::file::ops::spec::{READ_FILE, WRITE_FILE};
use crate::services::file::state::{CurrentPath, NodePath, Share, WantedNode};
use crate::services::file::wire::{self, FileContentHeaders, RequiredSmbHeaders};
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::sparse::Sparse;

pub(super) static GET_FILE_PROPERTIES: Operation<Files> =
    operation!(get, NodePath, OperationSpec { name: "Get File Properties", methods: &["HEAD"], ..READ_FILE });

pub(super) static SET_FILE_PROPERTIES: Operation<Files> = operation!(
    set,
    Input,
    OperationSpec { name: "Set File Properties", selectors: &[Selector::Query("comp", "properties")], ..WRITE_FILE }
);

input! { pub(super) Input {
    length: Option<u64> = Header "x-ms-content-length",
    headers: FileContentHeaders,
    smb: RequiredSmbHeaders,
    posix: PosixInput,
    at: CurrentPath,
} }

async fn get(files: &Files, request: Request, at: NodePath) -> Result<Reply, StorageError> {
    let file = files.resource(&request)?.read().admit(&request, &at, WantedNode::File, FileAccess::Look)?;
    let reply = wire::describe(Reply::new(request.spec.status), &file, true, &request);
    // The Content-Length of a GET, without the content.
    Ok(reply.bytes(Sparse::new(0).slice(0..0).into(), file.size()))
}

async fn set(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let size = input.length.map(check_size).transpose()?;
    let (RequiredSmbHeaders(smb), FileContentHeaders(headers)) = (input.smb, input.headers);
    // A request that only resizes a file leaves the headers of the content unchanged (recorded).
    let only_size = size.is_some() && headers == ContentHeaders::default();
    let set = |share: &mut Share| {
        let access = if size.is_some() { FileAccess::Write } else { FileAccess::Describe };
        let file = share.admit(&request, &input.at, WantedNode::File, access)?;
        if let Some(size) = size {
            share.check_range(&file, &(size.min(file.size())..size.max(file.size())), true)?;
            file.content()?;
        }
        let smb = share.smb(&file, &smb, request.now)?;
        let posix = share.posix(input.posix, PosixFileType::File, file.posix.as_deref())?;
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
        Ok((node, file.parent()))
    };
    let (node, parent) = files.write(&request, set).await?;
    Ok(wire::written(&node, parent, &request))
}
