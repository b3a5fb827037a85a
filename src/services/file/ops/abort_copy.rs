//! Abort Copy File: stops a pending copy. What came so far is dropped; the file stays, without content.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static ABORT_COPY: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Abort Copy File",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    copy_id: String = Query "copyid",
} }

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let id = request.parse::<Asked>()?.copy_id;
    let id = LeaseId::parse(&id).ok_or_else(|| StorageError::invalid_query("copyid", id, "copyid needs to be valid Guid."))?;
    files.share(&request)?.write(|share| share.abort_copy(&request, id.0)).await?;
    Ok(Reply::new(request.spec.status))
}
