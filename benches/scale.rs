//! The cost of an operation beside little data and beside much: the time of an operation on one entity or one message must not depend
//! on the number of others.
//!
//! `cargo bench --bench scale` starts a server in this process, fills it over its socket, and shows medians of single requests, one
//! after the other, on one connection.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement looks at the clock, says what it saw, and ends where something is wrong"
)]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use lazuli::config::{Command, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use lazuli::environment::Environment;
use lazuli::operation::ServiceKind;
use lazuli::{Emulator, config};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::ffi::OsString;
use std::time::{Duration, Instant};

const LITTLE: usize = 10_000;
const MUCH: usize = 1_000_000;
/// Requests of a measurement.
const TIMES: usize = 1_000;
/// Entities of a partition.
const PARTITION: usize = 100;

struct Bench {
    emulator: Emulator,
    client: Client<HttpConnector, Full<Bytes>>,
    sas: String,
}

impl Bench {
    async fn start() -> Bench {
        let words = ["lazuli", "--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0"];
        let Ok(Command::Serve(config)) = config::read(words.map(OsString::from), &|_| None) else {
            unreachable!("these are flags")
        };
        let emulator = Emulator::start(&config, Environment::real()).await.unwrap();
        Bench { emulator, client: Client::builder(TokioExecutor::new()).build_http(), sas: sas() }
    }

    async fn request(&self, kind: ServiceKind, method: &str, target: &str, content_type: &str, body: String) -> Bytes {
        let joint = if target.contains('?') { '&' } else { '?' };
        let url = format!("{}{target}{joint}{}", self.emulator.url(kind, WELL_KNOWN_ACCOUNT).unwrap(), self.sas);
        let request = http::Request::builder().method(method).uri(url).header("x-ms-version", "2021-12-02");
        let request = request.header("accept", "application/json;odata=nometadata").header("content-type", content_type);
        let request = request.header("content-length", body.len()).body(Full::new(Bytes::from(body))).unwrap();
        let response = self.client.request(request).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(status.is_success(), "{method} {target}: {status} {}", String::from_utf8_lossy(&body));
        body
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
    let fields = [WELL_KNOWN_ACCOUNT, "rwdlacup", "qt", "sco", "", "2100-01-01", "", "", "2019-02-02", ""].join("\n");
    let mac = Hmac::<sha2::Sha256>::new_from_slice(&STANDARD.decode(WELL_KNOWN_KEY).unwrap()).unwrap();
    let signature = STANDARD.encode(mac.chain_update(fields.as_bytes()).finalize().into_bytes());
    let signature = utf8_percent_encode(&signature, NON_ALPHANUMERIC);
    format!("sv=2019-02-02&ss=qt&srt=sco&sp=rwdlacup&se=2100-01-01&sig={signature}")
}

fn show(what: &str, little: f64, much: f64) {
    println!("| {what} | {little:.0} µs | {much:.0} µs | {:.2} |", much / little);
}

#[tokio::main]
async fn main() {
    let bench = Bench::start().await;
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
}
