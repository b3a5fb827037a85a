//! Delete Directory, which must be empty.

use super::super::files::Files;
use super::super::state::{Want, refuse_root};
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::handle::Touch;
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static DELETE_DIRECTORY: Op<Files> = Op {
    row: Row {
        name: "Delete Directory",
        methods: &["DELETE"],
        shape: Shape::Path,
        signs: &[Sign::Query("restype", "directory")],
        takes: &[wire::DOTS],
        permit: Permit { level: Level::Object, account: "d", service: "d", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 202,
    },
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    refuse_root(&call)?;
    let share = files.share(&call)?;
    share
        .write(|share| {
            let directory = share.admit(&call, Want::Directory, Touch::Remove)?;
            share.remove(&directory, call.now)
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
