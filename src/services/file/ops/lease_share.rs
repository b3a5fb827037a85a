//! Lease Share, and the snapshots of one: acquire, renew, change, release, break. What they say is `service::lease`, what they mean
//! `rules::lease`.

use crate::operation::{
    Field, Operation, Request, OperationSpec, Reply, ReplyFuture, ResourceKind, Secondary, Selector,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::etag::ETag;
use crate::rules::lease::LeaseCheck;
use crate::services::file::files::Files;
use crate::services::file::wire;
use crate::services::shared::lease::LeaseActionName;

pub(super) static ACQUIRE: Operation<Files> = row(
    "Acquire Share Lease",
    LeaseActionName::Acquire,
    &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), LeaseActionName::Acquire.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Acquire)),
);
pub(super) static RENEW: Operation<Files> = row(
    "Renew Share Lease",
    LeaseActionName::Renew,
    &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), LeaseActionName::Renew.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Renew)),
);
pub(super) static CHANGE: Operation<Files> = row(
    "Change Share Lease",
    LeaseActionName::Change,
    &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), LeaseActionName::Change.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Change)),
);
pub(super) static RELEASE: Operation<Files> = row(
    "Release Share Lease",
    LeaseActionName::Release,
    &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), LeaseActionName::Release.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Release)),
);
pub(super) static BREAK: Operation<Files> = row(
    "Break Share Lease",
    LeaseActionName::Break,
    &[Selector::Query("restype", "share"), Selector::Query("comp", "lease"), LeaseActionName::Break.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Break)),
);

const fn row(
    name: &'static str,
    verb: LeaseActionName,
    signs: &'static [Selector],
    run: for<'a> fn(&'a Files, Request) -> ReplyFuture<'a>,
) -> Operation<Files> {
    Operation {
        spec: OperationSpec {
            name,
            methods: &["PUT"],
            resource: ResourceKind::Share,
            selectors: signs,
            inputs: takes(verb),
            requires: RequiredPermission {
                level: ResourceLevel::Container,
                account: verb.letters(),
                service: "",
                public: AnonymousAccess::Never,
            },
            secondary: Secondary::Refused,
            conditions: ConditionSupport::None,
            lease: LeaseCheck::None,
            status: verb.status(),
        },
        run,
    }
}

/// What a verb reads, and the snapshot that it may be about.
const fn takes(verb: LeaseActionName) -> &'static [&'static [Field]] {
    match verb {
        LeaseActionName::Acquire => const { &[wire::SNAPSHOT, LeaseActionName::Acquire.fields()[0]] },
        LeaseActionName::Renew => const { &[wire::SNAPSHOT, LeaseActionName::Renew.fields()[0]] },
        LeaseActionName::Change => const { &[wire::SNAPSHOT, LeaseActionName::Change.fields()[0]] },
        LeaseActionName::Release => const { &[wire::SNAPSHOT, LeaseActionName::Release.fields()[0]] },
        LeaseActionName::Break => const { &[wire::SNAPSHOT, LeaseActionName::Break.fields()[0]] },
    }
}

async fn run(files: &Files, request: Request, verb: LeaseActionName) -> Result<Reply, StorageError> {
    let ask = verb.ask(&request)?;
    let share = files.share(&request)?;
    let (stamp, lease) = share
        .write(|share| {
            let view = share.view(&request)?;
            let (taken, stamp) = (view.taken, view.about.last_modified);
            Ok((stamp, share.step_lease(taken, ask, request.now)?))
        })
        .await?;
    let reply = verb.answer(Reply::new(request.spec.status).with_state(ETag::of(stamp), stamp), lease, &request);
    // Recorded: a release tells how long the lease goes on, too.
    Ok(reply.with_some("x-ms-lease-time", (verb == LeaseActionName::Release).then_some("0")))
}
