//! The Queue service over a socket.

mod access;
mod clients;
mod documents;
mod messages;
mod queues;
mod receipts;
mod service;

use crate::house::{Answer, Ask, House};
use crate::scenario;
use lazuli::operation::ServiceKind;

/// Runs a scenario about queues on a server of its own with the queue `work`.
async fn check(rows: &str) {
    let house = with_queue().await;
    scenario::check_of(&house, ServiceKind::Queue, rows).await;
}

/// A server with the queue `work`.
async fn with_queue() -> House {
    let house = House::new().await;
    assert_eq!(ask(&house, "PUT", "/work").send().await.verdict(), "201");
    house
}

/// Starts a request to the Queue service.
fn ask<'a>(house: &'a House, method: &str, target: &str) -> Ask<'a> {
    house.ask(method, target).of(ServiceKind::Queue)
}

/// The document of a message. The text needs no escaping.
fn document(text: &str) -> String {
    format!("<QueueMessage><MessageText>{text}</MessageText></QueueMessage>")
}

/// Puts a message into `work`; `query` is empty or begins with `?`.
async fn put(house: &House, query: &str, text: &str) -> Answer {
    let put = ask(house, "POST", &format!("/work/messages{query}")).body(document(text)).send().await;
    assert_eq!(put.verdict(), "201", "{}", put.text());
    put
}

/// The texts of the messages that `GET /work/messages?query` returns.
async fn texts(house: &House, query: &str) -> Vec<String> {
    let got = ask(house, "GET", &format!("/work/messages?{query}")).send().await;
    assert_eq!(got.verdict(), "200", "{}", got.text());
    got.elements("MessageText").into_iter().map(str::to_owned).collect()
}

/// The number of messages that `work` reports.
async fn count(house: &House) -> String {
    let got = ask(house, "HEAD", "/work?comp=metadata").send().await;
    assert_eq!(got.verdict(), "200");
    got.header("x-ms-approximate-messages-count").to_owned()
}
