//! Lease Container: acquire, renew, change, release, break.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseId;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE_CONTAINER;
use crate::services::shared::lease::{Acquire, Break, Change, LeaseInput, Release, Renew};

pub(super) static ACQUIRE: Operation<Blobs> = operation::<Acquire>("Acquire Container Lease");
pub(super) static RENEW: Operation<Blobs> = operation::<Renew>("Renew Container Lease");
pub(super) static CHANGE: Operation<Blobs> = operation::<Change>("Change Container Lease");
pub(super) static RELEASE: Operation<Blobs> = operation::<Release>("Release Container Lease");
pub(super) static BREAK: Operation<Blobs> = operation::<Break>("Break Container Lease");

const fn operation<I: LeaseInput>(name: &'static str) -> Operation<Blobs> {
    operation!(
        run::<I>,
        I,
        OperationSpec {
            name,
            selectors: const { &[Selector::Query("restype", "container"), Selector::Query("comp", "lease"), I::SELECTOR] },
            requires: RequiredPermission::container(I::LETTERS).account_sas_only(),
            conditions: ConditionSupport::Dates,
            status: I::STATUS,
            ..WRITE_CONTAINER
        }
    )
}

async fn run<I: LeaseInput>(blobs: &Blobs, request: Request, input: I) -> Result<Reply, StorageError> {
    let action = input.action(LeaseId(request.environment.id()))?;
    let container = blobs.container(&request)?;
    let (etag, last_modified, lease) = container
        .write(|container| {
            container.check_container(&request)?;
            let lease = container.step_lease(action, request.now)?;
            Ok((container.etag(), container.properties().last_modified, lease))
        })
        .await?;
    Ok(I::answer(Reply::new(request.spec.status).with_state(etag, last_modified), lease, &request))
}
