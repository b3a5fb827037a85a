//! A seeded simulation: thousands of random operations on the server and on a model that is too plain to be wrong.
//!
//! `LAZULI_SEED=7 cargo test --test it sim` repeats the run that failed with seed 7.

mod acl;
mod lake;
mod model;
mod paths;

use crate::tests::support::raw;
use crate::tests::support::rng::{Rng, seeds};
use crate::tests::support::scenario::LEASES;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::{RequestBuilder, TestServer};
use model::{Action, Choice, If, Model, Write};
use std::cell::Cell;

/// Operations of a run.
const STEPS: usize = 3_000;
/// Operations of a run whose disk stops at each of its writes in turn.
const CRASHED_STEPS: usize = 120;

const CONTAINERS: [&str; 3] = ["one", "two", "three"];
const BLOBS: [&str; 6] = ["a", "a/1", "a/2", "b", "b--1", "c"];
const BLOCKS: [&str; 3] = ["QQ==", "Qg==", "Qw=="];

/// One run: the server, the model, and what came up.
struct Run {
    seed: u64,
    step: usize,
    server: TestServer,
    model: Model,
    rng: Rng,
    /// Whether the disk stopped.
    stopped: Cell<bool>,
}

#[tokio::test]
async fn the_server_does_what_the_model_does() {
    for seed in seeds() {
        let mut run = Run::new(seed, &["--control"]).await;
        while run.step < STEPS {
            run.step += 1;
            run.one().await;
        }
        run.look_at_everything().await;
    }
}

#[tokio::test]
async fn stopped_and_started_at_any_time_the_server_does_what_the_model_does() {
    for seed in seeds() {
        let place = Scratch::new("restarts");
        let mut run = Run::new(seed, &["--control", "--location", place.path()]).await;
        while run.step < STEPS {
            run.step += 1;
            run.one().await;
            match run.rng.roll(100) {
                0 => {
                    run.server.restart().await;
                    run.model.restarted();
                    run.look_at_everything().await;
                }
                1..=4 => run.server.emulator.store().disk().unwrap().log().snapshot(),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn a_disk_that_stops_at_any_write_loses_nothing_that_was_acknowledged() {
    let seed = seeds()[1 % seeds().len()];
    for writes in 0.. {
        let place = Scratch::new("crash");
        let mut run = Run::new(seed, &["--location", place.path()]).await;
        run.server.emulator.store().disk().unwrap().medium().limit_writes(writes);
        let mut before = run.model.clone();
        for name in CONTAINERS {
            before = run.model.clone();
            let got = run.server.request("PUT", &format!("/{name}?restype=container")).send().await;
            let wanted = run.model.make_container(name);
            run.agree(&got.verdict(), wanted, name);
            if run.stopped.get() {
                break;
            }
        }
        while run.step < CRASHED_STEPS && !run.stopped.get() {
            run.step += 1;
            before = run.model.clone();
            run.one().await;
            if run.step % 30 == 0 {
                run.server.emulator.store().disk().unwrap().log().snapshot();
            }
        }
        let stopped = run.stopped.take();
        run.server.restart().await;
        // A write that failed may be there all the same, but then completely.
        let (reported, after) = (run.describe_everything().await, described_by(&run.model));
        if reported != after {
            assert!(stopped, "LAZULI_SEED={seed}, {writes} writes: what was acknowledged is lost");
            assert_eq!(reported, described_by(&before), "LAZULI_SEED={seed}, {writes} writes");
        }
        // The server accepts further writes.
        run.server.request("PUT", "/after?restype=container").send().await;
        run.server.blob("/after/all", "more").await;
        if !stopped {
            assert!(writes > 20, "the run writes more than it was stopped in");
            break;
        }
    }
}

/// The state of the model: every container, every blob, every block.
fn described_by(model: &Model) -> Vec<String> {
    let mut reported = vec![format!("containers: {}", model.containers().join(" "))];
    for (container, blob) in CONTAINERS.into_iter().flat_map(|container| BLOBS.map(|blob| (container, blob))) {
        reported.push(format!("blocks of {container}/{blob}: {}", model.block_list(container, blob)));
        reported.push(format!("content of {container}/{blob}: {}", model.content(container, blob)));
    }
    reported
}

impl Run {
    async fn new(seed: u64, arguments: &[&str]) -> Run {
        let server = TestServer::with(arguments).await;
        Run { seed, step: 0, server, model: Model::default(), rng: Rng::new(seed), stopped: Cell::new(false) }
    }

    /// One operation, on both sides.
    async fn one(&mut self) {
        match self.rng.roll(100) {
            0..=3 => self.make_container().await,
            4 if self.rng.roll(3) == 0 => self.remove_container().await,
            4..=18 => self.put().await,
            19..=28 => self.put_block().await,
            29..=38 => self.commit().await,
            39..=43 => self.delete().await,
            44..=52 => self.set_metadata().await,
            53..=69 => self.lease().await,
            70..=77 => self.copy().await,
            78..=88 => self.read().await,
            89..=93 => self.list().await,
            94..=98 => self.wait(),
            _ if self.rng.roll(10) == 0 && self.controlled() => {
                raw::reset(&self.server).await;
                self.model.reset();
            }
            _ => self.look_at_everything().await,
        }
    }

    /// A container and a blob in it, those named first more often.
    fn place(&mut self) -> (&'static str, &'static str) {
        let container = self.rng.roll(3).min(self.rng.roll(3));
        let blob = self.rng.roll(6).min(self.rng.roll(6));
        (CONTAINERS[container], BLOBS[blob])
    }

    /// Whether the server can be emptied.
    fn controlled(&self) -> bool {
        self.server.has("--control")
    }

    /// A text that no other step writes, sometimes one that is not kept with its blob's record.
    fn text(&mut self) -> String {
        let times = if self.rng.roll(8) == 0 { 1000 } else { self.rng.roll(30) };
        format!("{} ", self.step).repeat(times)
    }

    /// A condition and a lease id, mostly none, mostly fitting.
    fn write(&mut self, container: &str, blob: &str) -> Write {
        let etag = self.model.etag(container, blob).unwrap_or_else(|| "\"0x1\"".to_owned());
        let condition = match self.rng.roll(12) {
            0 => If::Missing,
            1 | 2 => If::Match(etag),
            3 => If::Match("\"0x1\"".to_owned()),
            4 => If::NoneMatch(etag),
            _ => If::Always,
        };
        let shown = match self.rng.roll(8) {
            0..=2 => self.model.lease_id(container, blob),
            3 => Some(self.rng.pick(&LEASES).1.to_owned()),
            _ => None,
        };
        Write { condition, lease: shown }
    }

    /// A request with the headers of a condition and a lease id.
    fn request(&self, method: &str, target: &str, write: &Write) -> RequestBuilder<'_> {
        let mut request = self.server.request(method, target);
        request = match &write.condition {
            If::Always => request,
            If::Missing => request.header("if-none-match", "*"),
            If::Match(etag) => request.header("if-match", etag),
            If::NoneMatch(etag) => request.header("if-none-match", etag),
        };
        write.lease.iter().fold(request, |request, id| request.header("x-ms-lease-id", id))
    }

    /// Compares the server's verdict with the model's.
    fn agree(&self, server: &str, model: &str, what: &str) {
        if server == "500 InternalError" {
            return self.stopped.set(true);
        }
        assert_eq!(server, model, "LAZULI_SEED={} step {}: {what}: the server (left), the model (right)", self.seed, self.step);
    }

    async fn make_container(&mut self) {
        let name = self.rng.pick(&CONTAINERS);
        let got = self.server.request("PUT", &format!("/{name}?restype=container")).send().await;
        let wanted = self.model.make_container(name);
        self.agree(&got.verdict(), wanted, name);
    }

    async fn remove_container(&mut self) {
        let name = self.rng.pick(&CONTAINERS);
        let got = self.server.request("DELETE", &format!("/{name}?restype=container")).send().await;
        let wanted = self.model.remove_container(name);
        self.agree(&got.verdict(), wanted, name);
    }

    async fn put(&mut self) {
        let ((container, blob), text) = (self.place(), self.text());
        let write = self.write(container, blob);
        let request = self.request("PUT", &format!("/{container}/{blob}"), &write).header("x-ms-blob-type", "BlockBlob");
        let got = request.body(text.clone()).send().await;
        let wanted = self.model.put(container, blob, &write, &text, got.header("etag"));
        self.agree(&got.verdict(), wanted, &format!("put {container}/{blob} {write:?}"));
    }

    async fn put_block(&mut self) {
        let ((container, blob), id) = (self.place(), self.rng.pick(&BLOCKS));
        let text = format!("block {} ", self.step);
        let write = Write { condition: If::Always, ..self.write(container, blob) };
        let request = self.request("PUT", &format!("/{container}/{blob}?comp=block&blockid={id}"), &write);
        let got = request.body(text.clone()).send().await;
        let wanted = self.model.put_block(container, blob, &write, id, &text);
        self.agree(&got.verdict(), wanted, &format!("put block {id} {container}/{blob} {write:?}"));
    }

    async fn commit(&mut self) {
        let (container, blob) = self.place();
        let write = self.write(container, blob);
        // Mostly what is there, sometimes what may not be.
        let mut list: Vec<(Choice, String)> = Vec::new();
        for _ in 0..self.rng.roll(4) {
            let choice = self.rng.pick(&[Choice::Latest, Choice::Latest, Choice::Latest, Choice::Committed, Choice::Uncommitted]);
            let known = self.model.blocks(container, blob);
            let any = self.rng.pick(&BLOCKS).to_owned();
            let id = if known.is_empty() || self.rng.roll(10) == 0 { any } else { known[self.rng.roll(known.len())].clone() };
            list.push((choice, id));
        }
        let body: String = list.iter().map(|(choice, id)| format!("<{choice:?}>{id}</{choice:?}>")).collect();
        let request = self.request("PUT", &format!("/{container}/{blob}?comp=blocklist"), &write);
        let got = request.body(format!("<BlockList>{body}</BlockList>")).send().await;
        let wanted = self.model.commit(container, blob, &write, &list, got.header("etag"));
        self.agree(&got.verdict(), wanted, &format!("commit {container}/{blob} {write:?} {list:?}"));
    }

    async fn delete(&mut self) {
        let (container, blob) = self.place();
        let write = self.write(container, blob);
        let got = self.request("DELETE", &format!("/{container}/{blob}"), &write).send().await;
        let wanted = self.model.delete(container, blob, &write);
        self.agree(&got.verdict(), wanted, &format!("delete {container}/{blob} {write:?}"));
    }

    async fn set_metadata(&mut self) {
        let (container, blob) = self.place();
        let (write, value) = (self.write(container, blob), self.step.to_string());
        let request = self.request("PUT", &format!("/{container}/{blob}?comp=metadata"), &write);
        let got = request.header("x-ms-meta-step", &value).send().await;
        let wanted = self.model.set_metadata(container, blob, &write, &value, got.header("etag"));
        self.agree(&got.verdict(), wanted, &format!("metadata {container}/{blob} {write:?}"));
    }

    async fn lease(&mut self) {
        let (container, blob) = self.place();
        // Mostly the holder's id.
        let (any, two) = (self.rng.pick(&LEASES).1, self.rng.pick(&LEASES).1);
        let held = self.model.lease_id(container, blob).filter(|_| self.rng.roll(3) > 0);
        let one = LEASES.iter().map(|(_, id)| *id).find(|id| held.as_deref() == Some(id)).unwrap_or(any);
        let action = match self.rng.roll(8) {
            0..=3 => Action::Acquire(one, self.rng.pick(&[-1, -1, 15, 60])),
            4 => Action::Renew(one),
            5 => Action::Change(one, two),
            6 => Action::Release(one),
            _ => Action::Break(self.rng.pick(&[None, Some(0), Some(10)])),
        };
        let request = self.server.request("PUT", &format!("/{container}/{blob}?comp=lease"));
        let request = match action {
            Action::Acquire(id, seconds) => {
                let request = request.header("x-ms-lease-action", "acquire").header("x-ms-proposed-lease-id", id);
                request.header("x-ms-lease-duration", seconds)
            }
            Action::Renew(id) => request.header("x-ms-lease-action", "renew").header("x-ms-lease-id", id),
            Action::Change(from, to) => {
                let request = request.header("x-ms-lease-action", "change").header("x-ms-lease-id", from);
                request.header("x-ms-proposed-lease-id", to)
            }
            Action::Release(id) => request.header("x-ms-lease-action", "release").header("x-ms-lease-id", id),
            Action::Break(period) => {
                let request = request.header("x-ms-lease-action", "break");
                period.iter().fold(request, |request, seconds| request.header("x-ms-lease-break-period", seconds))
            }
        };
        let got = request.send().await;
        let wanted = self.model.lease(container, blob, action);
        self.agree(&got.verdict(), wanted, &format!("lease {container}/{blob} {action:?}"));
    }

    async fn copy(&mut self) {
        let ((from, source), (container, blob)) = (self.place(), self.place());
        let write = self.write(container, blob);
        let url = format!("{}/{from}/{source}", self.server.blob_url());
        let got = self.request("PUT", &format!("/{container}/{blob}"), &write).header("x-ms-copy-source", url).send().await;
        let wanted = self.model.copy((from, source), container, blob, &write, got.header("etag"));
        self.agree(&got.verdict(), wanted, &format!("copy {from}/{source} to {container}/{blob} {write:?}"));
    }

    async fn read(&mut self) {
        let (container, blob) = self.place();
        let mut request = self.server.request("GET", &format!("/{container}/{blob}"));
        let range = (self.rng.roll(2) == 0).then(|| (self.rng.roll(60), self.rng.roll(60)));
        if let Some((start, length)) = range {
            request = request.header("x-ms-range", format!("bytes={start}-{}", start + length));
        }
        let got = request.send().await;
        let wanted = self.model.read(container, blob, range);
        let verdict = got.verdict();
        let reported = match got.status {
            200 | 206 => format!(
                "{verdict} {:?} {} {} {}",
                got.text(),
                got.header("etag"),
                got.header("x-ms-lease-state"),
                got.header("x-ms-meta-step")
            ),
            _ => verdict,
        };
        self.agree(&reported, &wanted, &format!("read {container}/{blob} {range:?}"));
    }

    async fn list(&mut self) {
        let container = self.rng.pick(&CONTAINERS);
        let (prefix, delimiter) = (self.rng.pick(&["", "a", "a/", "b"]), self.rng.pick(&["", "/", "--"]));
        let (size, uncommitted) = (1 + self.rng.roll(4), self.rng.roll(2) == 0);
        let include = if uncommitted { "uncommittedblobs" } else { "" };
        let (mut reported, mut marker) = (Vec::new(), String::new());
        loop {
            let query = format!("prefix={prefix}&delimiter={delimiter}&maxresults={size}&include={include}&marker={marker}");
            let got = self.server.request("GET", &format!("/{container}?restype=container&comp=list&{query}")).send().await;
            if got.status != 200 {
                reported = vec![got.verdict()];
                break;
            }
            reported.extend(got.elements("Name").into_iter().map(str::to_owned));
            marker = got.element("NextMarker").to_owned();
            if marker.is_empty() || reported.len() > BLOBS.len() {
                break;
            }
        }
        let wanted = self.model.list(container, prefix, delimiter, uncommitted);
        self.agree(
            &reported.join(" "),
            &wanted.join(" "),
            &format!("list {container} {prefix:?} {delimiter:?} by {size}, {include:?}"),
        );
    }

    fn wait(&mut self) {
        let seconds = self.rng.pick(&[1, 5, 5, 9, 10, 15, 15, 30, 60, 7 * 24 * 3600]);
        self.server.wait(seconds);
        self.model.now += seconds;
    }

    /// Every container, every blob, every block.
    async fn look_at_everything(&mut self) {
        let reported = self.describe_everything().await;
        for (server, model) in reported.iter().zip(described_by(&self.model)) {
            self.agree(server, &model, "everything");
        }
    }

    /// The state of the server: every container, every blob, every block.
    async fn describe_everything(&self) -> Vec<String> {
        let listed = self.server.request("GET", "/?comp=list").send().await;
        let mut reported = vec![format!("containers: {}", listed.elements("Name").join(" "))];
        for (container, blob) in CONTAINERS.into_iter().flat_map(|container| BLOBS.map(|blob| (container, blob))) {
            let got = self.server.request("GET", &format!("/{container}/{blob}?comp=blocklist&blocklisttype=all")).send().await;
            let names = if got.status == 200 { got.elements("Name").join(" ") } else { got.verdict() };
            reported.push(format!("blocks of {container}/{blob}: {names}"));
            let got = self.server.request("GET", &format!("/{container}/{blob}")).send().await;
            let text = if got.status == 200 { got.text().to_owned() } else { got.verdict() };
            reported.push(format!("content of {container}/{blob}: {text}"));
        }
        reported
    }
}
