//! Delete File; of a file with several hard links, the one that is named.

use super::super::files::Files;
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::handle::Touch;
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};

pub(super) static DELETE_FILE: Op<Files> = Op {
    row: Row {
        name: "Delete File",
        methods: &["DELETE"],
        shape: Shape::Path,
        signs: &[],
        takes: &[wire::DOTS],
        permit: Permit { level: Level::Object, account: "d", service: "d", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 202,
    },
    run: |files, call| Box::pin(run(files, call)),
};

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let share = files.share(&call)?;
    share
        .write(|share| {
            let file = share.admit(&call, Want::File, Touch::Remove)?;
            share.remove(&file, call.now)
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
