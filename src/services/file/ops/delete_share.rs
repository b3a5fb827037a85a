//! Delete Share, and what is in it; or, with `sharesnapshot`, one snapshot of it. An account may keep a share for some days.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::wire;

pub(super) static DELETE_SHARE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Delete Share",
        methods: &["DELETE"],
        resource: ResourceKind::Share,
        selectors: &[Selector::Query("restype", "share")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::SNAPSHOT)],
        requires: RequiredPermission::container("d").account_sas_only(),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    snapshots: Option<String> = Header "x-ms-delete-snapshots",
} }

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let reply = Reply::new(request.spec.status);
    if request.query.get("sharesnapshot").is_some_and(|taken| !taken.is_empty()) {
        let share = files.share(&request)?;
        share
            .write(|share| {
                if let Some(taken) = share.admit_self(&request)?.taken {
                    share.remove_snapshot(taken);
                }
                Ok(())
            })
            .await?;
        return Ok(reply);
    }
    let account = files.account(&request.account.name)?;
    account
        .resources
        .write(|shares| {
            // Recorded: who deletes a share again while that goes on hears that it is being done.
            if !shares.contains_key(request.target.share()?) && shares.is_going(request.target.share()?, request.now) {
                return Ok(());
            }
            shares.delete(request.target.share()?, request.now, request.account.share_retention, |share| {
                // Recorded: a leased snapshot is DeleteShareWhenSnapshotLeased even where the share's own lease is not shown.
                share.check_snapshots(asked.snapshots.as_deref(), request.now)?;
                share.admit_self(&request).map(|_| ())
            })
        })
        .await?;
    Ok(reply)
}
