//! Lease Share, also for a snapshot: acquire, renew, change, release, break.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::file::files::Files;
use crate::services::file::ops::spec::WRITE_SHARE;
use crate::services::file::state::ShareSnapshotQuery;
use crate::services::file::wire;
use crate::services::shared::lease::{Acquire, Break, Change, LeaseInput, Release, Renew};

pub(super) static ACQUIRE: Operation<Files> = operation::<Acquire>("Acquire Share Lease");
pub(super) static RENEW: Operation<Files> = operation::<Renew>("Renew Share Lease");
pub(super) static CHANGE: Operation<Files> = operation::<Change>("Change Share Lease");
pub(super) static RELEASE: Operation<Files> = operation::<Release>("Release Share Lease");
pub(super) static BREAK: Operation<Files> = operation::<Break>("Break Share Lease");

const fn operation<I: LeaseInput>(name: &'static str) -> Operation<Files> {
    operation!(
        run::<I>,
        (ShareSnapshotQuery, I),
        OperationSpec {
            name,
            selectors: const { &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), I::SELECTOR] },
            requires: RequiredPermission::container(I::LETTERS).account_sas_only(),
            lease: LeaseCheck::None,
            status: I::STATUS,
            ..WRITE_SHARE
        }
    )
}

async fn run<I: LeaseInput>(
    files: &Files,
    request: Request,
    (snapshot, input): (ShareSnapshotQuery, I),
) -> Result<Reply, StorageError> {
    let action = input.action(LeaseId(request.environment.id()))?;
    let share = files.share(&request)?;
    let (properties, lease) = share
        .write(|share| {
            let properties = share.view(snapshot.0)?.properties.clone();
            Ok((properties, share.step_lease(snapshot.0, action, request.now)?))
        })
        .await?;
    let reply = I::answer(wire::share_state(&properties, &request), lease, &request);
    // The response to a release also has a lease time (recorded).
    Ok(reply.with_some("x-ms-lease-time", (I::ACTION == Release::ACTION).then_some("0")))
}
