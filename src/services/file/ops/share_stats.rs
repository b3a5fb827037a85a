//! Get Share Stats: the total size of the files in a share.

use crate::operation::xml::Writer;
use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::READ_SHARE;
use crate::services::file::wire;

pub(super) static GET_SHARE_STATS: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Get Share Stats",
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "stats")],
        ..READ_SHARE
    }
);

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let share = files.resource(&request)?.read();
    let view = share.admit_share(&request, None)?;
    let mut xml = Writer::new();
    xml.open("ShareStats").leaf("ShareUsageBytes", view.tree.used().to_string()).close("ShareStats");
    Ok(wire::with_share_state(Reply::xml(request.spec.status, xml.finish()), view.properties))
}
