//! Random requests of valid and invalid parts: each has an answer that is no 500, and the server answers the next.
//!
//! `LAZULI_SEED=7 cargo test --test it sweep` repeats the run that failed with seed 7.

mod blobs;
mod files;
mod queues;
mod tables;

use super::wire::{Wire, sas};
use crate::faults::xml;
use crate::rng::{Rng, seeds};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Requests of a run.
const STEPS: usize = 1_500;

/// A random request: its target is below the account, and has a query.
struct RandomRequest {
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
}

#[tokio::test]
async fn every_request_to_blobs_has_an_answer() {
    answered(ServiceKind::Blob, blobs::stock, blobs::request, "/?comp=list").await;
}

#[tokio::test]
async fn every_request_to_queues_has_an_answer() {
    answered(ServiceKind::Queue, queues::stock, queues::request, "/?comp=list").await;
}

#[tokio::test]
async fn every_request_to_tables_has_an_answer() {
    answered(ServiceKind::Table, tables::stock, tables::request, "/Tables").await;
}

#[tokio::test]
async fn every_request_to_files_has_an_answer() {
    answered(ServiceKind::File, files::stock, files::request, "/?comp=list").await;
}

/// `stock` restores the data that earlier requests may have deleted; the request of `list` must succeed in the end.
async fn answered(kind: ServiceKind, stock: impl AsyncFn(&TestServer), any: fn(&mut Rng) -> RandomRequest, list: &str) {
    for seed in seeds() {
        let server = TestServer::with(&["--account", &format!("devstoreaccount1:{},versioning", lazuli::WELL_KNOWN_KEY)]).await;
        let mut rng = Rng::new(seed);
        let mut wire = Wire::to(&server, kind).await;
        for step in 0..STEPS {
            if step % 100 == 0 {
                stock(&server).await;
            }
            let RandomRequest { method, target, headers, body } = any(&mut rng);
            let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let line = format!("{method} /devstoreaccount1{target}&{} HTTP/1.1\r\nhost: 127.0.0.1\r\n", sas());
            let request = format!("{line}{lines}content-length: {}\r\n\r\n{body}", body.len());
            let shown = format!("LAZULI_SEED={seed} step {step}: {request:?}");
            let spoken = wire.say(&request).await.hear(method).await;
            let answer = &spoken.answer;
            assert!(answer.status < 500 || answer.status == 501, "{shown}: {}", spoken.line);
            assert!(answer.status < 400 || answer.body.is_empty() || is_read(kind, answer), "{shown}: {answer:?}");
            // An answer without a length is not checked here.
            if answer.header("connection") == "close" || !answer.header("transfer-encoding").is_empty() {
                wire = Wire::to(&server, kind).await;
            }
        }
        assert_eq!(server.request("GET", list).of(kind).send().await.verdict(), "200", "after seed {seed}");
    }
}

/// Whether the body of an error has the format that its Content-Type names.
fn is_read(kind: ServiceKind, answer: &Answer) -> bool {
    match (answer.header("content-type"), kind) {
        ("application/xml", ServiceKind::Table) => xml::parse(&answer.body, "error").is_some(),
        ("application/xml", _) => xml::parse(&answer.body, "Error").is_some(),
        // The Data Lake API of the port of the blobs answers PATCH.
        ("application/json;charset=utf-8", ServiceKind::Blob) => {
            serde_json::from_slice::<serde_json::Value>(&answer.body).is_ok()
        }
        (_, ServiceKind::Table) => serde_json::from_slice::<serde_json::Value>(&answer.body).is_ok(),
        _ => false,
    }
}

/// A text as a part of a URL.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
