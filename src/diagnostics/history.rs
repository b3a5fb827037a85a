//! Earlier states of a service, for secondary endpoints that are behind their primary.
//!
//! Nothing is recorded unless a fault makes a secondary lag. Then writes save the state before them, which costs a pointer for each
//! resource of the account. A reset or a restore reaches secondaries at once.

use crate::operation::{SavedState, Service, ServiceKind};
use crate::rules::time::Timestamp;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};

/// The most states of an account. With more writes than that, a secondary is a thousandth of its lag closer than it should be.
const MOST: u64 = 1000;

/// The states of the accounts of one service before each of their writes.
#[derive(Debug, Default)]
pub struct History(Mutex<HashMap<String, VecDeque<Earlier>>>);

/// The state that ended at a time.
#[derive(Debug)]
struct Earlier {
    end: Timestamp,
    state: SavedState,
}

impl History {
    /// Saves the state of an account before a write, and forgets states that ended before `oldest`.
    pub fn record(&self, service: &dyn Service, account: &str, now: Timestamp, oldest: Timestamp) {
        let apart = now.ticks().saturating_sub(oldest.ticks()) / MOST;
        let is_recorded = |states: &VecDeque<Earlier>| {
            states.back().is_some_and(|last| last.end <= now && now.ticks() - last.end.ticks() < apart)
        };
        if self.0.lock().get(account).is_some_and(is_recorded) {
            return;
        }
        let state = saved(service, account);
        let mut accounts = self.0.lock();
        let states = accounts.entry(account.to_owned()).or_default();
        states.push_back(Earlier { end: now, state });
        while states.front().is_some_and(|earlier| earlier.end < oldest) {
            states.pop_front();
        }
    }

    /// The state of an account at a time; `None` if it is the current one.
    pub fn at(&self, account: &str, time: Timestamp) -> Option<SavedState> {
        let accounts = self.0.lock();
        let earlier = accounts.get(account)?.iter().find(|earlier| earlier.end > time)?;
        Some(earlier.state.clone())
    }

    /// Forgets the states of an account, or all.
    pub fn clear(&self, account: Option<&str>) {
        let mut accounts = self.0.lock();
        let forgotten = match account {
            Some(account) => accounts.remove_entry(account).into_iter().collect(),
            None => std::mem::take(&mut *accounts),
        };
        drop(accounts);
        drop(forgotten);
    }
}

/// The state of an account at this moment.
fn saved(service: &dyn Service, account: &str) -> SavedState {
    loop {
        match service.lock(Some(account)) {
            Ok(locked) => return locked.save(),
            Err(writer) => writer.wait(),
        }
    }
}

/// The histories of the services.
#[derive(Debug, Default)]
pub struct Histories {
    blob: History,
    queue: History,
    table: History,
    file: History,
}

impl Histories {
    /// The history of a service. Data Lake has that of the Blob service.
    pub fn of(&self, kind: ServiceKind) -> &History {
        match kind {
            ServiceKind::Blob | ServiceKind::DataLake => &self.blob,
            ServiceKind::Queue => &self.queue,
            ServiceKind::Table => &self.table,
            ServiceKind::File => &self.file,
        }
    }

    /// Forgets the states of an account, or all: its secondaries are in sync from now on.
    pub fn clear(&self, account: Option<&str>) {
        [&self.blob, &self.queue, &self.table, &self.file].into_iter().for_each(|history| history.clear(account));
    }
}
