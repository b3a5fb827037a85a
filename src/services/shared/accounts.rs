//! What one service stores for all accounts of a server.
//!
//! Each container, queue, table and share is a cell of the store. The index of the names of an account is a cell, too.

use crate::account::{Account, Accounts};
use crate::operation::Request;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::shared::properties::Properties;
use crate::services::shared::resource::Resource;
use crate::services::shared::resource_index::ResourceIndex;
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::records::CorruptRecord;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;

/// What one service stores for all accounts of a server: containers, queues, tables or shares.
#[derive(Debug)]
pub struct ServiceAccounts<S: Resource> {
    store: Store,
    accounts: HashMap<String, Arc<AccountState<S>>>,
    /// The accounts that are made on their first use, if there are such.
    others: Option<RwLock<HashMap<String, Arc<AccountState<S>>>>>,
}

/// What one service stores for one account.
#[derive(Debug)]
pub struct AccountState<S: Resource> {
    /// The resources by name. A writer that edits both this cell and one that it names edits this one first.
    pub resources: Arc<Cell<ResourceIndex<S>>>,
    pub properties: Arc<Cell<Properties>>,
}

impl<S: Resource> AccountState<S> {
    /// Reads the state of an account from the store.
    fn open(name: &str, store: &Store) -> Result<Arc<AccountState<S>>, CorruptRecord> {
        let cell = |what| format!("{}/{name}/{what}", S::KIND.label());
        Ok(Arc::new(AccountState {
            resources: store.root(&cell("names"), S::MISSING)?,
            properties: store.root(&cell("properties"), ErrorCode::ResourceNotFound)?,
        }))
    }

    /// This state, in memory.
    pub fn in_memory(index: ResourceIndex<S>, properties: Properties) -> AccountState<S> {
        let properties = Store::MEMORY.cell(properties, ErrorCode::ResourceNotFound);
        AccountState { resources: Store::MEMORY.cell(index, S::MISSING), properties }
    }
}

impl<S: Resource> ServiceAccounts<S> {
    /// Reads from the store.
    ///
    /// # Errors
    /// When a record is corrupt.
    pub fn open(accounts: &Accounts, store: &Store) -> Result<ServiceAccounts<S>, CorruptRecord> {
        let open = |account: &Arc<Account>| Ok((account.name.clone(), AccountState::open(&account.name, store)?));
        Ok(ServiceAccounts {
            store: store.clone(),
            accounts: accounts.iter().map(open).collect::<Result<_, _>>()?,
            others: accounts.has_any().then(RwLock::default),
        })
    }

    /// These accounts, in memory.
    pub fn in_memory(accounts: HashMap<String, AccountState<S>>) -> ServiceAccounts<S> {
        let accounts = accounts.into_iter().map(|(name, state)| (name, Arc::new(state))).collect();
        ServiceAccounts { store: Store::MEMORY, accounts, others: None }
    }

    /// An account, or all accounts, with their names. One that is made on its first use is among them from then on.
    pub fn chosen(&self, only: Option<&str>) -> Vec<(String, Arc<AccountState<S>>)> {
        let others = self.others.as_ref().map(|others| others.read());
        let all = self.accounts.iter().chain(others.iter().flat_map(|others| others.iter()));
        all.filter(|(name, _)| only.is_none_or(|only| only == name.as_str()))
            .map(|(name, state)| (name.clone(), state.clone()))
            .collect()
    }

    /// How many resources an account has, or all accounts.
    pub fn count(&self, only: Option<&str>) -> usize {
        self.chosen(only).iter().map(|(_, account)| account.resources.read().len()).sum()
    }

    /// Deletes everything of an account, or of all accounts.
    ///
    /// # Errors
    /// 500 InternalError when the disk fails.
    pub async fn clear(&self, only: Option<&str>) -> Result<(), StorageError> {
        for (_, account) in self.chosen(only) {
            account.resources.write(ResourceIndex::clear).await?;
            let reset = |properties: &mut Properties| {
                *properties = Properties::default();
                Ok(())
            };
            account.properties.write(reset).await?;
        }
        Ok(())
    }

    /// The state of an account. One that is made on its first use is made here.
    ///
    /// # Errors
    /// 404 ResourceNotFound, which no request meets: accounts are checked before authorization.
    pub fn account(&self, name: &str) -> Result<Arc<AccountState<S>>, StorageError> {
        if let Some(known) = self.existing(name) {
            return Ok(known);
        }
        let mut others = self.others.as_ref().ok_or(ErrorCode::ResourceNotFound)?.write();
        if let Some(known) = others.get(name) {
            return Ok(known.clone());
        }
        let corrupt = |error: CorruptRecord| ErrorCode::InternalError.with_reason(error.to_string());
        let made = AccountState::open(name, &self.store).map_err(corrupt)?;
        others.insert(name.to_owned(), made.clone());
        Ok(made)
    }

    /// The state of an account, unless it is made on its first use and was not used yet.
    pub fn existing(&self, name: &str) -> Option<Arc<AccountState<S>>> {
        self.accounts.get(name).cloned().or_else(|| self.others.as_ref()?.read().get(name).cloned())
    }

    /// Edits the names of the resources of the account of a request.
    ///
    /// # Errors
    /// Those of the edit.
    pub async fn write_index<T>(
        &self,
        request: &Request,
        edit: impl FnOnce(&mut ResourceIndex<S>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        self.account(&request.account.name)?.resources.write(edit).await
    }

    /// A resource by account and name.
    ///
    /// # Errors
    /// 404 with [`Resource::MISSING`].
    pub fn find(&self, account: &str, name: &str) -> Result<Arc<Cell<S>>, StorageError> {
        let account = self.existing(account).ok_or(S::MISSING)?;
        Ok(account.resources.read().get(&*S::key(name)).ok_or(S::MISSING)?.clone())
    }

    /// The resource that a request names.
    ///
    /// # Errors
    /// As [`ServiceAccounts::find`].
    pub fn resource(&self, request: &Request) -> Result<Arc<Cell<S>>, StorageError> {
        self.find(&request.account.name, request.target.resource_name()?)
    }

    /// A new cell, to insert into [`AccountState::resources`].
    pub fn cell(&self, state: S) -> Arc<Cell<S>> {
        self.store.cell(state, S::MISSING)
    }
}
