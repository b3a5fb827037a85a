//! The blob service of every account: from a path to a cell, and the face that the wire sees.

use super::ops;
use super::state::Container;
use crate::account::Accounts;
use crate::op::{Call, Done, Kind, Query, Row, Service, Shape, Target};
use crate::rules::{
    access::PublicAccess,
    cors::CorsRule,
    fault::{Code, Fault},
    name,
    sas::Policy,
    version::Version,
};
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
        let empty = |account: &Arc<crate::account::Account>| (account.name.clone(), ArcSwap::from_pointee(AccountBlobs::new()));
        Blobs { accounts: accounts.iter().map(empty).collect() }
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

impl Service for Blobs {
    fn kind(&self) -> Kind {
        Kind::Blob
    }

    fn rows(&self) -> Vec<&'static Row> {
        ops::ALL.iter().map(|op| &op.row).collect()
    }

    fn run(&self, row: usize, call: Call) -> Done<'_> {
        match ops::ALL.get(row) {
            Some(op) => (op.run)(self, call),
            None => Box::pin(std::future::ready(Err(Code::NotImplemented.into()))),
        }
    }

    fn target(&self, path: &str, query: &Query) -> Result<Target, Fault> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let target = |shape, container: &str, blob: String| Target { shape, container: container.to_owned(), blob };
        if path.is_empty() {
            return Ok(target(Shape::Service, "", String::new()));
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let first = name::decode(first)?;
        if !rest.is_empty() {
            name::container(&first)?;
            let blob = name::decode(rest)?;
            let check = if first == name::ROOT { name::root_blob } else { name::blob };
            check(&blob)?;
            return Ok(target(Shape::Blob, &first, blob));
        }
        // `/name` is a container when the query says so, and otherwise a blob of the root container.
        if query.get("restype").is_some() {
            name::container(&first)?;
            return Ok(target(Shape::Container, &first, String::new()));
        }
        name::root_blob(&first)?;
        Ok(target(Shape::Blob, name::ROOT, first))
    }

    fn public_access(&self, account: &str, target: &Target) -> PublicAccess {
        self.container_of(account, &target.container).map_or(PublicAccess::Private, |cell| cell.read().about().access)
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let container = self.container_of(account, &target.container).ok()?.read();
        container.about().policies.iter().find(|policy| policy.id == id).cloned()
    }

    fn cors(&self, account: &str) -> Arc<[CorsRule]> {
        self.account(account).map_or_else(|_| Arc::default(), |account| account.properties.read().cors.clone())
    }

    fn default_version(&self, account: &str) -> Option<Version> {
        self.account(account).ok()?.properties.read().default_version
    }

    fn reset(&self) {
        for account in self.accounts.values() {
            account.store(Arc::new(AccountBlobs::new()));
        }
    }
}
