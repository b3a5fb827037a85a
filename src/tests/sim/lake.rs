//! The simulation of accounts with a hierarchical namespace: thousands of random operations of Data Lake and of the Blob API, by the super
//! user and by principals, on the server and on a model of paths.
//!
//! After every operation a list of everything is compared, with lengths, ETags, owners, groups and permissions.

use super::model::{Action, If, Write};
use super::paths::{ANN, Access, BOB, Caller, Names, New, Page, Paths, Rename, STAFF};
use crate::tests::support::rng::{Rng, seeds};
use crate::tests::support::scenario::LEASES;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::{Answer, RequestBuilder, TestServer};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lazuli::ServiceKind::{self, Blob, DataLake};
use std::cell::Cell;

/// Operations of a run.
const STEPS: usize = 800;
/// Operations of a run whose disk stops at each of its writes in turn.
const CRASHED_STEPS: usize = 60;

const ARGUMENTS: [&str; 4] = ["--control", "--dfs-port=0", "--account=devstoreaccount1,hns", "--oauth=dev"];
const SYSTEMS: [&str; 2] = ["one", "two"];
/// One of them is before a slash in the order of bytes.
const NAMES: [&str; 3] = ["a", "a-", "b"];
/// No path is renamed to be deeper.
const DEPTH: usize = 9;
const CALLERS: [Caller; 3] = [Caller::SuperUser, Caller::Principal(ANN), Caller::Principal(BOB)];
const MODES: [u16; 8] = [0o777, 0o777, 0o750, 0o711, 0o640, 0o000, 0o1777, 0o1770];

/// Entries that replace or modify an access control list.
const ENTRIES: [&str; 8] = [
    "user::rwx,group::r-x,other::--x",
    "user::rwx,user:ann:rwx,group::r-x,other::---",
    "user:bob:r-x",
    "group:staff:rwx,mask::r-x",
    "user::r--,group::---,other::rwx",
    "default:user:ann:rwx,default:other::r-x",
    "user::rwx,user:bob:rwx,default:group:staff:rwx",
    "mask::--x",
];
/// Entries that are removed from one.
const REMOVED: [&str; 6] = [
    "user:ann",
    "user:bob,group:staff",
    "mask",
    "default:user,default:group,default:other",
    "user:ann,user:bob,group:staff,mask",
    "default:user:ann,default:mask",
];

/// One run: the server, the model, and what came up.
struct Run {
    seed: u64,
    step: usize,
    server: TestServer,
    model: Paths,
    /// The model before the last request.
    before: Paths,
    rng: Rng,
    /// Whether the disk stopped.
    stopped: Cell<bool>,
}

#[tokio::test]
async fn the_server_does_what_the_model_of_paths_does() {
    for seed in seeds() {
        let mut run = Run::new(seed, &ARGUMENTS).await;
        run.play(STEPS).await;
        run.look_at_everything().await;
    }
}

#[tokio::test]
async fn stopped_and_started_at_any_time_the_server_does_what_the_model_of_paths_does() {
    for seed in seeds() {
        let place = Scratch::new("lake-restarts");
        let mut run = Run::new(seed, &[&ARGUMENTS[..], &["--location", place.path()]].concat()).await;
        while run.step < STEPS {
            run.play(run.step + 1).await;
            match run.rng.roll(60) {
                0 => {
                    run.server.restart().await;
                    run.look_at_everything().await;
                }
                1..=4 => run.server.emulator.store().disk().unwrap().log().snapshot(),
                _ => {}
            }
        }
    }
}

#[tokio::test]
async fn a_disk_that_stops_at_any_write_leaves_whole_changes_of_paths() {
    let seed = seeds()[1 % seeds().len()];
    for writes in 0.. {
        let place = Scratch::new("lake-crash");
        let mut run = Run::new(seed, &[&ARGUMENTS[..], &["--location", place.path()]].concat()).await;
        run.server.emulator.store().disk().unwrap().medium().limit_writes(writes);
        while run.step < CRASHED_STEPS && !run.stopped.get() {
            run.play(run.step + 1).await;
            if run.step % 15 == 0 {
                run.server.emulator.store().disk().unwrap().log().snapshot();
            }
        }
        let stopped = run.stopped.take();
        run.server.restart().await;
        let mut reported = Vec::new();
        for system in 0..SYSTEMS.len() {
            reported.extend(names_of(&run.everything(system).await));
        }
        let all = |model: &Paths| (0..SYSTEMS.len()).flat_map(|system| names_of(&model.everything(system))).collect::<Vec<_>>();
        // A write that failed may be there all the same, but then completely, in both file systems.
        if reported != all(&run.model) {
            assert!(stopped, "LAZULI_SEED={seed}, {writes} writes: what was acknowledged is lost");
            assert_eq!(reported, all(&run.before), "LAZULI_SEED={seed}, {writes} writes");
        }
        let more = run.server.request("PUT", "/one/after/all?resource=file").of(DataLake).send().await;
        assert_ne!(more.status / 100, 5, "{}", more.text());
        if !stopped {
            assert!(writes > 8, "the run writes more than it was stopped in");
            break;
        }
    }
}

/// Entries without what depends on times.
fn names_of(entries: &[String]) -> Vec<String> {
    let fields = |entry: &String| {
        entry.split(' ').enumerate().filter(|(at, _)| *at != 3).map(|(_, field)| field.to_owned()).collect::<Vec<_>>()
    };
    entries.iter().map(|entry| fields(entry).join(" ")).collect()
}

/// The path of a request: `/one/a/b`.
fn target(system: usize, path: &Names) -> String {
    format!("/{}/{}", SYSTEMS[system], path.join("/"))
}

/// The text of an ETag without its quotes, as lists have it.
fn etag(answer: &Answer) -> &str {
    answer.header("etag").trim_matches('"')
}

/// An access control list with its entries sorted.
fn sorted(acl: &str) -> String {
    let mut entries: Vec<&str> = acl.split(',').collect();
    entries.sort_unstable();
    entries.join(",")
}

/// The bearer token of a principal without a role. It does not expire while a simulation moves the clock.
fn token(oid: &str) -> String {
    let groups = if oid == BOB { STAFF } else { "" };
    let claims = format!(
        r#"{{"aud":"https://storage.azure.com/","iss":"https://login.microsoftonline.com/t/v2.0","iat":0,"nbf":0,"exp":99999999999,"oid":"{oid}","tid":"t","roles":[],"groups":["{groups}"]}}"#
    );
    let [header, claims] = [r#"{"typ":"JWT","alg":"RS256"}"#, &claims].map(|text| URL_SAFE_NO_PAD.encode(text));
    format!("Bearer {header}.{claims}.c2lnbmF0dXJl")
}

impl Run {
    async fn new(seed: u64, arguments: &[&str]) -> Run {
        let server = TestServer::with(arguments).await;
        let model = Paths::new(SYSTEMS.len());
        let mut run = Run { seed, step: 0, server, before: model.clone(), model, rng: Rng::new(seed), stopped: Cell::new(false) };
        for (system, name) in SYSTEMS.into_iter().enumerate() {
            run.server.container(name).await;
            // Principals can do something from the beginning.
            run.set_access_of(Caller::SuperUser, system, &Names::new(), Access::Mode(0o777)).await;
            let listed = run.server.request("HEAD", &target(system, &Names::new())).of(DataLake).send().await;
            run.model.learn_root(system, etag(&listed));
        }
        run
    }

    /// Goes on to this step.
    async fn play(&mut self, until: usize) {
        while self.step < until {
            self.step += 1;
            self.before.clone_from(&self.model);
            self.one().await;
            if !self.stopped.get() {
                self.look().await;
            }
        }
    }

    /// One operation, on both sides.
    async fn one(&mut self) {
        match self.rng.roll(100) {
            0..=14 => self.create().await,
            15..=20 => self.put_blob().await,
            21..=28 => self.append().await,
            29..=34 => self.flush().await,
            35..=50 => self.rename().await,
            51..=58 => self.delete().await,
            59..=61 => self.undelete().await,
            62..=67 => self.set_access().await,
            68..=71 => self.change_access().await,
            72..=76 => self.lease().await,
            77..=80 => self.read().await,
            81..=83 => self.check_access().await,
            84..=89 => self.list().await,
            90..=92 => self.list_blobs().await,
            93 | 94 => self.set_expiry().await,
            95 | 96 => self.wait(),
            97 => self.set_retention().await,
            _ => self.look_at_everything().await,
        }
    }

    /// Any path of up to three names, or one that exists.
    fn path(&mut self) -> (usize, Names) {
        let system = self.rng.roll(4) / 3;
        let existing = self.model.paths(system);
        if self.rng.roll(2) == 0 {
            return (system, existing[self.rng.roll(existing.len())].clone());
        }
        let depth = 1 + self.rng.roll(3);
        (system, (0..depth).map(|_| self.rng.pick(&NAMES).to_owned()).collect())
    }

    /// As [`Run::path`], but not the root directory.
    fn path_below(&mut self) -> (usize, Names) {
        let (system, path) = self.path();
        if path.is_empty() { (system, vec![self.rng.pick(&NAMES).to_owned()]) } else { (system, path) }
    }

    fn caller(&mut self) -> Caller {
        CALLERS[self.rng.roll(5).saturating_sub(2)]
    }

    /// A condition and a lease id, mostly none, mostly fitting.
    fn write(&mut self, system: usize, path: &Names) -> Write {
        let known = self.model.etag(system, path).unwrap_or_else(|| "0x1".to_owned());
        let condition = match self.rng.roll(12) {
            0 => If::Missing,
            1 | 2 => If::Match(known),
            3 => If::Match("0x1".to_owned()),
            4 => If::NoneMatch(known),
            _ => If::Always,
        };
        Write { condition, lease: self.shown_lease(system, path) }
    }

    /// As [`Run::write`], without a condition other than `If-Match`.
    fn change(&mut self, system: usize, path: &Names) -> Write {
        let write = self.write(system, path);
        let condition = match write.condition {
            If::Missing | If::NoneMatch(_) => If::Always,
            condition => condition,
        };
        Write { condition, ..write }
    }

    fn shown_lease(&mut self, system: usize, path: &Names) -> Option<String> {
        match self.rng.roll(8) {
            0..=4 => self.model.lease_id(system, path),
            5 => Some(self.rng.pick(&LEASES).1.to_owned()).filter(|_| self.rng.roll(3) == 0),
            _ => None,
        }
    }

    fn request_by(&self, caller: Caller, kind: ServiceKind, method: &str, target: &str) -> RequestBuilder<'_> {
        let request = self.server.request(method, target).of(kind);
        match caller {
            Caller::SuperUser => request,
            Caller::Principal(oid) => request.anonymous().header("authorization", token(oid)),
        }
    }

    /// Adds the headers of a condition and a lease id.
    fn with<'a>(request: RequestBuilder<'a>, write: &Write) -> RequestBuilder<'a> {
        let request = match &write.condition {
            If::Always => request,
            If::Missing => request.header("if-none-match", "*"),
            If::Match(etag) => request.header("if-match", format!("\"{etag}\"")),
            If::NoneMatch(etag) => request.header("if-none-match", format!("\"{etag}\"")),
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

    async fn create(&mut self) {
        let ((system, path), caller) = (self.path_below(), self.caller());
        let write = self.write(system, &path);
        let mut new = New { is_directory: self.rng.roll(2) == 0, ..New::default() };
        match self.rng.roll(5) {
            0 => new.mode = Some(self.rng.pick(&MODES) & 0o777),
            1 => (new.mode, new.umask) = (Some(self.rng.pick(&MODES) & 0o777), Some(0o022)),
            2 => new.acl = Some(self.rng.pick(&ENTRIES)),
            _ => {}
        }
        let kind = if new.is_directory { "directory" } else { "file" };
        let mut request = self.request_by(caller, DataLake, "PUT", &format!("{}?resource={kind}", target(system, &path)));
        request = new.mode.iter().fold(request, |request, mode| request.header("x-ms-permissions", format!("{mode:04o}")));
        request = new.umask.iter().fold(request, |request, umask| request.header("x-ms-umask", format!("{umask:04o}")));
        request = new.acl.iter().fold(request, |request, acl| request.header("x-ms-acl", acl));
        let got = Run::with(request, &write).send().await;
        let wanted = self.model.create(caller, (system, &path), &new, &write, etag(&got));
        self.agree(&got.verdict(), wanted, &format!("create {system} {path:?} {new:?} by {caller:?} {write:?}"));
    }

    async fn put_blob(&mut self) {
        let ((system, path), text) = (self.path_below(), format!("{} ", self.step));
        let write = self.write(system, &path);
        let request =
            self.request_by(Caller::SuperUser, Blob, "PUT", &target(system, &path)).header("x-ms-blob-type", "BlockBlob");
        let got = Run::with(request, &write).body(text.clone()).send().await;
        let wanted = self.model.put_blob((system, &path), &write, &text, etag(&got));
        self.agree(&got.verdict(), wanted, &format!("put blob {system} {path:?} {write:?}"));
    }

    async fn append(&mut self) {
        let ((system, path), caller) = (self.path_below(), self.caller());
        let (text, (length, end)) = (format!("{} ", self.step), self.model.ends(system, &path));
        let position = self.rng.pick(&[end, end, end, length, end + 3]);
        let flushes = self.rng.roll(3) == 0;
        let write = Write { condition: If::Always, lease: self.shown_lease(system, &path) };
        let query = format!("?action=append&position={position}{}", if flushes { "&flush=true" } else { "" });
        let request = self.request_by(caller, DataLake, "PATCH", &(target(system, &path) + &query)).body(text.clone());
        let got = Run::with(request, &write).send().await;
        let flushed = flushes.then(|| etag(&got));
        let wanted = self.model.append(caller, (system, &path), (position, &text), &write, flushed);
        self.agree(&got.verdict(), wanted, &format!("append {system} {path:?} {query} by {caller:?} {write:?}"));
    }

    async fn flush(&mut self) {
        let ((system, path), caller) = (self.path_below(), self.caller());
        let (length, end) = self.model.ends(system, &path);
        let (position, retains) = (self.rng.pick(&[end, end, end, end, length, end + 1]), self.rng.roll(3) == 0);
        let write = self.change(system, &path);
        let query = format!("?action=flush&position={position}&retainUncommittedData={retains}");
        let request = self.request_by(caller, DataLake, "PATCH", &(target(system, &path) + &query));
        let got = Run::with(request, &write).send().await;
        let wanted = self.model.flush(caller, (system, &path), (position, retains), &write, etag(&got));
        self.agree(&got.verdict(), wanted, &format!("flush {system} {path:?} {query} by {caller:?} {write:?}"));
    }

    async fn rename(&mut self) {
        let (from, mut to, caller) = (self.path_below(), self.path(), self.caller());
        // Mostly within a file system, also onto, into and below itself.
        if self.rng.roll(4) > 0 {
            to.0 = from.0;
        }
        let is_posix = self.rng.roll(2) == 0;
        if !is_posix && to.1.is_empty() || self.model.depth(from.0, &from.1) - from.1.len() + to.1.len() >= DEPTH {
            return;
        }
        let destination = self.write(to.0, &to.1);
        let rename = Rename { source_lease: self.shown_lease(from.0, &from.1), from, to, is_posix, destination };
        let mode = if is_posix { "posix" } else { "legacy" };
        let request = self.request_by(caller, DataLake, "PUT", &format!("{}?mode={mode}", target(rename.to.0, &rename.to.1)));
        let request = request.header("x-ms-rename-source", target(rename.from.0, &rename.from.1));
        let request = rename.source_lease.iter().fold(request, |request, id| request.header("x-ms-source-lease-id", id));
        let got = Run::with(request, &rename.destination).send().await;
        let wanted = self.model.rename(caller, &rename);
        self.agree(&got.verdict(), wanted, &format!("{rename:?} by {caller:?}"));
    }

    async fn delete(&mut self) {
        let ((system, path), caller) = (self.path(), self.caller());
        let (write, is_recursive) = (self.change(system, &path), self.rng.roll(2) == 0);
        let what = format!("delete {system} {path:?} recursive {is_recursive} by {caller:?} {write:?}");
        if self.rng.roll(4) == 0 && !path.is_empty() {
            let got = Run::with(self.request_by(Caller::SuperUser, Blob, "DELETE", &target(system, &path)), &write).send().await;
            let wanted = match self.model.delete(Caller::SuperUser, (system, &path), false, &write, "") {
                "200" => "202",
                "404 PathNotFound" => "404 BlobNotFound",
                "409 DirectoryNotEmpty" => "409 DirectoryIsNotEmpty",
                "412 LeaseIdMismatch" => "412 LeaseIdMismatchWithBlobOperation",
                "412 LeaseNotPresent" => "412 LeaseNotPresentWithBlobOperation",
                same => same,
            };
            return self.agree(&got.verdict(), wanted, &format!("{what}, as a blob"));
        }
        let query = format!("{}?recursive={is_recursive}", target(system, &path));
        let got = Run::with(self.request_by(caller, DataLake, "DELETE", &query), &write).send().await;
        let wanted = self.model.delete(caller, (system, &path), is_recursive, &write, got.header("x-ms-deletion-id"));
        self.agree(&got.verdict(), wanted, &what);
    }

    async fn undelete(&mut self) {
        let (system, mut path) = self.path_below();
        let known = self.model.deleted(system);
        let (source, id) = match known.len() {
            0 => (path.join("/"), "1".to_owned()),
            count => known[self.rng.roll(count)].clone(),
        };
        if self.rng.roll(2) == 0 {
            path = source.split('/').map(str::to_owned).collect();
        }
        let request = self.request_by(Caller::SuperUser, Blob, "PUT", &format!("{}?comp=undelete", target(system, &path)));
        let got = request.header("x-ms-undelete-source", format!("{source}?deletionid={id}")).send().await;
        let wanted = self.model.undelete((system, &path), (&source, &id));
        self.agree(&got.verdict(), wanted, &format!("undelete {system} {source} {id} as {path:?}"));
    }

    async fn set_access(&mut self) {
        let ((system, path), caller) = (self.path(), self.caller());
        let access = match self.rng.roll(8) {
            0..=2 => Access::Mode(self.rng.pick(&MODES)),
            3..=5 => Access::Acl(self.rng.pick(&ENTRIES)),
            6 => Access::Owner(self.rng.pick(&[ANN, BOB])),
            _ => Access::Group(self.rng.pick(&[STAFF, ANN])),
        };
        self.set_access_of(caller, system, &path, access).await;
    }

    async fn set_access_of(&mut self, caller: Caller, system: usize, path: &Names, access: Access) {
        let request = self.request_by(caller, DataLake, "PATCH", &format!("{}?action=setAccessControl", target(system, path)));
        let request = match access {
            Access::Mode(mode) => request.header("x-ms-permissions", format!("{mode:04o}")),
            Access::Acl(acl) => request.header("x-ms-acl", acl),
            Access::Owner(owner) => request.header("x-ms-owner", owner),
            Access::Group(group) => request.header("x-ms-group", group),
        };
        let got = request.send().await;
        let wanted = self.model.set_access(caller, (system, path), access);
        self.agree(&got.verdict(), wanted, &format!("set access {system} {path:?} {access:?} by {caller:?}"));
    }

    async fn change_access(&mut self) {
        let ((system, path), caller) = (self.path(), self.caller());
        let mode = self.rng.pick(&["set", "modify", "remove"]);
        let acl = if mode == "remove" { self.rng.pick(&REMOVED) } else { self.rng.pick(&ENTRIES) };
        let (most, is_forced) = (1 + self.rng.roll(4), self.rng.roll(2) == 0);
        let mut page = Page { mode, acl, from: None, most, is_forced };
        let mut continuation = String::new();
        loop {
            let query =
                format!("?action=setAccessControlRecursive&mode={mode}&maxRecords={most}&forceFlag={is_forced}{continuation}");
            let request = self.request_by(caller, DataLake, "PATCH", &(target(system, &path) + &query)).header("x-ms-acl", acl);
            let got = request.send().await;
            let mut reported = got.verdict();
            if got.status == 200 {
                let report: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
                let failed: Vec<&str> =
                    report["failedEntries"].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap()).collect();
                reported = format!("200 {} {} {}", report["directoriesSuccessful"], report["filesSuccessful"], failed.join(" "));
            }
            self.before.clone_from(&self.model);
            let (wanted, next) = self.model.change_access(caller, (system, &path), &page);
            let next_reported = got.header("x-ms-continuation");
            self.agree(&reported, &wanted, &format!("{page:?} of {system} {path:?} by {caller:?}"));
            if self.stopped.get() {
                return;
            }
            self.agree(&(!next_reported.is_empty()).to_string(), &next.is_some().to_string(), &format!("after {page:?}"));
            if next.is_none() {
                return;
            }
            page.from = next;
            continuation = format!("&continuation={}", escaped(next_reported));
        }
    }

    async fn lease(&mut self) {
        let (system, path) = self.path_below();
        let any = self.rng.pick(&LEASES).1;
        let held = self.model.lease_id(system, &path);
        let id = LEASES.iter().map(|(_, id)| *id).find(|id| held.as_deref() == Some(id)).unwrap_or(any);
        let action = match self.rng.roll(7) {
            0..=3 => Action::Acquire(id, self.rng.pick(&[-1, -1, 15])),
            4 | 5 => Action::Release(id),
            _ => Action::Break(Some(self.rng.pick(&[0, 10]))),
        };
        let request = self.request_by(Caller::SuperUser, DataLake, "POST", &target(system, &path));
        let request = match action {
            Action::Acquire(id, seconds) => request
                .header("x-ms-lease-action", "acquire")
                .header("x-ms-proposed-lease-id", id)
                .header("x-ms-lease-duration", seconds),
            Action::Release(id) => request.header("x-ms-lease-action", "release").header("x-ms-lease-id", id),
            Action::Break(period) => {
                let request = request.header("x-ms-lease-action", "break");
                period.iter().fold(request, |request, seconds| request.header("x-ms-lease-break-period", seconds))
            }
            Action::Renew(_) | Action::Change(..) => return,
        };
        let got = request.send().await;
        let wanted = self.model.lease((system, &path), action);
        self.agree(&got.verdict(), wanted, &format!("lease {system} {path:?} {action:?}"));
    }

    async fn read(&mut self) {
        let ((system, path), caller) = (self.path_below(), self.caller());
        self.read_as(caller, system, &path).await;
    }

    async fn read_as(&self, caller: Caller, system: usize, path: &Names) {
        let got = self.request_by(caller, DataLake, "GET", &target(system, path)).send().await;
        let mut reported = got.verdict();
        if got.status == 200 {
            reported = format!("200 {:?} {} {}", got.text(), etag(&got), got.header("x-ms-lease-state"));
        }
        self.agree(&reported, &self.model.read(caller, (system, path)), &format!("read {system} {path:?} by {caller:?}"));
    }

    async fn check_access(&mut self) {
        let ((system, path), caller) = (self.path(), self.caller());
        let wanted = self.rng.pick(&[("r--", 4), ("-wx", 3), ("r-x", 5), ("rwx", 7)]);
        let query = format!("{}?action=checkAccess&fsAction={}", target(system, &path), wanted.0);
        let got = self.request_by(caller, DataLake, "HEAD", &query).send().await;
        let expected = self.model.check_access(caller, (system, &path), wanted.1);
        self.agree(&got.verdict(), expected, &format!("check access {system} {path:?} {} by {caller:?}", wanted.0));
        self.access_as(caller, system, &path).await;
    }

    async fn access_as(&self, caller: Caller, system: usize, path: &Names) {
        let got =
            self.request_by(caller, DataLake, "HEAD", &format!("{}?action=getAccessControl", target(system, path))).send().await;
        let mut reported = got.verdict();
        if got.status == 200 {
            let [owner, group, permissions, acl] =
                ["x-ms-owner", "x-ms-group", "x-ms-permissions", "x-ms-acl"].map(|name| got.header(name));
            reported = format!("200 {owner} {group} {permissions} {}", sorted(acl));
        }
        self.agree(&reported, &self.model.access(caller, (system, path)), &format!("access of {system} {path:?} by {caller:?}"));
    }

    async fn list(&mut self) {
        let ((system, path), caller) = (self.path(), self.caller());
        let (is_recursive, most) = (self.rng.roll(2) == 0, 1 + self.rng.roll(4));
        let reported = self.listed(caller, system, &path, is_recursive, most).await;
        let wanted = self.model.list(caller, (system, &path), is_recursive, most);
        let what = format!("list {system} {path:?} recursive {is_recursive} by {most} and {caller:?}");
        self.agree(&reported.join("\n"), &wanted.join("\n"), &what);
    }

    /// A list of Data Lake, page by page.
    async fn listed(&self, caller: Caller, system: usize, path: &Names, is_recursive: bool, most: usize) -> Vec<String> {
        let (mut listed, mut continuation) = (Vec::new(), String::new());
        loop {
            let query = format!("?resource=filesystem&recursive={is_recursive}&maxResults={most}&directory={}", path.join("/"));
            let got =
                self.request_by(caller, DataLake, "GET", &format!("/{}{query}{continuation}", SYSTEMS[system])).send().await;
            if got.status != 200 {
                listed.push(got.verdict());
                return listed;
            }
            let document: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
            let page = document["paths"].as_array().unwrap();
            assert!(page.len() <= most, "{query}: {} entries", page.len());
            listed.extend(page.iter().map(|entry| {
                let text = |name: &str| entry[name].as_str().unwrap_or_default();
                let kind = if text("isDirectory") == "true" { "d" } else { "f" };
                let fields =
                    [text("name"), kind, text("contentLength"), text("etag"), text("owner"), text("group"), text("permissions")];
                fields.join(" ")
            }));
            let next = got.header("x-ms-continuation");
            if next.is_empty() {
                return listed;
            }
            continuation = format!("&continuation={}", escaped(next));
        }
    }

    async fn list_blobs(&mut self) {
        let system = self.rng.roll(2);
        let (prefix, has_delimiter) = (self.rng.pick(&["", "a", "a/", "a-", "a/a", "b/a/", "b"]), self.rng.roll(2) == 0);
        let most = 1 + self.rng.roll(4);
        let query = format!("&prefix={prefix}&delimiter={}&maxresults={most}", if has_delimiter { "/" } else { "" });
        let reported: Vec<String> = self.listed_blobs(system, &query).await.into_iter().map(|(name, _)| name).collect();
        let wanted = self.model.list_blobs(system, prefix, has_delimiter);
        self.agree(&reported.join(" "), &wanted.join(" "), &format!("list blobs {system} {query}"));
    }

    /// The names in a list of blobs with the ids of their deletions, page by page.
    async fn listed_blobs(&self, system: usize, query: &str) -> Vec<(String, String)> {
        let (mut listed, mut marker) = (Vec::new(), String::new());
        loop {
            let query = format!("/{}?restype=container&comp=list{query}&marker={marker}", SYSTEMS[system]);
            let got = self.request_by(Caller::SuperUser, Blob, "GET", &query).send().await;
            assert_eq!(got.verdict(), "200", "{query}");
            let ids = got.elements("DeletionId").into_iter().chain(std::iter::repeat(""));
            listed.extend(got.elements("Name").into_iter().zip(ids).map(|(name, id)| (name.to_owned(), id.to_owned())));
            marker = escaped(got.element("NextMarker"));
            if marker.is_empty() {
                return listed;
            }
        }
    }

    async fn set_expiry(&mut self) {
        let (system, path) = self.path_below();
        if self.model.find(system, &path).is_some_and(|node| node.is_directory) {
            return;
        }
        let (seconds, lease) = (self.rng.pick(&[5, 20]), self.shown_lease(system, &path));
        let request = self.request_by(Caller::SuperUser, Blob, "PUT", &format!("{}?comp=expiry", target(system, &path)));
        let request = request.header("x-ms-expiry-option", "RelativeToNow").header("x-ms-expiry-time", seconds * 1000);
        let got = lease.iter().fold(request, |request, id| request.header("x-ms-lease-id", id)).send().await;
        let wanted = self.model.set_expiry((system, &path), seconds, lease.as_ref());
        self.agree(&got.verdict(), wanted, &format!("expiry of {system} {path:?}"));
    }

    fn wait(&mut self) {
        let seconds = self.rng.pick(&[5, 10, 10, 15, 3600, 2 * 24 * 3600, 8 * 24 * 3600]);
        self.server.wait(seconds);
        self.model.wait(seconds);
    }

    async fn set_retention(&mut self) {
        let days = self.rng.pick(&[None, Some(1), Some(7), Some(7)]);
        let days_element = days.map(|days| format!("<Days>{days}</Days>")).unwrap_or_default();
        let policy =
            format!("<DeleteRetentionPolicy><Enabled>{}</Enabled>{days_element}</DeleteRetentionPolicy>", days.is_some());
        let body = format!("<StorageServiceProperties>{policy}</StorageServiceProperties>");
        let got = self.request_by(Caller::SuperUser, Blob, "PUT", "/?restype=service&comp=properties").body(body).send().await;
        self.agree(&got.verdict(), "202", "retention");
        if !self.stopped.get() {
            self.model.retention = days;
        }
    }

    /// Compares all paths, and all deletions.
    async fn look(&mut self) {
        for system in 0..SYSTEMS.len() {
            let reported = self.everything(system).await;
            self.model.learn_etags(system, &reported);
            self.agree(&reported.join("\n"), &self.model.everything(system).join("\n"), &format!("all of {system}"));
        }
    }

    /// The paths of a file system, and the deleted ones.
    async fn everything(&mut self, system: usize) -> Vec<String> {
        let mut all = self.listed(Caller::SuperUser, system, &Names::new(), true, 5000).await;
        let deleted = self.listed_blobs(system, "&showonly=deleted").await;
        self.model.learn_deletions(system, &deleted);
        all.extend(deleted.into_iter().map(|(path, _)| format!("deleted {path}")));
        all
    }

    /// Compares the content and the access control of each path.
    async fn look_at_everything(&mut self) {
        self.look().await;
        for system in 0..SYSTEMS.len() {
            for path in self.model.paths(system) {
                self.access_as(Caller::SuperUser, system, &path).await;
                if !path.is_empty() {
                    self.read_as(Caller::SuperUser, system, &path).await;
                }
            }
        }
    }
}

/// A continuation as a query has it.
fn escaped(text: &str) -> String {
    text.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D")
}
