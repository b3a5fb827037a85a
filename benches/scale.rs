//! The cost of an operation by the number of other items: no operation on one entity or message may depend on how many others exist.
//!
//! `cargo bench --bench scale` starts a server in this process, fills it over its socket, and prints medians of sequential requests on
//! one connection. `-- paths` only measures the paths of Data Lake, `-- checkpoints` only what a checkpoint and a restore cost.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement reads the clock, prints its results, and ends if something fails"
)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use lazuli::{Config, Emulator, ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::cell::Cell;
use std::time::{Duration, Instant};

const LITTLE: usize = 10_000;
const MUCH: usize = 1_000_000;
/// Paths of a file system: half of them in one directory, half in directories of a thousand.
const MANY_PATHS: usize = 2_000_000;
/// Requests of a measurement.
const TIMES: usize = 1_000;
/// Entities of a partition.
const PARTITION: usize = 100;
/// Files beside a checkpoint, and those of a directory.
const FILES: usize = 100_000;
const FILES_OF_DIRECTORY: usize = 1_000;
/// How many blobs change between a checkpoint and its restore, and how often that is measured.
const CHANGES: [(usize, usize); 4] = [(0, 20), (1, 20), (1_000, 20), (100_000, 5)];

struct Bench {
    emulator: Emulator,
    client: Client<HttpConnector, Full<Bytes>>,
    sas: String,
}

impl Bench {
    async fn start(more: &[&str]) -> Bench {
        let account = format!("--account={WELL_KNOWN_ACCOUNT},hns");
        let ports = ["--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0"];
        let config = Config::from_arguments(ports.iter().chain([&account.as_str()]).chain(more)).unwrap();
        let emulator = Emulator::builder().config(config).start().await.unwrap();
        Bench { emulator, client: Client::builder(TokioExecutor::new()).build_http(), sas: sas() }
    }

    async fn request(&self, kind: ServiceKind, method: &str, target: &str, content_type: &str, body: String) -> Bytes {
        self.request_with(kind, method, target, &[("content-type", content_type)], body).await
    }

    async fn request_with(&self, kind: ServiceKind, method: &str, target: &str, headers: &[(&str, &str)], body: String) -> Bytes {
        let joint = if target.contains('?') { '&' } else { '?' };
        let url = format!("{}{target}{joint}{}", self.emulator.endpoint(kind, WELL_KNOWN_ACCOUNT).unwrap(), self.sas);
        let request = http::Request::builder().method(method).uri(url).header("x-ms-version", "2021-12-02");
        let request = request.header("accept", "application/json;odata=nometadata");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = request.header("content-length", body.len()).body(Full::new(Bytes::from(body))).unwrap();
        let response = self.client.request(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(status.is_success(), "{method} {target}: {status} {}", String::from_utf8_lossy(&body));
        body
    }

    /// The milliseconds of a control request.
    async fn control(&self, path: &str) -> f64 {
        let port = self.emulator.addresses().iter().find(|address| address.kind == ServiceKind::Blob).unwrap().port;
        let request = http::Request::builder().method("POST").uri(format!("http://127.0.0.1:{port}/_lazuli{path}"));
        let start = Instant::now();
        let response = self.client.request(request.body(Full::default()).unwrap()).await.unwrap();
        let time = start.elapsed();
        assert!(response.status().is_success(), "{path}: {}", response.status());
        response.into_body().collect().await.unwrap();
        time.as_secs_f64() * 1e3
    }

    /// The longest time of a Get Blob while a future runs, in milliseconds, and what the future returns.
    async fn longest_read<T>(&self, during: impl Future<Output = T>) -> (f64, T) {
        let longest = Cell::new(0.0_f64);
        let reads = async {
            loop {
                let start = Instant::now();
                self.request(ServiceKind::Blob, "GET", "/other/blob", "", String::new()).await;
                longest.set(longest.get().max(start.elapsed().as_secs_f64() * 1e3));
            }
        };
        let result = tokio::select! {
            result = during => result,
            () = reads => unreachable!("reads never end"),
        };
        (longest.get(), result)
    }

    /// The median time of a request, in microseconds. `target` gets the number of the request.
    async fn time(&self, kind: ServiceKind, target: impl Fn(usize) -> String) -> f64 {
        let mut times: Vec<Duration> = Vec::with_capacity(TIMES);
        for n in 0..TIMES {
            let target = target(n);
            let start = Instant::now();
            self.request(kind, "GET", &target, "application/json", String::new()).await;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        times[TIMES / 2].as_secs_f64() * 1e6
    }

    /// The median time of a request on a path, in microseconds. `request` gets its number, and returns it with the source of a rename.
    async fn time_path(&self, request: impl Fn(usize) -> (&'static str, String, String)) -> f64 {
        let mut times: Vec<Duration> = Vec::with_capacity(TIMES);
        for n in 0..TIMES {
            let (method, target, source) = request(n);
            let header = if source.is_empty() { ("content-type", "text/plain") } else { ("x-ms-rename-source", source.as_str()) };
            let start = Instant::now();
            self.request_with(ServiceKind::Blob, method, &target, &[header], String::new()).await;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        times[TIMES / 2].as_secs_f64() * 1e6
    }

    /// Sends requests of the Blob service, 64 at a time.
    async fn fill(&self, targets: impl Iterator<Item = String>) {
        self.put_all(ServiceKind::Blob, targets, &[], "").await;
    }

    /// Sends PUT requests, 64 at a time.
    async fn put_all(&self, kind: ServiceKind, targets: impl Iterator<Item = String>, headers: &[(&str, &str)], body: &str) {
        let mut targets = targets.peekable();
        while targets.peek().is_some() {
            let some = targets.by_ref().take(64).collect::<Vec<_>>();
            let puts = some.iter().map(|target| self.request_with(kind, "PUT", target, headers, body.to_owned()));
            futures::future::join_all(puts).await;
        }
    }

    /// Puts blobs all over the container of a million.
    async fn put_blobs(&self, count: usize, body: &str) {
        let targets = (0..count).map(|n| format!("/box/{:07}", n * (MUCH / count)));
        self.put_all(ServiceKind::Blob, targets, &[("x-ms-blob-type", "BlockBlob")], body).await;
    }

    /// A file system with so many paths.
    async fn file_system(&self, name: &str, count: usize) {
        self.request(ServiceKind::Blob, "PUT", &format!("/{name}?resource=filesystem"), "", String::new()).await;
        self.fill(std::iter::once(format!("/{name}/{}/f?resource=file", deep()))).await;
        self.fill((0..count / 2).map(|n| format!("/{name}/wide/{n:07}?resource=file"))).await;
        self.fill((0..count / 2).map(|n| format!("/{name}/tree/{:04}/{:03}?resource=file", n / 1000, n % 1000))).await;
    }

    /// A table with so many entities, a hundred in each partition.
    async fn table(&self, name: &str, count: usize) {
        let made = format!(r#"{{"TableName":"{name}"}}"#);
        self.request(ServiceKind::Table, "POST", "/Tables", "application/json", made).await;
        for partition in 0..count / PARTITION {
            let inserts: String = (0..PARTITION)
                .map(|row| {
                    let entity =
                        format!(r#"{{"PartitionKey":"p{partition:06}","RowKey":"{row:03}","age":{row},"name":"someone"}}"#);
                    format!(
                        "--c\nContent-Type: application/http\n\nPOST /{name} HTTP/1.1\nPrefer: return-no-content\n\n{entity}\n"
                    )
                })
                .collect();
            let body = format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n{inserts}--c--\n--b--");
            let answer = self.request(ServiceKind::Table, "POST", "/$batch", "multipart/mixed; boundary=b", body).await;
            assert!(!String::from_utf8_lossy(&answer).contains("odata.error"));
        }
    }

    /// A queue with so many messages, all in sight or all but two thousand out of it.
    async fn queue(&self, name: &str, count: usize, hidden: bool) {
        self.request(ServiceKind::Queue, "PUT", &format!("/{name}"), "", String::new()).await;
        let put = async |hidden: bool, count: usize| {
            let target = format!("/{name}/messages?visibilitytimeout={}", if hidden { 604_000 } else { 0 });
            let body = "<QueueMessage><MessageText>aGVsbG8gd29ybGQ=</MessageText></QueueMessage>";
            // Sixteen at a time, for filling is not what is measured.
            for _ in 0..count.div_ceil(16) {
                let puts = (0..16).map(|_| self.request(ServiceKind::Queue, "POST", &target, "application/xml", body.to_owned()));
                futures::future::join_all(puts).await;
            }
        };
        put(hidden, count).await;
        if hidden {
            put(false, 2 * TIMES).await;
        }
    }
}

/// The query of an account SAS that permits everything.
fn sas() -> String {
    let fields = [WELL_KNOWN_ACCOUNT, "rwdlacup", "bqtf", "sco", "", "2100-01-01", "", "", "2019-02-02", ""].join("\n");
    let mac = Hmac::<sha2::Sha256>::new_from_slice(&STANDARD.decode(WELL_KNOWN_KEY).unwrap()).unwrap();
    let signature = STANDARD.encode(mac.chain_update(fields.as_bytes()).finalize().into_bytes());
    let signature = utf8_percent_encode(&signature, NON_ALPHANUMERIC);
    format!("sv=2019-02-02&ss=bqtf&srt=sco&sp=rwdlacup&se=2100-01-01&sig={signature}")
}

/// A path of sixty directories.
fn deep() -> String {
    (0..60).map(|depth| format!("deep{depth:02}")).collect::<Vec<_>>().join("/")
}

fn show(what: &str, little: f64, much: f64) {
    println!("| {what} | {little:.0} µs | {much:.0} µs | {:.2} |", much / little);
}

/// Measures the paths of Data Lake.
async fn paths(bench: &Bench) {
    let systems = [("few", LITTLE), ("many", MANY_PATHS)];
    println!("| request | beside {LITTLE} | beside {MANY_PATHS} | ratio |\n|---|---|---|---|");
    for (name, count) in systems {
        bench.file_system(name, count).await;
    }
    // Paths all over the directory, by a step that is prime to their number.
    let at = |n: usize, count: usize| n * 7_919 % (count / 2);
    type Request = fn(&str, usize, usize) -> (&'static str, String, String);
    let none = String::new;
    let requests: [(&str, Request); 11] = [
        ("properties of a file", |name, _, at| ("HEAD", format!("/{name}/wide/{at:07}"), String::new())),
        ("properties below 60 directories", |name, _, _| ("HEAD", format!("/{name}/{}/f", deep()), String::new())),
        ("a page of 100 paths", |name, _, at| {
            let query = format!("resource=filesystem&recursive=false&maxResults=100&directory=wide&beginFrom={at:07}");
            ("GET", format!("/{name}?{query}"), String::new())
        }),
        ("a page of 100 paths, recursive", |name, _, at| {
            let query =
                format!("resource=filesystem&recursive=true&maxResults=100&beginFrom=tree/{:04}/{:03}", at / 1000, at % 1000);
            ("GET", format!("/{name}?{query}"), String::new())
        }),
        ("a page of 100 blobs", |name, _, at| {
            let query = format!("restype=container&comp=list&maxresults=100&prefix=tree/{:04}/", at / 1000);
            ("GET", format!("/{name}?{query}"), String::new())
        }),
        ("create", |name, n, _| ("PUT", format!("/{name}/wide/new{n}?resource=file"), String::new())),
        ("create a file and two directories", |name, n, _| {
            ("PUT", format!("/{name}/tree/new{n}/d/f?resource=file"), String::new())
        }),
        ("rename a file", |name, n, _| ("PUT", format!("/{name}/tree/moved{n}?mode=legacy"), format!("/{name}/wide/new{n}"))),
        ("rename the directory of half of them", |name, n, _| {
            let (from, to) = if n % 2 == 0 { ("wide", "broad") } else { ("broad", "wide") };
            ("PUT", format!("/{name}/{to}?mode=legacy"), format!("/{name}/{from}"))
        }),
        ("delete a file", |name, n, _| ("DELETE", format!("/{name}/tree/moved{n}"), String::new())),
        ("delete a directory", |name, n, _| ("DELETE", format!("/{name}/tree/new{n}?recursive=true"), String::new())),
    ];
    for (what, request) in requests {
        let mut medians = [0.0; 2];
        for (median, (name, count)) in medians.iter_mut().zip(systems) {
            *median = bench.time_path(|n| request(name, n, at(n, count))).await;
        }
        show(what, medians[0], medians[1]);
    }
    let mut whole = [0.0; 2];
    for (time, (name, _)) in whole.iter_mut().zip(systems) {
        let start = Instant::now();
        bench.request(ServiceKind::Blob, "DELETE", &format!("/{name}/wide?recursive=true"), "", none()).await;
        *time = start.elapsed().as_secs_f64() * 1e6;
    }
    show("delete the directory of half of them", whole[0], whole[1]);
    let mut after = [0.0; 2];
    for (time, (name, _)) in after.iter_mut().zip(systems) {
        *time = bench.time_path(|n| ("PUT", format!("/{name}/after{n}?resource=file"), none())).await;
    }
    show("create right after it", after[0], after[1]);
}

/// Measures checkpoints beside a million blobs, a million entities and a hundred thousand files, in memory or in a folder.
async fn checkpoints(what: &str, more: &[&str]) {
    let bench = Bench::start(&[&["--control"], more].concat()).await;
    for container in ["box", "other"] {
        bench.fill(std::iter::once(format!("/{container}?restype=container"))).await;
    }
    let other = std::iter::once("/other/blob".to_owned());
    bench.put_all(ServiceKind::Blob, other, &[("x-ms-blob-type", "BlockBlob")], "content").await;
    bench.put_blobs(MUCH, "first").await;
    bench.table("much", MUCH).await;
    let directories = (0..FILES / FILES_OF_DIRECTORY).map(|n| format!("/box/{n}?restype=directory"));
    let files = (0..FILES).map(|n| format!("/box/{}/{n}", n / FILES_OF_DIRECTORY));
    bench.put_all(ServiceKind::File, std::iter::once("/box?restype=share".to_owned()), &[], "").await;
    bench.put_all(ServiceKind::File, directories, &[], "").await;
    bench.put_all(ServiceKind::File, files, &[("x-ms-type", "file"), ("x-ms-content-length", "0")], "").await;

    bench.control("/checkpoints/clean").await;
    for (changed, times) in CHANGES {
        let (mut saves, mut restores, mut stall) = (Vec::new(), Vec::new(), 0.0_f64);
        for _ in 0..times {
            if changed > 0 {
                bench.put_blobs(changed, "second").await;
            }
            let both = async { (bench.control("/checkpoints/later").await, bench.control("/checkpoints/clean/restore").await) };
            let (longest, (save, restore)) = bench.longest_read(both).await;
            saves.push(save);
            restores.push(restore);
            stall = stall.max(longest);
        }
        let median = |times: &mut [f64]| {
            times.sort_unstable_by(f64::total_cmp);
            times[times.len() / 2]
        };
        println!(
            "| {what}, {changed} changed | {:.1} ms | {:.1} ms | {stall:.1} ms |",
            median(&mut saves),
            median(&mut restores)
        );
    }
    bench.emulator.stop().await;
}

/// Measures checkpoints in memory and on disk.
async fn all_checkpoints() {
    println!("\n| blobs | checkpoint | restore | longest Get Blob meanwhile |\n|---|---|---|---|");
    checkpoints("in memory", &[]).await;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-scale-{}", std::process::id()));
    checkpoints("on disk", &[&format!("--location={}", folder.display())]).await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::main]
async fn main() {
    if std::env::args().any(|argument| argument == "checkpoints") {
        return all_checkpoints().await;
    }
    let bench = Bench::start(&[]).await;
    if std::env::args().any(|argument| argument == "paths") {
        return paths(&bench).await;
    }
    println!("| request | beside {LITTLE} | beside {MUCH} | ratio |\n|---|---|---|---|");

    let tables = [("little", LITTLE), ("much", MUCH)];
    for (name, count) in tables {
        bench.table(name, count).await;
    }
    // Partitions all over the table, by a step that is prime to their number.
    let partition = |n: usize, count: usize| n * 7_919 % (count / PARTITION);
    type Target = fn(&str, usize) -> String;
    let queries: [(&str, Target); 3] = [
        ("one entity", |name, partition| format!("/{name}(PartitionKey='p{partition:06}',RowKey='042')")),
        ("the hundred of a partition", |name, partition| format!("/{name}()?$filter=PartitionKey%20eq%20%27p{partition:06}%27")),
        ("the first hundred", |name, _| format!("/{name}()?$top=100")),
    ];
    for (what, target) in queries {
        let [little, much] = tables;
        // In turn, twice, so that a machine that changes its pace does so for both.
        let mut medians = [[0.0; 2]; 2];
        for round in &mut medians {
            for (median, (name, count)) in round.iter_mut().zip([little, much]) {
                *median = bench.time(ServiceKind::Table, |n| target(name, partition(n, count))).await;
            }
        }
        show(what, medians[0][0].min(medians[1][0]), medians[0][1].min(medians[1][1]));
    }

    for (what, hidden) in [("a message, others in sight", false), ("a message, others hidden", true)] {
        let mut medians = [0.0; 2];
        for (median, (name, count)) in medians.iter_mut().zip(tables) {
            let name = format!("{name}-{hidden}");
            bench.queue(&name, count, hidden).await;
            *median = bench.time(ServiceKind::Queue, |_| format!("/{name}/messages?visibilitytimeout=600")).await;
        }
        show(what, medians[0], medians[1]);
    }
    paths(&bench).await;
    bench.emulator.stop().await;
    all_checkpoints().await;
}
