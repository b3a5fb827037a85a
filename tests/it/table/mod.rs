//! The Table service over a socket.

mod access;
mod bounds;
mod dialect;
mod entities;
mod filters;
mod model;
mod paging;
mod paths;
mod tables;
pub mod transactions;
mod types;

use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;
use serde_json::Value;

/// Runs a scenario on a server of its own with the table `people`.
async fn check(rows: &str) {
    let server = with_table().await;
    crate::scenario::check_of(&server, ServiceKind::Table, rows).await;
}

/// A server with the table `people`.
async fn with_table() -> TestServer {
    let server = TestServer::new().await;
    create(&server, "people").await;
    server
}

async fn create(server: &TestServer, name: &str) {
    let made = request(server, "POST", "/Tables", &format!(r#"{{"TableName":"{name}"}}"#)).await;
    assert_eq!(made.verdict(), "201", "{}", made.text());
}

async fn request(server: &TestServer, method: &str, target: &str, body: &str) -> Answer {
    server.request(method, target).of(ServiceKind::Table).body(body.to_owned()).send().await
}

async fn get(server: &TestServer, target: &str) -> Answer {
    request(server, "GET", target, "").await
}

/// Inserts or replaces an entity.
async fn put(server: &TestServer, partition: &str, row: &str, more: &str) {
    let target = format!("/people(PartitionKey='{partition}',RowKey='{row}')");
    let put = request(server, "PUT", &target, &format!("{{{more}}}")).await;
    assert_eq!(put.verdict(), "204", "{target}: {}", put.text());
}

/// The JSON of an answer.
fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{error}: {}", answer.text()))
}

/// The RowKeys of the entities in an answer.
fn rows(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.verdict(), "200", "{}", answer.text());
    let json = json(answer);
    let rows = json["value"].as_array().unwrap().iter();
    rows.map(|entity| entity["RowKey"].as_str().unwrap().to_owned()).collect()
}

/// A query parameter's value, encoded.
fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
