//! A disk that stops at each of its writes in turn, below queues, tables, files and Data Lake; below blobs, see `sim`.
//!
//! The server and a plain model perform the same random operations, until a write stops in its middle. After a restart the server has
//! the state of the model: every acknowledged write, and the refused one either completely or not at all.

mod conversion;
mod files;
mod messages;
mod paths;
mod rows;

use crate::check::check;
use crate::progress::Progress;
use crate::tests::support::rng::{Rng, seeds};
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::{Answer, TestServer};

/// Seconds between two operations.
const BETWEEN: u64 = 10;

/// The state that a service should have. Model and server describe it with the same lines.
trait Model: Clone + Default {
    /// The arguments of the server.
    const ARGUMENTS: &[&str] = &[];
    /// Operations of a run.
    const STEPS: usize = 60;

    /// Performs an operation on both sides: the server's answer, and the verdict that the model expects. The first creates the resource
    /// that the others write to.
    async fn one(&mut self, server: &TestServer, rng: &mut Rng, step: usize) -> (Answer, &'static str);

    /// The state of the model at a step.
    fn expected(&self, step: usize) -> Vec<String>;

    /// The state of the server.
    async fn observed(server: &TestServer) -> Vec<String>;
}

/// A text that no other step writes. Sometimes it is too long to be stored in its record.
fn text(rng: &mut Rng, step: usize) -> String {
    let times = if rng.roll(6) == 0 { 500 } else { 1 + rng.roll(9) };
    format!("{step}.").repeat(times)
}

async fn stop_at_every_write<M: Model>() {
    let seed = seeds()[1 % seeds().len()];
    for writes in 0.. {
        let place = Scratch::new("crash");
        let mut server = TestServer::with(&[M::ARGUMENTS, &["--location", place.path()]].concat()).await;
        server.emulator.store().disk().unwrap().medium().limit_writes(writes);
        let (mut rng, mut model, mut before, mut stopped) = (Rng::new(seed), M::default(), M::default(), false);
        let mut last = 0;
        for step in 0..M::STEPS {
            (before, last) = (model.clone(), step);
            server.wait(BETWEEN);
            let (answer, wanted) = model.one(&server, &mut rng, step).await;
            stopped = answer.verdict() == "500 InternalError" || answer.text().contains("HTTP/1.1 500");
            if stopped {
                break;
            }
            assert_eq!(answer.verdict(), wanted, "LAZULI_SEED={seed} step {step}: {}", answer.text());
            if step % 20 == 19 {
                server.emulator.store().disk().unwrap().log().snapshot();
            }
        }
        server.restart().await;
        let (state, after) = (M::observed(&server).await, model.expected(last));
        if state != after {
            assert!(stopped, "LAZULI_SEED={seed}, {writes} writes: acknowledged {after:?}, found {state:?}");
            assert_eq!(state, before.expected(last), "LAZULI_SEED={seed}, {writes} writes: half of a write");
        }
        // The server accepts further writes.
        server.container("after").await;
        server.blob("/after/all", "more").await;
        server.restart_with(&[]).await;
        let checked = check(&place.0, &Progress::default());
        assert_eq!(checked.wrong, Vec::<String>::new(), "LAZULI_SEED={seed}, {writes} writes");
        if !stopped {
            assert!(writes > 20, "the run writes more than it was stopped in");
            break;
        }
    }
}

#[tokio::test]
async fn queues_lose_nothing_that_was_acknowledged() {
    stop_at_every_write::<messages::Messages>().await;
}

#[tokio::test]
async fn tables_lose_nothing_that_was_acknowledged() {
    stop_at_every_write::<rows::Rows>().await;
}

#[tokio::test]
async fn shares_lose_nothing_that_was_acknowledged() {
    stop_at_every_write::<files::Files>().await;
}

#[tokio::test]
async fn file_systems_lose_nothing_that_was_acknowledged() {
    stop_at_every_write::<paths::Paths>().await;
}
