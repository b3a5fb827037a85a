//! A disk that stops at each of its writes in turn, below queues, tables and files; below blobs, see `sim`.
//!
//! A random workload is performed by the server and by a plain model, until a write stops in its middle. When the server starts again,
//! it agrees with the model: every write that was acknowledged is there, and the one that failed is there completely or not at all.

mod files;
mod messages;
mod rows;

use crate::rng::{Rng, seeds};
use crate::scratch::Scratch;
use crate::server::{Answer, TestServer};

/// Operations of a run.
const STEPS: usize = 60;
/// The seconds before each operation.
const BETWEEN: u64 = 10;

/// A model of a service. The model and the server describe their state in the same words.
trait Model: Clone + Default {
    /// An operation, on both sides: what the server answered, and the verdict that the model expects. The first makes the place that
    /// the others write to.
    async fn one(&mut self, server: &TestServer, rng: &mut Rng, step: usize) -> (Answer, &'static str);

    /// The state of the model at a step.
    fn expected(&self, step: usize) -> Vec<String>;

    /// The state of the server.
    async fn describe(server: &TestServer) -> Vec<String>;
}

/// A text that no other step writes, sometimes too long for its record.
fn text(rng: &mut Rng, step: usize) -> String {
    let times = if rng.roll(6) == 0 { 500 } else { 1 + rng.roll(9) };
    format!("{step}.").repeat(times)
}

async fn stop_at_every_write<M: Model>() {
    let seed = seeds()[1 % seeds().len()];
    for writes in 0.. {
        let place = Scratch::new("crash");
        let mut server = TestServer::with(&["--location", place.path()]).await;
        server.emulator.store().disk().unwrap().medium().limit_writes(writes);
        let (mut rng, mut model, mut before, mut stopped) = (Rng::new(seed), M::default(), M::default(), false);
        let mut last = 0;
        for step in 0..STEPS {
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
        let (reported, after) = (M::describe(&server).await, model.expected(last));
        if reported != after {
            assert!(stopped, "LAZULI_SEED={seed}, {writes} writes: acknowledged {after:?}, there is {reported:?}");
            assert_eq!(reported, before.expected(last), "LAZULI_SEED={seed}, {writes} writes: half of a write");
        }
        // The server accepts further writes.
        server.container("after").await;
        server.blob("/after/all", "more").await;
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
