//! From an account and a name to a cell: what one service stores for all accounts of a server.
//!
//! Containers, queues, tables and shares are found the same way. Each is a cell of the store; so are the names of an account's.

pub use super::named::Named;
use super::properties::Properties;
use crate::account::{Account, Accounts};
use crate::op::Kind;
use crate::rules::fault::{Code, Fault};
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::journal::{Recorded, Unreadable};
use std::collections::HashMap;
use std::sync::Arc;

/// What one service stores for all accounts of a server: containers, queues, tables or shares, each an `S`.
#[derive(Debug)]
pub struct Directory<S: Held> {
    store: Store,
    accounts: HashMap<String, Holdings<S>>,
}

/// A container, a queue, a table or a share, with all that is in it.
pub trait Held: Recorded {
    /// Whose it is.
    const KIND: Kind;
    /// What is said of a name that is not there, and to a writer who comes after it has gone.
    const MISSING: Code;
}

/// What one service stores for one account.
#[derive(Debug)]
pub struct Holdings<S: Held> {
    /// What it holds, by name. This cell outranks those that it names: whoever edits both edits this one first.
    pub named: Arc<Cell<Named<S>>>,
    /// The service's properties.
    pub properties: Arc<Cell<Properties>>,
}

impl<S: Held> Directory<S> {
    /// Nothing stored, for each of these accounts, in memory alone.
    pub fn new(accounts: &Accounts) -> Directory<S> {
        let store = Store::MEMORY;
        let empty = |account: &Arc<Account>| {
            let named = store.cell(Named::default(), S::MISSING);
            let properties = store.cell(Properties::default(), Code::ResourceNotFound);
            (account.name.clone(), Holdings { named, properties })
        };
        Directory { accounts: accounts.iter().map(empty).collect(), store: Store::MEMORY }
    }

    /// What the store has for each of these accounts.
    ///
    /// # Errors
    /// When a record is not what it should be.
    pub fn open(accounts: &Accounts, store: &Store) -> Result<Directory<S>, Unreadable> {
        let open = |account: &Arc<Account>| {
            let cell = |what| format!("{}/{}/{what}", S::KIND.label(), account.name);
            let holdings = Holdings {
                named: store.root(&cell("names"), S::MISSING)?,
                properties: store.root(&cell("properties"), Code::ResourceNotFound)?,
            };
            Ok((account.name.clone(), holdings))
        };
        Ok(Directory { store: store.clone(), accounts: accounts.iter().map(open).collect::<Result<_, _>>()? })
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// 500 InternalError when the disk does not take it.
    pub async fn clear(&self) -> Result<(), Fault> {
        for account in self.accounts.values() {
            account.named.write(Named::clear).await?;
            let forget = |properties: &mut Properties| {
                *properties = Properties::default();
                Ok(())
            };
            account.properties.write(forget).await?;
        }
        Ok(())
    }

    /// What is stored for an account.
    ///
    /// # Errors
    /// 404 ResourceNotFound; the door has let nobody in to an account that is not there.
    pub fn account(&self, name: &str) -> Result<&Holdings<S>, Fault> {
        Ok(self.accounts.get(name).ok_or(Code::ResourceNotFound)?)
    }

    /// A cell by account and name.
    ///
    /// # Errors
    /// 404 with the code for what is missing.
    pub fn find(&self, account: &str, name: &str) -> Result<Arc<Cell<S>>, Fault> {
        Ok(self.account(account)?.named.read().get(name).ok_or(S::MISSING)?.clone())
    }

    /// A new cell, to be put under a name.
    pub fn cell(&self, state: S) -> Arc<Cell<S>> {
        self.store.cell(state, S::MISSING)
    }
}
