//! Lease Blob: acquire, renew, change, release, break. What they say is `service::lease`, what they mean `rules::lease`.

use crate::operation::{Operation, Request, OperationSpec, Reply, ReplyFuture, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::shared::lease::LeaseActionName;

pub(super) static ACQUIRE: Operation<Blobs> = row(
    "Acquire Blob Lease",
    LeaseActionName::Acquire,
    &[Selector::Query("comp", "lease"), LeaseActionName::Acquire.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Acquire)),
);
pub(super) static RENEW: Operation<Blobs> = row(
    "Renew Blob Lease",
    LeaseActionName::Renew,
    &[Selector::Query("comp", "lease"), LeaseActionName::Renew.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Renew)),
);
pub(super) static CHANGE: Operation<Blobs> = row(
    "Change Blob Lease",
    LeaseActionName::Change,
    &[Selector::Query("comp", "lease"), LeaseActionName::Change.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Change)),
);
pub(super) static RELEASE: Operation<Blobs> = row(
    "Release Blob Lease",
    LeaseActionName::Release,
    &[Selector::Query("comp", "lease"), LeaseActionName::Release.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Release)),
);
pub(super) static BREAK: Operation<Blobs> = row(
    "Break Blob Lease",
    LeaseActionName::Break,
    &[Selector::Query("comp", "lease"), LeaseActionName::Break.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Break)),
);

const fn row(
    name: &'static str,
    verb: LeaseActionName,
    signs: &'static [Selector],
    run: for<'a> fn(&'a Blobs, Request) -> ReplyFuture<'a>,
) -> Operation<Blobs> {
    Operation {
        spec: OperationSpec {
            name,
            methods: &["PUT"],
            resource: ResourceKind::Blob,
            selectors: signs,
            inputs: verb.fields(),
            requires: RequiredPermission {
                level: ResourceLevel::Object,
                account: verb.letters(),
                service: verb.letters(),
                public: AnonymousAccess::Never,
            },
            secondary: Secondary::Refused,
            conditions: ConditionSupport::Write,
            lease: LeaseCheck::None,
            status: verb.status(),
        },
        run,
    }
}

async fn run(blobs: &Blobs, request: Request, verb: LeaseActionName) -> Result<Reply, StorageError> {
    let ask = verb.ask(&request)?;
    let container = blobs.container(&request)?;
    let (stamp, lease) = container.write(|container| container.step_blob_lease(&request, ask)).await?;
    Ok(verb.answer(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp), lease, &request))
}
