//! Abort Copy File: aborts a pending copy. The file remains, without content.

use crate::operation::{Access, Fields, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::file::files::Files;
use crate::services::file::state::CurrentPath;

pub(super) static ABORT_COPY: Operation<Files> = operation!(
    run,
    (CopyId, CurrentPath),
    OperationSpec {
        name: "Abort Copy File",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

#[derive(Debug)]
struct CopyId([u8; 16]);

impl FromRequest for CopyId {
    const INPUTS: &'static [Input] = &[Input::required_query("copyid")];

    fn from_request(fields: &Fields<'_>) -> Result<CopyId, StorageError> {
        let text = fields.query("copyid").ok_or_else(|| StorageError::missing_query("copyid"))?;
        let id =
            LeaseId::parse(text).ok_or_else(|| StorageError::invalid_query("copyid", text, "copyid needs to be valid Guid."))?;
        Ok(CopyId(id.0))
    }
}

async fn run(files: &Files, request: Request, (CopyId(id), at): (CopyId, CurrentPath)) -> Result<Reply, StorageError> {
    files.share(&request)?.write(|share| share.abort_copy(&request, &at, id)).await?;
    Ok(Reply::new(request.spec.status))
}
