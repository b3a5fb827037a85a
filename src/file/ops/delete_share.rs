//! Delete Share, and what is in it; or, with `sharesnapshot`, one snapshot of it. An account may keep a share for some days.

use super::super::{files::Files, wire};
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::takes;

pub(super) static DELETE_SHARE: Op<Files> = Op {
    row: Row {
        name: "Delete Share",
        methods: &["DELETE"],
        shape: Shape::Share,
        signs: &[Sign::Query("restype", "share")],
        takes: &[Asked::FIELDS, wire::SNAPSHOT],
        permit: Permit { level: Level::Container, account: "d", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::Write,
        status: 202,
    },
    run: |files, call| Box::pin(run(files, call)),
};

takes! { Asked {
    snapshots: Option<String> = Header "x-ms-delete-snapshots",
} }

async fn run(files: &Files, call: Call) -> Result<Reply, Fault> {
    let asked = Asked::of(&call)?;
    let reply = Reply::new(call.row.status);
    if call.query.get("sharesnapshot").is_some_and(|taken| !taken.is_empty()) {
        let share = files.share(&call)?;
        share
            .write(|share| {
                if let Some(taken) = share.admit_self(&call)?.taken {
                    share.remove_snapshot(taken);
                }
                Ok(())
            })
            .await?;
        return Ok(reply);
    }
    let account = files.account(&call.account.name)?;
    account
        .named
        .write(|shares| {
            // Recorded: who deletes a share again while that goes on hears that it is being done.
            if !shares.contains_key(call.container()) && shares.is_going(call.container(), call.now) {
                return Ok(());
            }
            shares.delete(call.container(), call.now, call.account.share_retention, |share| {
                // Recorded: a leased snapshot is DeleteShareWhenSnapshotLeased even where the share's own lease is not shown.
                share.check_snapshots(asked.snapshots.as_deref(), call.now)?;
                share.admit_self(&call).map(|_| ())
            })
        })
        .await?;
    Ok(reply)
}
