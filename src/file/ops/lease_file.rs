//! Lease File: acquire, change, release, break. A file's lease has no end, and is never renewed. What they say is `service::lease`, what
//! they mean `rules::lease`.

use super::super::files::Files;
use super::super::state::Want;
use super::super::wire;
use crate::op::{Call, Done, Field, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::handle::Touch;
use crate::rules::lease::{Ask, Guard, Term};
use crate::rules::{condition::Accepts, fault::Fault};
use crate::service::lease::Verb;

pub(super) static ACQUIRE: Op<Files> =
    row("Acquire File Lease", Verb::Acquire, &[Sign::Query("comp", "lease"), Verb::Acquire.sign()], |files, call| Box::pin(run(files, call, Verb::Acquire)));
pub(super) static CHANGE: Op<Files> =
    row("Change File Lease", Verb::Change, &[Sign::Query("comp", "lease"), Verb::Change.sign()], |files, call| Box::pin(run(files, call, Verb::Change)));
pub(super) static RELEASE: Op<Files> =
    row("Release File Lease", Verb::Release, &[Sign::Query("comp", "lease"), Verb::Release.sign()], |files, call| Box::pin(run(files, call, Verb::Release)));
pub(super) static BREAK: Op<Files> =
    row("Break File Lease", Verb::Break, &[Sign::Query("comp", "lease"), Verb::Break.sign()], |files, call| Box::pin(run(files, call, Verb::Break)));

const fn row(name: &'static str, verb: Verb, signs: &'static [Sign], run: for<'a> fn(&'a Files, Call) -> Done<'a>) -> Op<Files> {
    Op {
        row: Row {
            name,
            methods: &["PUT"],
            shape: Shape::Path,
            signs,
            takes: takes(verb),
            permit: Permit { level: Level::Object, account: verb.letters(), service: verb.letters(), public: Public::Never },
            secondary: Secondary::Refused,
            accepts: Accepts::None,
            lease: Guard::None,
            status: verb.status(),
        },
        run,
    }
}

/// What a verb reads, and how the file's name is read.
const fn takes(verb: Verb) -> &'static [&'static [Field]] {
    match verb {
        Verb::Acquire => const { &[wire::DOTS, Verb::Acquire.fields()[0]] },
        Verb::Renew => const { &[wire::DOTS, Verb::Renew.fields()[0]] },
        Verb::Change => const { &[wire::DOTS, Verb::Change.fields()[0]] },
        Verb::Release => const { &[wire::DOTS, Verb::Release.fields()[0]] },
        Verb::Break => const { &[wire::DOTS, Verb::Break.fields()[0]] },
    }
}

async fn run(files: &Files, call: Call, verb: Verb) -> Result<Reply, Fault> {
    let mut ask = verb.ask(&call)?;
    match &mut ask {
        Ask::Acquire { term: Term::Fixed(seconds), .. } => return Err(Fault::header("x-ms-lease-duration", seconds.to_string())),
        // It is broken at once.
        Ask::Break { period } => *period = Some(0),
        _ => {}
    }
    let share = files.share(&call)?;
    let (node, lease) = share
        .write(|share| {
            let file = share.admit(&call, Want::Content, Touch::Look)?;
            share.step_file_lease(&file, ask, call.now)
        })
        .await?;
    Ok(verb.answer(Reply::new(call.row.status).with_state(node.etag(), node.stamp), lease, &call))
}
