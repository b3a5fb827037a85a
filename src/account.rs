//! Accounts: their names, their keys, and what each has switched on.

use crate::rules::encryption::Scopes;
use std::collections::HashMap;
use std::sync::Arc;

/// The account that every emulator has. Azure has none of this name.
pub const WELL_KNOWN_ACCOUNT: &str = "devstoreaccount1";

/// A storage account. Every service of the server knows the same accounts.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The account's name: 3 to 24 lower-case letters and digits.
    pub name: String,
    /// One or two keys, decoded; a signature with either is good.
    pub keys: Vec<Vec<u8>>,
    /// Whether overwriting or deleting a blob keeps the old state as a version.
    pub versioning: bool,
    /// Whether the account has a hierarchical namespace (Data Lake Storage Gen2).
    pub hns: bool,
    /// Whether single blobs can be put under an immutability policy or a legal hold; such an account keeps versions.
    pub immutability: bool,
    /// Whether blobs tell when they were last read or written.
    pub access_tracking: bool,
    /// Whether the account is premium: its page blobs have size classes as tiers, its shares are provisioned.
    pub premium: bool,
    /// For how many days a deleted container can be restored; `None`: not at all.
    pub container_retention: Option<u32>,
    /// For how many days a deleted share can be restored; `None`: not at all.
    pub share_retention: Option<u32>,
    /// Its encryption scopes.
    pub scopes: Scopes,
}

impl std::fmt::Debug for Account {
    /// Without the keys: an account may end up in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("name", &self.name).field("versioning", &self.versioning).field("hns", &self.hns).finish()
    }
}

/// The accounts of one server, by name.
#[derive(Clone, Debug, Default)]
pub struct Accounts(HashMap<String, Arc<Account>>);

impl Accounts {
    /// The account of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<Account>> {
        self.0.get(name)
    }

    /// All of them, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.0.values()
    }
}

impl FromIterator<Account> for Accounts {
    fn from_iter<I: IntoIterator<Item = Account>>(accounts: I) -> Accounts {
        Accounts(accounts.into_iter().map(|account| (account.name.clone(), Arc::new(account))).collect())
    }
}
