//! Lease Share, and the snapshots of one: acquire, renew, change, release, break. What they say is `service::lease`, what they mean
//! `rules::lease`.

use super::super::files::Files;
use super::super::wire;
use crate::op::{Call, Done, Field, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};
use crate::service::lease::Verb;

pub(super) static ACQUIRE: Op<Files> =
    row("Acquire Share Lease", Verb::Acquire, &[Sign::Query("restype", "share"), Sign::Query("comp", "lease"), Verb::Acquire.sign()], |files, call| Box::pin(run(files, call, Verb::Acquire)));
pub(super) static RENEW: Op<Files> =
    row("Renew Share Lease", Verb::Renew, &[Sign::Query("restype", "share"), Sign::Query("comp", "lease"), Verb::Renew.sign()], |files, call| Box::pin(run(files, call, Verb::Renew)));
pub(super) static CHANGE: Op<Files> =
    row("Change Share Lease", Verb::Change, &[Sign::Query("restype", "share"), Sign::Query("comp", "lease"), Verb::Change.sign()], |files, call| Box::pin(run(files, call, Verb::Change)));
pub(super) static RELEASE: Op<Files> =
    row("Release Share Lease", Verb::Release, &[Sign::Query("restype", "share"), Sign::Query("comp", "lease"), Verb::Release.sign()], |files, call| Box::pin(run(files, call, Verb::Release)));
pub(super) static BREAK: Op<Files> =
    row("Break Share Lease", Verb::Break, &[Sign::Query("restype", "share"), Sign::Query("comp", "lease"), Verb::Break.sign()], |files, call| Box::pin(run(files, call, Verb::Break)));

const fn row(name: &'static str, verb: Verb, signs: &'static [Sign], run: for<'a> fn(&'a Files, Call) -> Done<'a>) -> Op<Files> {
    Op {
        row: Row {
            name,
            methods: &["PUT"],
            shape: Shape::Share,
            signs,
            takes: takes(verb),
            permit: Permit { level: Level::Container, account: verb.letters(), service: "", public: Public::Never },
            secondary: Secondary::Refused,
            accepts: Accepts::None,
            lease: Guard::None,
            status: verb.status(),
        },
        run,
    }
}

/// What a verb reads, and the snapshot that it may be about.
const fn takes(verb: Verb) -> &'static [&'static [Field]] {
    match verb {
        Verb::Acquire => const { &[wire::SNAPSHOT, Verb::Acquire.fields()[0]] },
        Verb::Renew => const { &[wire::SNAPSHOT, Verb::Renew.fields()[0]] },
        Verb::Change => const { &[wire::SNAPSHOT, Verb::Change.fields()[0]] },
        Verb::Release => const { &[wire::SNAPSHOT, Verb::Release.fields()[0]] },
        Verb::Break => const { &[wire::SNAPSHOT, Verb::Break.fields()[0]] },
    }
}

async fn run(files: &Files, call: Call, verb: Verb) -> Result<Reply, Fault> {
    let ask = verb.ask(&call)?;
    let share = files.share(&call)?;
    let (stamp, lease) = share
        .write(|share| {
            let view = share.view(&call)?;
            let (taken, stamp) = (view.taken, view.about.stamp);
            Ok((stamp, share.step_lease(taken, ask, call.now)?))
        })
        .await?;
    let reply = verb.answer(Reply::new(call.row.status).with_state(ETag::of(stamp), stamp), lease, &call);
    // Recorded: a release tells how long the lease goes on, too.
    Ok(reply.with_some("x-ms-lease-time", (verb == Verb::Release).then_some("0")))
}
