//! Abort Copy File: aborts a pending copy. The file remains, without content.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::state::CurrentPath;
use crate::services::shared::copying::CopyId;

pub(super) static ABORT_COPY: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Abort Copy File",
        selectors: &[Selector::Query("comp", "copy"), Selector::Header("x-ms-copy-action", "abort")],
        status: 204,
        ..WRITE_FILE
    }
);

input! { pub(super) Input {
    copy_id: CopyId = Query "copyid",
    at: CurrentPath,
} }

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    files.write(&request, |share| share.abort_copy(&request, &input.at, input.copy_id.0)).await?;
    Ok(Reply::new(request.spec.status))
}
