//! The blobs of every account: from a call to a container.

use super::state::Container;
use crate::op::{Call, Kind};
use crate::rules::{
    fault::{Code, Fault},
    retention::Keeping,
    time::Timestamp,
};
use crate::service::directory::{Directory, Held};
use crate::service::named::Restorable;
use crate::store::cell::Cell;
use std::sync::Arc;

/// The blobs of all accounts of one server.
pub type Blobs = Directory<Container>;

impl Held for Container {
    const KIND: Kind = Kind::Blob;
    const MISSING: Code = Code::ContainerNotFound;
}

impl Restorable for Container {
    const TAKEN: Code = Code::ContainerAlreadyExists;
    const GOING: Code = Code::ContainerBeingDeleted;
    // Recorded: shorter than elsewhere.
    const STILL_GOING: &'static str = "The specified container is being deleted.";

    fn born(&self) -> Timestamp {
        Container::born(self)
    }

    fn restored(mut self, now: Timestamp) -> Container {
        self.renew(now);
        self
    }
}

impl Blobs {
    /// The container that a call is about.
    ///
    /// # Errors
    /// 404 ContainerNotFound.
    pub fn container(&self, call: &Call) -> Result<Arc<Cell<Container>>, Fault> {
        self.find(&call.account.name, call.container())
    }

    /// What the account that a call is about keeps of overwritten and deleted blobs.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn keeping(&self, call: &Call) -> Result<Keeping, Fault> {
        let days = self.account(&call.account.name)?.properties.read().delete_retention.retention.0;
        Ok(Keeping { versions: call.account.versioning, days })
    }
}
