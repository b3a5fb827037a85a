//! What the control requests know of their server.

use crate::account::{Account, Accounts};
use crate::control::address::ServiceAddress;
use crate::control::error::ControlError;
use crate::control::page_key::PageKey;
use crate::control::saved::Checkpoints;
use crate::diagnostics::Diagnostics;
use crate::environment::Environment;
use crate::http::automatic_tls::AutomaticTls;
use crate::operation::{Service, ServiceKind};
use crate::rules::time::Timestamp;
use crate::seed::Seeder;
use crate::store::Store;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What the control requests use.
#[derive(Debug)]
pub struct ControlState {
    /// Whether the requests that change or disturb the server are allowed.
    pub control: bool,
    /// What the requests of pages need.
    pub page_key: Arc<PageKey>,
    /// Host names that requests may have besides addresses and local names.
    pub hosts: Vec<String>,
    /// All services of the server, including one that has no port. Data Lake is not among them.
    pub services: Vec<Arc<dyn Service>>,
    /// The names of all operations.
    pub operations: Vec<&'static str>,
    /// The services that have a port.
    pub addresses: Vec<ServiceAddress>,
    pub accounts: Arc<Accounts>,
    /// The names of the accounts that the configuration declares, in its order.
    pub declared: Vec<String>,
    /// The certificate that the server makes itself, if it does.
    pub tls: Option<Arc<AutomaticTls>>,
    /// The directory that data is stored in.
    pub location: Option<PathBuf>,
    /// When the server started, by the machine's clock.
    pub started: Timestamp,
    pub environment: Arc<Environment>,
    pub diagnostics: Arc<Diagnostics>,
    pub store: Store,
    pub checkpoints: Checkpoints,
    pub seeder: Seeder,
}

impl ControlState {
    /// The account with this name.
    ///
    /// # Errors
    /// 404, with the flag that adds an account.
    pub fn find_account(&self, name: &str) -> Result<Arc<Account>, ControlError> {
        let missing = || ControlError::missing(format!("there is no account {name:?}: --account adds one"));
        self.accounts.get(name).ok_or_else(missing)
    }

    /// Checks that an operation has this name, in any letter case.
    ///
    /// # Errors
    /// 400, with the name that differs only in its spaces, if there is one.
    pub fn check_operation(&self, name: &str) -> Result<(), ControlError> {
        if self.operations.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        let joined = |name: &str| name.split_whitespace().collect::<String>().to_ascii_lowercase();
        let nearest = self.operations.iter().find(|known| joined(known) == joined(name));
        let hint =
            nearest.map_or_else(|| "docs/compatibility.md lists all".to_owned(), |known| format!("did you mean {known:?}?"));
        Err(ControlError::invalid(format!("{name:?} is not an operation; {hint}")))
    }

    /// The declared accounts, and those that were made on their first use.
    pub fn known_accounts(&self) -> impl Iterator<Item = Arc<Account>> {
        let used: BTreeSet<String> = self.services.iter().flat_map(|service| service.account_names()).collect();
        let others = used.into_iter().filter(|name| !self.declared.contains(name));
        self.declared.iter().cloned().chain(others).filter_map(|name| self.accounts.get(&name))
    }

    /// The services that have a port, without Data Lake.
    pub fn listening(&self) -> impl Iterator<Item = ServiceKind> {
        self.addresses.iter().map(|address| address.kind).filter(|kind| *kind != ServiceKind::DataLake)
    }
}
