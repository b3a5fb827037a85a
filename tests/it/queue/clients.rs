//! Many clients on one queue: no message is returned to two clients while it is invisible, and none is lost.
//!
//! In each round, many clients act at the same time, with random numbers that depend on the seed. The clock moves only between rounds, so
//! the messages that a round may return are known: those that were visible when it began, each once. The model has what the clients
//! learned, and at the end of each round the server must have the same.
//! `LAZULI_SEED=7 cargo test --test it queue::clients` repeats the run that failed with seed 7.

use super::{count, document, request, with_queue};
use crate::rng::Rng;
use crate::server::TestServer;
use futures::future::join_all;
use lazuli::rules::time::Timestamp;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

const CLIENTS: usize = 64;
const ROUNDS: usize = 30;
/// The seed of every run, besides a random one.
const ALWAYS: u64 = 20_240_229;

/// A message as the last client that changed it knows it.
#[derive(Clone, Debug)]
struct ClientMessage {
    text: String,
    receipt: String,
    dequeued: u64,
    visible: Timestamp,
    expires: Timestamp,
}

/// What a client learned.
enum News {
    Put(String, ClientMessage),
    /// The id, text, receipt and dequeue count of each, and when they become visible.
    Got(Vec<(String, String, String, u64)>, Timestamp),
    Updated(String, Option<String>, String, Timestamp),
    Deleted(String),
    Refused(String, String),
    Cleared,
}

/// A client sends one request.
async fn act(server: Arc<TestServer>, mut rng: Rng, known: Arc<BTreeMap<String, ClientMessage>>, mine: usize) -> News {
    let now = server.emulator.environment().now();
    // Each client updates and deletes messages of its own, and gets any message.
    let own: Vec<(&String, &ClientMessage)> = known.iter().skip(mine).step_by(CLIENTS).collect();
    let chosen = own.get(rng.roll(own.len().max(1)));
    match (rng.roll(10), chosen) {
        (0..3, _) | (3..6, None) => {
            let (timeout, ttl) = (rng.roll(3) as u64, 3 + rng.roll(40) as u64);
            let text = format!("text {}", rng.roll(1 << 32));
            let target = format!("/work/messages?visibilitytimeout={timeout}&messagettl={ttl}");
            let put = request(&server, "POST", &target).body(document(&text)).send().await;
            assert_eq!(put.verdict(), "201", "{}", put.text());
            let receipt = put.element("PopReceipt").to_owned();
            let (visible, expires) = (now.after_seconds(timeout), now.after_seconds(ttl));
            News::Put(put.element("MessageId").to_owned(), ClientMessage { text, receipt, dequeued: 0, visible, expires })
        }
        (3, Some((id, message))) => {
            let seconds = rng.roll(4) as u64;
            let text = (rng.roll(2) == 0).then(|| format!("new {}", rng.roll(1 << 32)));
            let target = format!("/work/messages/{id}?popreceipt={}&visibilitytimeout={seconds}", message.receipt);
            let body = text.as_deref().map(document).unwrap_or_default();
            let update = request(&server, "PUT", &target).body(body).send().await;
            match update.verdict().as_str() {
                "204" => {
                    News::Updated((*id).clone(), text, update.header("x-ms-popreceipt").to_owned(), now.after_seconds(seconds))
                }
                refused => News::Refused((*id).clone(), refused.to_owned()),
            }
        }
        (4 | 5, Some((id, message))) => {
            let target = format!("/work/messages/{id}?popreceipt={}", message.receipt);
            match request(&server, "DELETE", &target).send().await.verdict().as_str() {
                "204" => News::Deleted((*id).clone()),
                refused => News::Refused((*id).clone(), refused.to_owned()),
            }
        }
        _ => {
            let (many, seconds) = (1 + rng.roll(4), 1 + rng.roll(3) as u64);
            let got =
                request(&server, "GET", &format!("/work/messages?numofmessages={many}&visibilitytimeout={seconds}")).send().await;
            assert_eq!(got.verdict(), "200", "{}", got.text());
            let fields = ["MessageId", "MessageText", "PopReceipt", "DequeueCount"].map(|name| got.elements(name));
            let taken = (0..fields[0].len()).map(|n| {
                let [id, text, receipt, dequeued] = fields.each_ref().map(|field| field[n].to_owned());
                (id, text, receipt, dequeued.parse().unwrap())
            });
            News::Got(taken.collect(), now.after_seconds(seconds))
        }
    }
}

async fn clear(server: Arc<TestServer>) -> News {
    assert_eq!(request(&server, "DELETE", "/work/messages").send().await.verdict(), "204");
    News::Cleared
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_message_is_returned_to_two_clients_and_none_is_lost() {
    let seeds = match std::env::var("LAZULI_SEED") {
        Ok(seed) => vec![seed.parse().expect("LAZULI_SEED is a number")],
        Err(_) => vec![ALWAYS, RandomState::new().hash_one(3) >> 32],
    };
    for seed in seeds {
        run(seed).await;
    }
}

async fn run(seed: u64) {
    let server = Arc::new(with_queue().await);
    let mut known: BTreeMap<String, ClientMessage> = BTreeMap::new();
    let mut rng = Rng::new(seed);
    let mut returned = 0;
    for round in 0..ROUNDS {
        let at = format!("LAZULI_SEED={seed}, round {round}");
        let now = server.emulator.environment().now();
        let before = Arc::new(known.clone());
        let clearing = rng.roll(8) == 0;
        let clients = (0..CLIENTS).map(|n| {
            let rng = Rng::new(rng.roll(usize::MAX) as u64);
            match n == 0 && clearing {
                true => tokio::spawn(clear(server.clone())),
                false => tokio::spawn(act(server.clone(), rng, before.clone(), n)),
            }
        });
        let news: Vec<News> = join_all(clients.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();

        // If one client changed a message and another got it, the change was first: after Get Messages its receipt would have been stale.
        // So the model can replay the round in this order: puts, changes, gets.
        let mut got = HashSet::new();
        for one in &news {
            if let News::Put(id, message) = one {
                assert!(known.insert(id.clone(), message.clone()).is_none(), "{at}: {id} twice");
            }
        }
        for one in &news {
            match one {
                News::Updated(id, text, receipt, visible) => {
                    let message = known.get_mut(id).unwrap_or_else(|| panic!("{at}: {id} was updated"));
                    assert!(message.expires > now, "{at}: {id} was expired");
                    message.text = text.clone().unwrap_or_else(|| message.text.clone());
                    (message.receipt, message.visible) = (receipt.clone(), *visible);
                }
                News::Deleted(id) => _ = known.remove(id).unwrap_or_else(|| panic!("{at}: {id} was deleted")),
                _ => {}
            }
        }
        for one in &news {
            let News::Got(messages, until) = one else { continue };
            for (id, text, receipt, dequeued) in messages {
                returned += 1;
                assert!(got.insert(id.clone()), "{at}: {id} was returned to two");
                let message = known.get_mut(id).unwrap_or_else(|| panic!("{at}: {id} was returned though it was deleted"));
                assert!(message.expires > now && message.visible <= now, "{at}: {id} was invisible: {message:?}");
                assert_eq!((&message.text, message.dequeued + 1), (text, *dequeued), "{at}: {id}");
                (message.dequeued, message.receipt, message.visible) = (*dequeued, receipt.clone(), *until);
            }
        }
        for one in &news {
            let News::Refused(id, verdict) = one else { continue };
            let message = &known[id];
            // Another client got it first, or it was expired; or it would have expired before it became visible.
            match verdict.as_str() {
                "404 MessageNotFound" => {
                    assert!(clearing || got.contains(id) || message.expires <= now, "{at}: {id} was not found");
                }
                "400 InvalidQueryParameterValue" => assert!(message.expires < now.after_seconds(4), "{at}: {id}"),
                other => panic!("{at}: {id}: {other}"),
            }
        }
        if clearing {
            // Earlier messages are deleted; those of this round were put before the clearing or after it.
            known.retain(|id, _| !before.contains_key(id));
            assert!(count(&server).await.parse::<usize>().unwrap() <= known.len(), "{at}: a message was not cleared");
            let seen = request(&server, "GET", "/work/messages?peekonly=true&numofmessages=32").send().await;
            assert!(seen.elements("MessageId").into_iter().all(|id| known.contains_key(id)), "{at}: {}", seen.text());
            clear(server.clone()).await;
            known.clear();
        }
        known.retain(|_, message| message.expires > now);
        compare(&server, &known, now, &at).await;
        server.wait(rng.roll(3) as u64);
    }
    assert!(returned > 100, "{returned} messages were returned");
    // Nothing is lost: once all are visible again, Get Messages returns every message that is not expired.
    server.wait(3);
    let now = server.emulator.environment().now();
    known.retain(|_, message| message.expires > now);
    let mut left: HashSet<String> = known.keys().cloned().collect();
    loop {
        let got = request(&server, "GET", "/work/messages?numofmessages=32").send().await;
        if got.elements("MessageId").is_empty() {
            break;
        }
        for id in got.elements("MessageId") {
            assert!(left.remove(id), "LAZULI_SEED={seed}: {id} is unknown, or was returned twice");
        }
    }
    assert_eq!(left, HashSet::new(), "LAZULI_SEED={seed}: lost");
}

/// Compares the server with the model: the number of messages, and the order of the visible ones.
async fn compare(server: &TestServer, known: &BTreeMap<String, ClientMessage>, now: Timestamp, at: &str) {
    assert_eq!(count(server).await, known.len().to_string(), "{at}");
    let peeked = request(server, "GET", "/work/messages?peekonly=true&numofmessages=32").send().await;
    let seen: Vec<&str> = peeked.elements("MessageId");
    let visible = known.values().filter(|message| message.visible <= now).count();
    assert_eq!(seen.len(), visible.min(32), "{at}");
    let times: Vec<Timestamp> = seen.iter().map(|id| known[*id].visible).collect();
    assert!(times.is_sorted(), "{at}: {times:?}");
    for (id, text) in seen.iter().zip(peeked.elements("MessageText")) {
        assert_eq!(known[*id].text, text, "{at}: {id}");
    }
}
