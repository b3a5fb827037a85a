//! Storage accounts: their names, keys and options.

use crate::rules::encryption::Scopes;
use std::collections::HashMap;
use std::sync::Arc;

/// The account that every storage emulator has. It does not exist in Azure.
pub const WELL_KNOWN_ACCOUNT: &str = "devstoreaccount1";

/// A storage account. All services of a server share the same accounts.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// 3 to 24 lower-case letters and digits.
    pub name: String,
    /// One or two keys, decoded. A signature with either is valid.
    pub keys: Vec<Vec<u8>>,
    /// Whether overwriting or deleting a blob keeps its previous state as a version.
    pub versioning: bool,
    /// Whether the account has a hierarchical namespace (Data Lake Storage Gen2).
    pub hns: bool,
    /// Whether single blobs can have an immutability policy or a legal hold. Such an account also has versioning.
    pub immutability: bool,
    /// Whether blobs have a last access time.
    pub access_tracking: bool,
    /// Whether the account is premium: its page blobs have size classes as tiers, its shares are provisioned.
    pub premium: bool,
    /// The days for which a deleted container can be restored; `None`: not at all.
    pub container_retention: Option<u32>,
    /// The days for which a deleted share can be restored; `None`: not at all.
    pub share_retention: Option<u32>,
    /// The declared encryption scopes.
    pub scopes: Scopes,
}

impl Account {
    /// This account without some of its keys, which are counted from 1.
    pub fn without_keys(&self, numbers: &[usize]) -> Account {
        let keys = self.keys.iter().zip(1..).filter(|(_, number)| !numbers.contains(number)).map(|(key, _)| key.clone());
        Account { keys: keys.collect(), ..self.clone() }
    }
}

impl std::fmt::Debug for Account {
    /// Omits the keys: an account may be logged.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("name", &self.name).field("versioning", &self.versioning).field("hns", &self.hns).finish()
    }
}

/// The accounts of one server, by name.
#[derive(Clone, Debug, Default)]
pub struct Accounts(HashMap<String, Arc<Account>>);

impl Accounts {
    /// Returns the account with this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Account>> {
        self.0.get(name)
    }

    /// All accounts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.0.values()
    }
}

impl FromIterator<Account> for Accounts {
    fn from_iter<I: IntoIterator<Item = Account>>(accounts: I) -> Accounts {
        Accounts(accounts.into_iter().map(|account| (account.name.clone(), Arc::new(account))).collect())
    }
}
