//! Many clients on one queue: no message is handed to two within the time for which it is taken, and none is lost.
//!
//! Rounds of as many clients as the reference is tested with act at once, each by dice that follow from the seed; between the rounds
//! the clock is moved, so that what a round may give out is known: what was visible when it began, and no message twice. The model
//! holds what every client was told; at the end of each round the server must hold that, and nothing else.
//! `LAZULI_SEED=7 cargo test --test it queue::clients` repeats the run that failed with seed 7.

use super::{ask, count, document, with_queue};
use crate::dice::Dice;
use crate::house::House;
use futures::future::join_all;
use lazuli::rules::time::Timestamp;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

const CLIENTS: usize = 64;
const ROUNDS: usize = 30;
/// The seed that is always run.
const ALWAYS: u64 = 20_240_229;

/// A message as whoever last had to do with it knows it.
#[derive(Clone, Debug)]
struct Known {
    text: String,
    receipt: String,
    dequeued: u64,
    visible: Timestamp,
    expires: Timestamp,
}

/// What became known to a client.
enum News {
    Put(String, Known),
    /// Taken: id, text, receipt, how often, until when.
    Taken(Vec<(String, String, String, u64)>, Timestamp),
    Updated(String, Option<String>, String, Timestamp),
    Deleted(String),
    Refused(String, String),
    Cleared,
}

/// One client does one thing.
async fn act(house: Arc<House>, mut dice: Dice, known: Arc<BTreeMap<String, Known>>, mine: usize) -> News {
    let now = house.emulator.environment().now();
    // Each client has messages of its own to update and delete; all of them take from the same.
    let own: Vec<(&String, &Known)> = known.iter().skip(mine).step_by(CLIENTS).collect();
    let chosen = own.get(dice.roll(own.len().max(1)));
    match (dice.roll(10), chosen) {
        (0..3, _) | (3..6, None) => {
            let (hidden, lives) = (dice.roll(3) as u64, 3 + dice.roll(40) as u64);
            let text = format!("text {}", dice.roll(1 << 32));
            let target = format!("/work/messages?visibilitytimeout={hidden}&messagettl={lives}");
            let put = ask(&house, "POST", &target).body(document(&text)).send().await;
            assert_eq!(put.verdict(), "201", "{}", put.text());
            let receipt = put.element("PopReceipt").to_owned();
            let (visible, expires) = (now.after_seconds(hidden), now.after_seconds(lives));
            News::Put(put.element("MessageId").to_owned(), Known { text, receipt, dequeued: 0, visible, expires })
        }
        (3, Some((id, message))) => {
            let seconds = dice.roll(4) as u64;
            let text = (dice.roll(2) == 0).then(|| format!("new {}", dice.roll(1 << 32)));
            let target = format!("/work/messages/{id}?popreceipt={}&visibilitytimeout={seconds}", message.receipt);
            let body = text.as_deref().map(document).unwrap_or_default();
            let update = ask(&house, "PUT", &target).body(body).send().await;
            match update.verdict().as_str() {
                "204" => {
                    News::Updated((*id).clone(), text, update.header("x-ms-popreceipt").to_owned(), now.after_seconds(seconds))
                }
                refused => News::Refused((*id).clone(), refused.to_owned()),
            }
        }
        (4 | 5, Some((id, message))) => {
            let target = format!("/work/messages/{id}?popreceipt={}", message.receipt);
            match ask(&house, "DELETE", &target).send().await.verdict().as_str() {
                "204" => News::Deleted((*id).clone()),
                refused => News::Refused((*id).clone(), refused.to_owned()),
            }
        }
        _ => {
            let (many, seconds) = (1 + dice.roll(4), 1 + dice.roll(3) as u64);
            let got =
                ask(&house, "GET", &format!("/work/messages?numofmessages={many}&visibilitytimeout={seconds}")).send().await;
            assert_eq!(got.verdict(), "200", "{}", got.text());
            let fields = ["MessageId", "MessageText", "PopReceipt", "DequeueCount"].map(|name| got.elements(name));
            let taken = (0..fields[0].len()).map(|n| {
                let [id, text, receipt, dequeued] = fields.each_ref().map(|field| field[n].to_owned());
                (id, text, receipt, dequeued.parse().unwrap())
            });
            News::Taken(taken.collect(), now.after_seconds(seconds))
        }
    }
}

async fn clear(house: Arc<House>) -> News {
    assert_eq!(ask(&house, "DELETE", "/work/messages").send().await.verdict(), "204");
    News::Cleared
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn none_is_handed_to_two_and_none_is_lost() {
    let seeds = match std::env::var("LAZULI_SEED") {
        Ok(seed) => vec![seed.parse().expect("LAZULI_SEED is a number")],
        Err(_) => vec![ALWAYS, RandomState::new().hash_one(3) >> 32],
    };
    for seed in seeds {
        run(seed).await;
    }
}

async fn run(seed: u64) {
    let house = Arc::new(with_queue().await);
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    let mut dice = Dice::new(seed);
    let mut handed = 0;
    for round in 0..ROUNDS {
        let at = format!("LAZULI_SEED={seed}, round {round}");
        let now = house.emulator.environment().now();
        let before = Arc::new(known.clone());
        let clearing = dice.roll(8) == 0;
        let clients = (0..CLIENTS).map(|n| {
            let dice = Dice::new(dice.roll(usize::MAX) as u64);
            match n == 0 && clearing {
                true => tokio::spawn(clear(house.clone())),
                false => tokio::spawn(act(house.clone(), dice, before.clone(), n)),
            }
        });
        let news: Vec<News> = join_all(clients.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();

        // Of a message that one client changed and another took, the change came first: after the taking, its receipt would have been
        // stale. So the round can be told again in this order: puts, changes, takings.
        let mut taken = HashSet::new();
        for one in &news {
            if let News::Put(id, message) = one {
                assert!(known.insert(id.clone(), message.clone()).is_none(), "{at}: {id} twice");
            }
        }
        for one in &news {
            match one {
                News::Updated(id, text, receipt, visible) => {
                    let message = known.get_mut(id).unwrap_or_else(|| panic!("{at}: {id} was updated"));
                    assert!(message.expires > now, "{at}: {id} was over");
                    message.text = text.clone().unwrap_or_else(|| message.text.clone());
                    (message.receipt, message.visible) = (receipt.clone(), *visible);
                }
                News::Deleted(id) => _ = known.remove(id).unwrap_or_else(|| panic!("{at}: {id} was deleted")),
                _ => {}
            }
        }
        for one in &news {
            let News::Taken(messages, until) = one else { continue };
            for (id, text, receipt, dequeued) in messages {
                handed += 1;
                assert!(taken.insert(id.clone()), "{at}: {id} was handed to two");
                let message = known.get_mut(id).unwrap_or_else(|| panic!("{at}: {id} was taken though it was deleted"));
                assert!(message.expires > now && message.visible <= now, "{at}: {id} was out of sight: {message:?}");
                assert_eq!((&message.text, message.dequeued + 1), (text, *dequeued), "{at}: {id}");
                (message.dequeued, message.receipt, message.visible) = (*dequeued, receipt.clone(), *until);
            }
        }
        for one in &news {
            let News::Refused(id, verdict) = one else { continue };
            let message = &known[id];
            // Somebody else took it first, or it was over; or it would have been over before it came back.
            match verdict.as_str() {
                "404 MessageNotFound" => {
                    assert!(clearing || taken.contains(id) || message.expires <= now, "{at}: {id} was not found");
                }
                "400 InvalidQueryParameterValue" => assert!(message.expires < now.after_seconds(4), "{at}: {id}"),
                other => panic!("{at}: {id}: {other}"),
            }
        }
        if clearing {
            // What was there before is gone; what was put meanwhile came before it or after.
            known.retain(|id, _| !before.contains_key(id));
            assert!(count(&house).await.parse::<usize>().unwrap() <= known.len(), "{at}: something outlived being cleared");
            let seen = ask(&house, "GET", "/work/messages?peekonly=true&numofmessages=32").send().await;
            assert!(seen.elements("MessageId").into_iter().all(|id| known.contains_key(id)), "{at}: {}", seen.text());
            clear(house.clone()).await;
            known.clear();
        }
        known.retain(|_, message| message.expires > now);
        look(&house, &known, now, &at).await;
        house.wait(dice.roll(3) as u64);
    }
    assert!(handed > 100, "{handed} messages were handed out");
    // Nothing is lost: once all are visible again, whoever asks gets every one that is not over.
    house.wait(3);
    let now = house.emulator.environment().now();
    known.retain(|_, message| message.expires > now);
    let mut left: HashSet<String> = known.keys().cloned().collect();
    loop {
        let got = ask(&house, "GET", "/work/messages?numofmessages=32").send().await;
        if got.elements("MessageId").is_empty() {
            break;
        }
        for id in got.elements("MessageId") {
            assert!(left.remove(id), "LAZULI_SEED={seed}: {id} is nobody's, or came twice");
        }
    }
    assert_eq!(left, HashSet::new(), "LAZULI_SEED={seed}: lost");
}

/// Holds the server against the model: how many there are, and who can be seen in what order.
async fn look(house: &House, known: &BTreeMap<String, Known>, now: Timestamp, at: &str) {
    assert_eq!(count(house).await, known.len().to_string(), "{at}");
    let peeked = ask(house, "GET", "/work/messages?peekonly=true&numofmessages=32").send().await;
    let seen: Vec<&str> = peeked.elements("MessageId");
    let visible = known.values().filter(|message| message.visible <= now).count();
    assert_eq!(seen.len(), visible.min(32), "{at}");
    let moments: Vec<Timestamp> = seen.iter().map(|id| known[*id].visible).collect();
    assert!(moments.is_sorted(), "{at}: {moments:?}");
    for (id, text) in seen.iter().zip(peeked.elements("MessageText")) {
        assert_eq!(known[*id].text, text, "{at}: {id}");
    }
}
