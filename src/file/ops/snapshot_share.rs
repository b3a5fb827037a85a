//! Snapshot Share: the share as it is now, to be read for good.

use super::super::files::Files;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign, METADATA};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};

pub(super) static SNAPSHOT_SHARE: Op<Files> = Op {
    row: Row {
        name: "Snapshot Share",
        methods: &["PUT"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share"), Sign::Query("comp", "snapshot")],
        takes: &[METADATA],
        permit: Permit { level: Level::Container, account: "cw", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Read,
        status: 201,
    },
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let metadata = Some(call.metadata()?).filter(|metadata| !metadata.is_empty());
    let share = files.share(&call)?;
    let (taken, stamp) = share
        .write(|share| {
            share.admit_self(&call)?;
            Ok((share.take_snapshot(metadata, call.now)?, share.about().stamp))
        })
        .await?;
    // Recorded: entity tag and date are the share's, which a snapshot does not change.
    Ok(Reply::new(call.row.status).with_state(ETag::of(stamp), stamp).with("x-ms-snapshot", taken.iso()))
}
