//! Snapshot Share: creates a read-only snapshot of the current share.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::metadata::Metadata;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_SHARE;
use crate::services::file::state::Share;
use crate::services::file::wire;

pub(super) static SNAPSHOT_SHARE: Operation<Files> = operation!(
    run,
    Metadata,
    OperationSpec {
        name: "Snapshot Share",
        selectors: &[Selector::Query("restype", "share"), Selector::Query("comp", "snapshot")],
        ..WRITE_SHARE
    }
);

async fn run(files: &Files, request: Request, metadata: Metadata) -> Result<Reply, StorageError> {
    let metadata = Some(metadata).filter(|metadata| !metadata.is_empty());
    let create = |share: &mut Share| {
        let properties = share.admit_share(&request, None)?.properties.clone();
        Ok((share.create_snapshot(metadata, request.now)?, properties))
    };
    let (snapshot, properties) = files.write(&request, create).await?;
    // The entity tag and the date are the share's, which a snapshot does not change (recorded).
    Ok(wire::share_state(&properties, &request).with("x-ms-snapshot", snapshot.iso()))
}
