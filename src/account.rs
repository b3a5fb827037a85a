//! Storage accounts: their names, keys and options.

use crate::rules::encryption::Scopes;
use crate::rules::names;
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
    /// Whether pages of all origins may send requests, whatever the CORS rules are.
    pub any_origin: bool,
    /// The declared encryption scopes.
    pub scopes: Scopes,
}

impl std::fmt::Debug for Account {
    /// Omits the keys: an account may be logged.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("name", &self.name).field("versioning", &self.versioning).field("hns", &self.hns).finish()
    }
}

/// The accounts of one server, by name.
#[derive(Clone, Debug, Default)]
pub struct Accounts {
    declared: HashMap<String, Arc<Account>>,
    /// The template of all other accounts, if every valid name is an account.
    any: Option<Account>,
}

/// The name in the configuration that stands for every name.
pub const ANY_NAME: &str = "*";

/// First segments of paths that SDKs send to an issuer of tokens: names of tenants, and of endpoints for managed identities. They are
/// accounts only if they are declared.
const RESERVED: [&str; 6] = ["adfs", "common", "consumers", "metadata", "msi", "organizations"];

impl Accounts {
    /// Returns the account with this name.
    pub fn get(&self, name: &str) -> Option<Arc<Account>> {
        let any = || {
            let template = self.any.as_ref().filter(|_| names::account(name))?;
            Some(Arc::new(Account { name: name.to_owned(), ..template.clone() }))
        };
        self.declared.get(name).cloned().or_else(any)
    }

    /// Returns true if a path that begins with this name is for an account, and not for the issuer of tokens.
    pub fn owns_path(&self, name: &str) -> bool {
        self.declared.contains_key(name) || self.any.is_some() && names::account(name) && !RESERVED.contains(&name)
    }

    /// The declared accounts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Account>> {
        self.declared.values()
    }

    /// Returns true if every valid name is an account.
    pub fn has_any(&self) -> bool {
        self.any.is_some()
    }

    /// Declares accounts that have data, as if the configuration named them. Does nothing unless every valid name is an account.
    pub fn declare(&mut self, names: impl Iterator<Item = String>) {
        for name in names.filter(|_| self.any.is_some()) {
            if let Some(account) = self.get(&name) {
                self.declared.insert(name, account);
            }
        }
    }
}

impl FromIterator<Account> for Accounts {
    fn from_iter<I: IntoIterator<Item = Account>>(accounts: I) -> Accounts {
        let mut all = Accounts::default();
        for account in accounts {
            match account.name == ANY_NAME {
                true => all.any = Some(account),
                false => drop(all.declared.insert(account.name.clone(), Arc::new(account))),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounts(names: &[&str]) -> Accounts {
        names.iter().map(|name| Account { name: (*name).into(), versioning: *name == ANY_NAME, ..Account::default() }).collect()
    }

    #[test]
    fn every_valid_name_can_be_an_account() {
        let (some, all) = (accounts(&["one"]), accounts(&["one", "*"]));
        for (name, is_some, is_any) in [
            ("one", true, true),
            ("two", false, true),
            ("*", false, false),
            ("Two", false, false),
            ("a.b", false, false),
            ("", false, false),
        ] {
            assert_eq!((some.get(name).is_some(), all.get(name).is_some()), (is_some, is_any), "{name}");
        }
        assert_eq!(all.get("two").map(|account| (account.name.clone(), account.versioning)), Some(("two".to_owned(), true)));
        assert_eq!(all.get("one").map(|account| account.versioning), Some(false));
    }

    #[test]
    fn paths_of_the_issuer_are_no_accounts_unless_declared() {
        let all = accounts(&["adfs", "*"]);
        for (name, owns) in [("adfs", true), ("msi", false), ("common", false), ("two", true), ("x.y", false)] {
            assert_eq!(all.owns_path(name), owns, "{name}");
        }
        assert!(!accounts(&["one"]).owns_path("two"));
    }
}
