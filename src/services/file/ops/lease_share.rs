//! Lease Share, and the snapshots of one: acquire, renew, change, release, break.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseId;
use crate::services::file::files::Files;
use crate::services::file::wire::ShareSnapshotQuery;
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
            methods: &["PUT"],
            resource: ResourceKind::Share,
            selectors: const { &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), I::SELECTOR] },
            requires: RequiredPermission::container(I::LETTERS).account_sas_only(),
            access: Access::Write,
            status: I::STATUS,
            ..OperationSpec::DEFAULT
        }
    )
}

async fn run<I: LeaseInput>(files: &Files, request: Request, (_, input): (ShareSnapshotQuery, I)) -> Result<Reply, StorageError> {
    let action = input.action(LeaseId(request.environment.id()))?;
    let share = files.share(&request)?;
    let (last_modified, lease) = share
        .write(|share| {
            let view = share.view(&request)?;
            let (taken, last_modified) = (view.taken, view.about.last_modified);
            Ok((last_modified, share.step_lease(taken, action, request.now)?))
        })
        .await?;
    let reply = Reply::new(request.spec.status).with_state(ETag::of(last_modified), last_modified);
    let reply = I::answer(reply, lease, &request);
    // A release tells how long the lease goes on, too (recorded).
    Ok(reply.with_some("x-ms-lease-time", (I::ACTION == Release::ACTION).then_some("0")))
}
