//! Lease Blob: acquire, renew, change, release, break. What they say is `service::lease`, what they mean `rules::lease`.

use super::super::blobs::Blobs;
use crate::op::{Call, Done, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{condition::Accepts, etag::ETag, fault::Fault, lease::Guard};
use crate::service::lease::Verb;

pub(super) static ACQUIRE: Op<Blobs> =
    row("Acquire Blob Lease", Verb::Acquire, &[Sign::Query("comp", "lease"), Verb::Acquire.sign()], |blobs, call| Box::pin(run(blobs, call, Verb::Acquire)));
pub(super) static RENEW: Op<Blobs> =
    row("Renew Blob Lease", Verb::Renew, &[Sign::Query("comp", "lease"), Verb::Renew.sign()], |blobs, call| Box::pin(run(blobs, call, Verb::Renew)));
pub(super) static CHANGE: Op<Blobs> =
    row("Change Blob Lease", Verb::Change, &[Sign::Query("comp", "lease"), Verb::Change.sign()], |blobs, call| Box::pin(run(blobs, call, Verb::Change)));
pub(super) static RELEASE: Op<Blobs> =
    row("Release Blob Lease", Verb::Release, &[Sign::Query("comp", "lease"), Verb::Release.sign()], |blobs, call| Box::pin(run(blobs, call, Verb::Release)));
pub(super) static BREAK: Op<Blobs> =
    row("Break Blob Lease", Verb::Break, &[Sign::Query("comp", "lease"), Verb::Break.sign()], |blobs, call| Box::pin(run(blobs, call, Verb::Break)));

const fn row(name: &'static str, verb: Verb, signs: &'static [Sign], run: for<'a> fn(&'a Blobs, Call) -> Done<'a>) -> Op<Blobs> {
    Op {
        row: Row {
            name,
            methods: &["PUT"],
            shape: Shape::Blob,
            signs,
            takes: verb.fields(),
            permit: Permit { level: Level::Object, account: verb.letters(), service: verb.letters(), public: Public::Never },
            secondary: Secondary::Refused,
            accepts: Accepts::Write,
            lease: Guard::None,
            status: verb.status(),
        },
        run,
    }
}

async fn run(blobs: &Blobs, call: Call, verb: Verb) -> Result<Reply, Fault> {
    let ask = verb.ask(&call)?;
    let container = blobs.container(&call)?;
    let (stamp, lease) = container.write(|container| container.step_blob_lease(&call, ask)).await?;
    Ok(verb.answer(Reply::new(call.row.status).with_state(ETag::of(stamp), stamp), lease, &call))
}
