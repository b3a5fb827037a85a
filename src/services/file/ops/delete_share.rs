//! Delete Share with everything in it; or, with `sharesnapshot`, one snapshot of it. An account may retain a deleted share for some days.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_SHARE;
use crate::services::file::state::{DeleteSnapshots, Share, ShareSnapshotQuery};
use crate::services::shared::resource_index::ResourceIndex;

pub(super) static DELETE_SHARE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Delete Share",
        methods: &["DELETE"],
        selectors: &[Selector::Query("restype", "share")],
        requires: RequiredPermission::container("d").account_sas_only().actions(&[&[RoleAction::ShareDelete]]),
        lease: LeaseCheck::Required,
        status: 202,
        ..WRITE_SHARE
    }
);

input! { pub(super) Input {
    delete_snapshots: Option<DeleteSnapshots> = Header "x-ms-delete-snapshots",
    snapshot: ShareSnapshotQuery,
} }

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let reply = Reply::new(request.spec.status);
    if let ShareSnapshotQuery(Some(snapshot)) = input.snapshot {
        let delete = |share: &mut Share| {
            share.admit_share(&request, Some(snapshot))?;
            share.delete_snapshot(snapshot);
            Ok(reply)
        };
        return files.write(&request, delete).await;
    }
    let name = request.target.resource_name()?;
    let delete = |shares: &mut ResourceIndex<Share>| {
        // A second deletion succeeds while the first is still in progress (recorded).
        if !shares.contains_key(name) && shares.is_going(name, request.now) {
            return Ok(reply);
        }
        shares.delete(name, request.now, request.account.share_retention, |share| {
            // A leased snapshot is DeleteShareWhenSnapshotLeased even without the id of the share's own lease (recorded).
            share.check_snapshots(input.delete_snapshots, request.now)?;
            share.admit_share(&request, None).map(|_| ())
        })?;
        Ok(reply)
    };
    files.write_index(&request, delete).await
}
