//! From an account and a name to a cell: what one service stores for all accounts of a server.
//!
//! Containers, queues, tables and shares are found the same way. Each is a cell of the store; so are the names of an account's.

use crate::account::{Account, Accounts};
use crate::operation::ServiceKind;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::shared::properties::Properties;
pub use crate::services::shared::resource_index::ResourceIndex;
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::journal::{CorruptRecord, Persist};
use std::collections::HashMap;
use std::sync::Arc;

/// What one service stores for all accounts of a server: containers, queues, tables or shares, each an `S`.
#[derive(Debug)]
pub struct ServiceAccounts<S: Resource> {
    store: Store,
    accounts: HashMap<String, AccountState<S>>,
}

/// A container, a queue, a table or a share, with all that is in it.
pub trait Resource: Persist {
    /// Whose it is.
    const KIND: ServiceKind;
    /// What is said of a name that is not there, and to a writer who comes after it has gone.
    const MISSING: ErrorCode;
}

/// What one service stores for one account.
#[derive(Debug)]
pub struct AccountState<S: Resource> {
    /// What it holds, by name. This cell outranks those that it names: whoever edits both edits this one first.
    pub resources: Arc<Cell<ResourceIndex<S>>>,
    /// The service's properties.
    pub properties: Arc<Cell<Properties>>,
}

impl<S: Resource> ServiceAccounts<S> {
    /// Nothing stored, for each of these accounts, in memory alone.
    pub fn new(accounts: &Accounts) -> ServiceAccounts<S> {
        let store = Store::MEMORY;
        let empty = |account: &Arc<Account>| {
            let named = store.cell(ResourceIndex::default(), S::MISSING);
            let properties = store.cell(Properties::default(), ErrorCode::ResourceNotFound);
            (account.name.clone(), AccountState { resources: named, properties })
        };
        ServiceAccounts { accounts: accounts.iter().map(empty).collect(), store: Store::MEMORY }
    }

    /// What the store has for each of these accounts.
    ///
    /// # Errors
    /// When a record is not what it should be.
    pub fn open(accounts: &Accounts, store: &Store) -> Result<ServiceAccounts<S>, CorruptRecord> {
        let open = |account: &Arc<Account>| {
            let cell = |what| format!("{}/{}/{what}", S::KIND.label(), account.name);
            let holdings = AccountState {
                resources: store.root(&cell("names"), S::MISSING)?,
                properties: store.root(&cell("properties"), ErrorCode::ResourceNotFound)?,
            };
            Ok((account.name.clone(), holdings))
        };
        Ok(ServiceAccounts { store: store.clone(), accounts: accounts.iter().map(open).collect::<Result<_, _>>()? })
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// 500 InternalError when the disk does not take it.
    pub async fn clear(&self) -> Result<(), StorageError> {
        for account in self.accounts.values() {
            account.resources.write(ResourceIndex::clear).await?;
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
    pub fn account(&self, name: &str) -> Result<&AccountState<S>, StorageError> {
        Ok(self.accounts.get(name).ok_or(ErrorCode::ResourceNotFound)?)
    }

    /// A cell by account and name.
    ///
    /// # Errors
    /// 404 with the code for what is missing.
    pub fn find(&self, account: &str, name: &str) -> Result<Arc<Cell<S>>, StorageError> {
        Ok(self.account(account)?.resources.read().get(name).ok_or(S::MISSING)?.clone())
    }

    /// A new cell, to be put under a name.
    pub fn cell(&self, state: S) -> Arc<Cell<S>> {
        self.store.cell(state, S::MISSING)
    }
}
