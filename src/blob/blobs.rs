//! The blobs of every account: from an account and a name to a cell.

use super::state::Container;
use crate::account::{Account, Accounts};
use crate::op::Call;
use crate::rules::fault::{Code, Fault};
use crate::rules::retention::Keeping;
use crate::service::properties::Properties;
use crate::store::cell::Cell;
use arc_swap::ArcSwap;
use imbl::OrdMap;
use std::collections::HashMap;
use std::sync::Arc;

/// The blobs of all accounts of one server.
#[derive(Debug)]
pub struct Blobs {
    accounts: HashMap<String, ArcSwap<AccountBlobs>>,
}

/// The blobs of one account.
#[derive(Debug)]
pub struct AccountBlobs {
    /// The account's containers, by name. This cell outranks those that it names: whoever edits both edits this one first.
    pub containers: Cell<Containers>,
    /// The service's properties.
    pub properties: Cell<Properties>,
}

/// Containers by name.
pub type Containers = OrdMap<Arc<str>, Arc<Cell<Container>>>;

impl Blobs {
    /// Nothing stored, for each of these accounts.
    pub fn new(accounts: &Accounts) -> Blobs {
        let empty = |account: &Arc<Account>| (account.name.clone(), ArcSwap::from_pointee(AccountBlobs::new()));
        Blobs { accounts: accounts.iter().map(empty).collect() }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.accounts.values().for_each(|account| account.store(Arc::new(AccountBlobs::new())));
    }

    /// The account that a call is about.
    ///
    /// # Errors
    /// 404 ResourceNotFound; the door has let nobody in to an account that is not there.
    pub fn account(&self, name: &str) -> Result<Arc<AccountBlobs>, Fault> {
        Ok(self.accounts.get(name).ok_or(Code::ResourceNotFound)?.load_full())
    }

    /// The container that a call is about.
    ///
    /// # Errors
    /// 404 ContainerNotFound.
    pub fn container(&self, call: &Call) -> Result<Arc<Cell<Container>>, Fault> {
        self.container_of(&call.account.name, call.container())
    }

    /// What the account that a call is about keeps of overwritten and deleted blobs.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn keeping(&self, call: &Call) -> Result<Keeping, Fault> {
        let days = self.account(&call.account.name)?.properties.read().delete_retention.retention.0;
        Ok(Keeping { versions: call.account.versioning, days })
    }

    /// A container by account and name.
    ///
    /// # Errors
    /// 404 ContainerNotFound.
    pub fn container_of(&self, account: &str, container: &str) -> Result<Arc<Cell<Container>>, Fault> {
        Ok(self.account(account)?.containers.read().get(container).ok_or(Code::ContainerNotFound)?.clone())
    }
}

impl AccountBlobs {
    fn new() -> AccountBlobs {
        AccountBlobs {
            containers: Cell::new(OrdMap::new(), Code::ContainerNotFound),
            properties: Cell::new(Properties::default(), Code::ResourceNotFound),
        }
    }
}
