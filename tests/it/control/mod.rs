//! Control requests over sockets: `/_lazuli/`.

mod checkpoints;
mod faults;
mod guard;
mod requests;
mod seed;
mod server;

use crate::support::server::{Answer, TestServer};
use serde_json::Value;

/// Sends a control request to the port of the blob service.
async fn control(server: &TestServer, method: &str, path: &str) -> Answer {
    server.visit(method, "127.0.0.1", &format!("/_lazuli{path}")).send().await
}

/// Sends a control request that succeeds, and returns its answer.
async fn done(server: &TestServer, method: &str, path: &str) -> Value {
    json(&control(server, method, path).await)
}

/// Posts a document, and returns the answer.
async fn post(server: &TestServer, path: &str, document: &Value) -> Answer {
    server.visit("POST", "127.0.0.1", &format!("/_lazuli{path}")).body(document.to_string()).send().await
}

/// The document of a successful answer.
fn json(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/json");
    serde_json::from_slice(&answer.body).unwrap()
}

/// The status and the code of a refusal.
fn refusal(answer: &Answer) -> String {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    assert!(body["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{}", answer.text());
    format!("{} {}", answer.status, body["error"]["code"].as_str().unwrap())
}
