//! Messages that are put, dequeued, updated and deleted.

use super::{BETWEEN, Model, text};
use crate::operation::ServiceKind;
use crate::tests::support::rng::Rng;
use crate::tests::support::server::{Answer, TestServer};

/// The most messages at one time: as many as one request can return.
const MOST: usize = 20;
/// Seconds before each Peek Messages: what is hidden at the first is visible at the last.
const LOOKS: [u64; 3] = [0, 20, 20];

#[derive(Clone)]
struct Message {
    text: String,
    taken: usize,
    /// The second from which it is visible.
    visible: u64,
    /// The path with its current receipt; empty if no answer contained one.
    held: String,
}

#[derive(Clone, Default)]
pub struct Messages {
    made: bool,
    all: Vec<Message>,
}

fn now(step: usize) -> u64 {
    step as u64 * BETWEEN
}

/// The path of a message with the receipt from an answer.
fn path(id: &str, receipt: &str) -> String {
    let receipt = percent_encoding::utf8_percent_encode(receipt, percent_encoding::NON_ALPHANUMERIC);
    format!("/work/messages/{id}?popreceipt={receipt}")
}

fn document(text: &str) -> String {
    format!("<QueueMessage><MessageText>{text}</MessageText></QueueMessage>")
}

impl Messages {
    async fn put(&mut self, server: &TestServer, now: u64, text: String, hidden: u64) -> Answer {
        let target = format!("/work/messages?visibilitytimeout={hidden}");
        let got = server.request("POST", &target).of(ServiceKind::Queue).body(document(&text)).send().await;
        let held = path(got.element("MessageId"), got.element("PopReceipt"));
        self.all.push(Message { text, taken: 0, visible: now + hidden, held });
        got
    }

    /// Dequeues all visible messages in one request.
    async fn take(&mut self, server: &TestServer, now: u64) -> Answer {
        let got =
            server.request("GET", "/work/messages?numofmessages=32&visibilitytimeout=30").of(ServiceKind::Queue).send().await;
        let (texts, ids, receipts) = (got.elements("MessageText"), got.elements("MessageId"), got.elements("PopReceipt"));
        for message in self.all.iter_mut().filter(|message| message.visible <= now) {
            let at = texts.iter().position(|text| *text == message.text);
            message.held = at.map_or(String::new(), |at| path(ids[at], receipts[at]));
            (message.taken, message.visible) = (message.taken + 1, now + 30);
        }
        got
    }

    async fn update(&mut self, server: &TestServer, now: u64, at: usize, text: String, hidden: u64) -> Answer {
        let message = &mut self.all[at];
        let target = format!("{}&visibilitytimeout={hidden}", message.held);
        let got = server.request("PUT", &target).of(ServiceKind::Queue).body(document(&text)).send().await;
        let id = message.held.trim_start_matches("/work/messages/").split('?').next().unwrap();
        message.held = path(id, got.header("x-ms-popreceipt"));
        (message.text, message.visible) = (text, now + hidden);
        got
    }
}

impl Model for Messages {
    async fn one(&mut self, server: &TestServer, rng: &mut Rng, step: usize) -> (Answer, &'static str) {
        if step == 0 {
            self.made = true;
            return (server.request("PUT", "/work").of(ServiceKind::Queue).send().await, "201");
        }
        let now = now(step);
        let (text, hidden) = (text(rng, step), rng.pick(&[0, 0, 20]));
        let roll = if self.all.len() < MOST { rng.roll(30) } else { 29 };
        if self.all.is_empty() || roll < 12 {
            return (self.put(server, now, text, hidden).await, "201");
        }
        let at = rng.roll(self.all.len());
        match roll {
            12..=18 => (self.take(server, now).await, "200"),
            19..=25 => (self.update(server, now, at, text, hidden).await, "204"),
            26 => {
                self.all.clear();
                (server.request("DELETE", "/work/messages").of(ServiceKind::Queue).send().await, "204")
            }
            _ => {
                let message = self.all.swap_remove(at);
                (server.request("DELETE", &message.held).of(ServiceKind::Queue).send().await, "204")
            }
        }
    }

    fn expected(&self, step: usize) -> Vec<String> {
        let mut now = now(step);
        let look = |wait| {
            now += wait;
            let seen = self.all.iter().filter(|message| message.visible <= now);
            let mut seen: Vec<String> = seen.map(|message| format!("{} {}", message.taken, message.text)).collect();
            seen.sort();
            if self.made { seen.join(", ") } else { "404 QueueNotFound".to_owned() }
        };
        LOOKS.into_iter().map(look).collect()
    }

    async fn observed(server: &TestServer) -> Vec<String> {
        let mut state = Vec::new();
        for wait in LOOKS {
            server.wait(wait);
            let got = server.request("GET", "/work/messages?peekonly=true&numofmessages=32").of(ServiceKind::Queue).send().await;
            let pairs = got.elements("DequeueCount").into_iter().zip(got.elements("MessageText"));
            let mut seen: Vec<String> = pairs.map(|(taken, text)| format!("{taken} {text}")).collect();
            seen.sort();
            state.push(if got.status == 200 { seen.join(", ") } else { got.verdict() });
        }
        state
    }
}
