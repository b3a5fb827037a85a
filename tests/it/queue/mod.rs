//! The Queue service over a socket.

mod access;
mod clients;
mod documents;
mod messages;
mod queues;
mod receipts;
mod service;

use crate::scenario;
use crate::server::{Answer, RequestBuilder, TestServer};
use lazuli::ServiceKind;

/// Runs a scenario about queues on a server of its own with the queue `work`.
async fn check(rows: &str) {
    let server = with_queue().await;
    scenario::check_of(&server, ServiceKind::Queue, rows).await;
}

/// A server with the queue `work`.
async fn with_queue() -> TestServer {
    let server = TestServer::new().await;
    assert_eq!(request(&server, "PUT", "/work").send().await.verdict(), "201");
    server
}

/// Starts a request to the Queue service.
fn request<'a>(server: &'a TestServer, method: &str, target: &str) -> RequestBuilder<'a> {
    server.request(method, target).of(ServiceKind::Queue)
}

/// The document of a message. The text needs no escaping.
fn document(text: &str) -> String {
    format!("<QueueMessage><MessageText>{text}</MessageText></QueueMessage>")
}

/// Puts a message into `work`; `query` is empty or begins with `?`.
async fn put(server: &TestServer, query: &str, text: &str) -> Answer {
    let put = request(server, "POST", &format!("/work/messages{query}")).body(document(text)).send().await;
    assert_eq!(put.verdict(), "201", "{}", put.text());
    put
}

/// The texts of the messages that `GET /work/messages?query` returns.
async fn texts(server: &TestServer, query: &str) -> Vec<String> {
    let got = request(server, "GET", &format!("/work/messages?{query}")).send().await;
    assert_eq!(got.verdict(), "200", "{}", got.text());
    got.elements("MessageText").into_iter().map(str::to_owned).collect()
}

/// The number of messages that `work` reports.
async fn count(server: &TestServer) -> String {
    let got = request(server, "HEAD", "/work?comp=metadata").send().await;
    assert_eq!(got.verdict(), "200");
    got.header("x-ms-approximate-messages-count").to_owned()
}
