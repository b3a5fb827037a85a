//! Lease File: acquire, change, release, break. A file's lease has no end, and is never renewed. What they say is `service::lease`, what
//! they mean `rules::lease`.

use crate::operation::{
    Field, Operation, Request, OperationSpec, Reply, ReplyFuture, ResourceKind, Secondary, Selector,
};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::lease::{LeaseAction, LeaseCheck, LeaseDuration};
use crate::services::file::files::Files;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;
use crate::services::shared::lease::LeaseActionName;

pub(super) static ACQUIRE: Operation<Files> = row(
    "Acquire File Lease",
    LeaseActionName::Acquire,
    &[Selector::Query("comp", "lease"), LeaseActionName::Acquire.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Acquire)),
);
pub(super) static CHANGE: Operation<Files> = row(
    "Change File Lease",
    LeaseActionName::Change,
    &[Selector::Query("comp", "lease"), LeaseActionName::Change.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Change)),
);
pub(super) static RELEASE: Operation<Files> = row(
    "Release File Lease",
    LeaseActionName::Release,
    &[Selector::Query("comp", "lease"), LeaseActionName::Release.sign()],
    |files, request| Box::pin(run(files, request, LeaseActionName::Release)),
);
pub(super) static BREAK: Operation<Files> = row(
    "Break File Lease",
    LeaseActionName::Break,
    &[Selector::Query("comp", "lease"), LeaseActionName::Break.sign()],
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
            resource: ResourceKind::Path,
            selectors: signs,
            inputs: takes(verb),
            requires: RequiredPermission {
                level: ResourceLevel::Object,
                account: verb.letters(),
                service: verb.letters(),
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

/// What a verb reads, and how the file's name is read.
const fn takes(verb: LeaseActionName) -> &'static [&'static [Field]] {
    match verb {
        LeaseActionName::Acquire => const { &[wire::DOTS, LeaseActionName::Acquire.fields()[0]] },
        LeaseActionName::Renew => const { &[wire::DOTS, LeaseActionName::Renew.fields()[0]] },
        LeaseActionName::Change => const { &[wire::DOTS, LeaseActionName::Change.fields()[0]] },
        LeaseActionName::Release => const { &[wire::DOTS, LeaseActionName::Release.fields()[0]] },
        LeaseActionName::Break => const { &[wire::DOTS, LeaseActionName::Break.fields()[0]] },
    }
}

async fn run(files: &Files, request: Request, verb: LeaseActionName) -> Result<Reply, StorageError> {
    let mut ask = verb.ask(&request)?;
    match &mut ask {
        LeaseAction::Acquire { term: LeaseDuration::Fixed(seconds), .. } => {
            return Err(StorageError::invalid_header("x-ms-lease-duration", seconds.to_string()));
        }
        // It is broken at once.
        LeaseAction::Break { period } => *period = Some(0),
        _ => {}
    }
    let share = files.share(&request)?;
    let (node, lease) = share
        .write(|share| {
            let file = share.admit(&request, WantedNode::Content, FileAccess::Look)?;
            share.step_file_lease(&file, ask, request.now)
        })
        .await?;
    Ok(verb.answer(Reply::new(request.spec.status).with_state(node.etag(), node.last_modified), lease, &request))
}
