//! From an account and a name to a cell: what one service stores for all accounts of a server.
//!
//! Containers, queues, tables and shares are found the same way. Each is a cell of the store; so are the names of an account's.

use super::properties::Properties;
use crate::account::{Account, Accounts};
use crate::rules::fault::{Code, Fault};
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::journal::{CellId, Changes, Journal, Recorded, Record, Records, Unreadable};
use arc_swap::ArcSwap;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use std::collections::HashMap;
use std::sync::Arc;

/// What one service stores for all accounts of a server: containers, queues, tables or shares, each an `S`.
#[derive(Debug)]
pub struct Directory<S> {
    accounts: HashMap<String, ArcSwap<Holdings<S>>>,
}

/// A container, a queue, a table or a share, with all that is in it.
pub trait Held: Recorded {
    /// What is said of a name that is not there, and to a writer who comes after it has gone.
    const MISSING: Code;
}

/// What one service stores for one account.
#[derive(Debug)]
pub struct Holdings<S> {
    /// What it holds, by name. This cell outranks those that it names: whoever edits both edits this one first.
    pub named: Cell<Named<S>>,
    /// The service's properties.
    pub properties: Cell<Properties>,
}

/// Cells by name.
pub type Named<S> = OrdMap<Arc<str>, Arc<Cell<S>>>;

/// The form in which names are written.
const VERSION: u8 = 1;

impl<S: Held> Recorded for Named<S> {
    fn changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        let nothing = OrdMap::new();
        let (mut come, mut gone) = (Vec::new(), Vec::new());
        for change in before.unwrap_or(&nothing).diff(after) {
            match change {
                DiffItem::Add(name, cell) | DiffItem::Update { new: (name, cell), .. } => {
                    to.put(name.as_bytes(), VERSION, &cell.id());
                    come.push(cell);
                }
                DiffItem::Remove(name, cell) => {
                    to.delete(name.as_bytes());
                    gone.push(cell);
                }
            }
            if let DiffItem::Update { old: (_, cell), .. } = change {
                gone.push(cell);
            }
        }
        if before.is_none() {
            return; // The cells tell of themselves.
        }
        // A cell that has another name now has neither come nor gone.
        come.iter().filter(|cell| !gone.contains(cell)).for_each(|cell| cell.enter(to));
        gone.iter().filter(|cell| !come.contains(cell)).for_each(|cell| cell.leave(to));
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, Unreadable> {
        let cell = |(name, record): (&[u8], Record<'_>)| {
            let name = std::str::from_utf8(name).map_err(|error| Unreadable(error.to_string()))?;
            Ok((Arc::from(name), store.load(record.read::<CellId>()?, S::MISSING)?))
        };
        records.under(b"").map(cell).collect()
    }
}

impl<S: Held> Directory<S> {
    /// Nothing stored, for each of these accounts.
    pub fn new(accounts: &Accounts) -> Directory<S> {
        let empty = |account: &Arc<Account>| (account.name.clone(), ArcSwap::from_pointee(Holdings::new()));
        Directory { accounts: accounts.iter().map(empty).collect() }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.accounts.values().for_each(|account| account.store(Arc::new(Holdings::new())));
    }

    /// What is stored for an account.
    ///
    /// # Errors
    /// 404 ResourceNotFound; the door has let nobody in to an account that is not there.
    pub fn account(&self, name: &str) -> Result<Arc<Holdings<S>>, Fault> {
        Ok(self.accounts.get(name).ok_or(Code::ResourceNotFound)?.load_full())
    }

    /// A cell by account and name.
    ///
    /// # Errors
    /// 404 with the code for what is missing.
    pub fn find(&self, account: &str, name: &str) -> Result<Arc<Cell<S>>, Fault> {
        Ok(self.account(account)?.named.read().get(name).ok_or(S::MISSING)?.clone())
    }

    /// A new cell, to be put under a name.
    pub fn cell(state: S) -> Arc<Cell<S>> {
        Arc::new(Cell::new(state, S::MISSING, Journal::NONE))
    }
}

impl<S: Held> Holdings<S> {
    fn new() -> Holdings<S> {
        Holdings {
            named: Cell::new(OrdMap::new(), S::MISSING, Journal::NONE),
            properties: Cell::new(Properties::default(), Code::ResourceNotFound, Journal::NONE),
        }
    }
}
