//! Lease Container: acquire, renew, change, release, break. What they say is `service::lease`, what they mean `rules::lease`.

use crate::operation::{Operation, Request, OperationSpec, Reply, ReplyFuture, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::shared::lease::LeaseActionName;

pub(super) static ACQUIRE: Operation<Blobs> = row(
    "Acquire Container Lease",
    LeaseActionName::Acquire,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "lease"), LeaseActionName::Acquire.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Acquire)),
);
pub(super) static RENEW: Operation<Blobs> = row(
    "Renew Container Lease",
    LeaseActionName::Renew,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "lease"), LeaseActionName::Renew.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Renew)),
);
pub(super) static CHANGE: Operation<Blobs> = row(
    "Change Container Lease",
    LeaseActionName::Change,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "lease"), LeaseActionName::Change.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Change)),
);
pub(super) static RELEASE: Operation<Blobs> = row(
    "Release Container Lease",
    LeaseActionName::Release,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "lease"), LeaseActionName::Release.sign()],
    |blobs, request| Box::pin(run(blobs, request, LeaseActionName::Release)),
);
pub(super) static BREAK: Operation<Blobs> = row(
    "Break Container Lease",
    LeaseActionName::Break,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "lease"), LeaseActionName::Break.sign()],
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
            resource: ResourceKind::Container,
            selectors: signs,
            inputs: verb.fields(),
            requires: RequiredPermission {
                level: ResourceLevel::Container,
                account: verb.letters(),
                service: "",
                public: AnonymousAccess::Never,
            },
            secondary: Secondary::Refused,
            conditions: ConditionSupport::Dates,
            lease: LeaseCheck::None,
            status: verb.status(),
        },
        run,
    }
}

async fn run(blobs: &Blobs, request: Request, verb: LeaseActionName) -> Result<Reply, StorageError> {
    let ask = verb.ask(&request)?;
    let container = blobs.container(&request)?;
    let (etag, stamp, lease) = container
        .write(|container| {
            container.check_container(&request)?;
            let lease = container.step_lease(ask, request.now)?;
            Ok((container.etag(), container.properties().last_modified, lease))
        })
        .await?;
    Ok(verb.answer(Reply::new(request.spec.status).with_state(etag, stamp), lease, &request))
}
