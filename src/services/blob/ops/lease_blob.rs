//! Lease Blob: acquire, renew, change, release, break.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::{LeaseCheck, LeaseId};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::shared::lease::{Acquire, Break, Change, LeaseInput, Release, Renew};

pub(super) static ACQUIRE: Operation<Blobs> = operation::<Acquire>("Acquire Blob Lease");
pub(super) static RENEW: Operation<Blobs> = operation::<Renew>("Renew Blob Lease");
pub(super) static CHANGE: Operation<Blobs> = operation::<Change>("Change Blob Lease");
pub(super) static RELEASE: Operation<Blobs> = operation::<Release>("Release Blob Lease");
pub(super) static BREAK: Operation<Blobs> = operation::<Break>("Break Blob Lease");

const fn operation<I: LeaseInput>(name: &'static str) -> Operation<Blobs> {
    operation!(
        run::<I>,
        I,
        OperationSpec {
            name,
            selectors: const { &[Selector::Query("comp", "lease"), I::SELECTOR] },
            requires: RequiredPermission::object(I::LETTERS),
            lease: LeaseCheck::None,
            status: I::STATUS,
            ..WRITE
        }
    )
}

async fn run<I: LeaseInput>(blobs: &Blobs, request: Request, input: I) -> Result<Reply, StorageError> {
    let action = input.action(LeaseId(request.environment.id()))?;
    let container = blobs.container(&request)?;
    let (last_modified, lease) = container.write(|container| container.step_blob_lease(&request, action)).await?;
    let reply = Reply::new(request.spec.status).with_state(ETag::of(last_modified), last_modified);
    Ok(I::answer(reply, lease, &request))
}
