//! Delete Share with everything in it; or, with `sharesnapshot`, one snapshot of it. An account may retain a deleted share for some days.

use crate::operation::{FromText, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_SHARE;
use crate::services::file::state::{DeleteSnapshots, ShareSnapshotQuery};
use crate::services::file::wire::word;

pub(super) static DELETE_SHARE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Delete Share",
        methods: &["DELETE"],
        selectors: &[Selector::Query("restype", "share")],
        requires: RequiredPermission::container("d").account_sas_only(),
        lease: LeaseCheck::Required,
        status: 202,
        ..WRITE_SHARE
    }
);

input! { pub(super) Input {
    delete_snapshots: Option<DeleteSnapshots> = Header "x-ms-delete-snapshots",
    snapshot: ShareSnapshotQuery,
} }

impl FromText for DeleteSnapshots {
    fn from_text(text: &str) -> Option<DeleteSnapshots> {
        word(text, &[("include", DeleteSnapshots::Include), ("include-leased", DeleteSnapshots::IncludeLeased)])
    }
}

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let reply = Reply::new(request.spec.status);
    if let ShareSnapshotQuery(Some(snapshot)) = input.snapshot {
        let share = files.share(&request)?;
        share
            .write(|share| {
                share.admit_share(&request, Some(snapshot))?;
                share.delete_snapshot(snapshot);
                Ok(())
            })
            .await?;
        return Ok(reply);
    }
    let account = files.account(&request.account.name)?;
    account
        .resources
        .write(|shares| {
            // A second deletion succeeds while the first is still in progress (recorded).
            if !shares.contains_key(request.target.share()?) && shares.is_going(request.target.share()?, request.now) {
                return Ok(());
            }
            shares.delete(request.target.share()?, request.now, request.account.share_retention, |share| {
                // A leased snapshot is DeleteShareWhenSnapshotLeased even without the id of the share's own lease (recorded).
                share.check_snapshots(input.delete_snapshots, request.now)?;
                share.admit_share(&request, None).map(|_| ())
            })
        })
        .await?;
    Ok(reply)
}
