//! The blobs of every account: from a call to a container.

use crate::operation::{Request, ServiceKind};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::state::Container;
use crate::services::shared::accounts::{Resource, ServiceAccounts};
use crate::services::shared::resource_index::Restorable;
use crate::store::cell::Cell;
use std::sync::Arc;

/// The blobs of all accounts of one server.
pub type Blobs = ServiceAccounts<Container>;

impl Resource for Container {
    const KIND: ServiceKind = ServiceKind::Blob;
    const MISSING: ErrorCode = ErrorCode::ContainerNotFound;
}

impl Restorable for Container {
    const TAKEN: ErrorCode = ErrorCode::ContainerAlreadyExists;
    const GOING: ErrorCode = ErrorCode::ContainerBeingDeleted;
    // Recorded: shorter than elsewhere.
    const STILL_GOING: &'static str = "The specified container is being deleted.";

    fn created(&self) -> Timestamp {
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
    pub fn container(&self, request: &Request) -> Result<Arc<Cell<Container>>, StorageError> {
        self.find(&request.account.name, request.target.container()?)
    }

    /// What the account that a call is about keeps of overwritten and deleted blobs.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn retention_policy(&self, request: &Request) -> Result<RetentionPolicy, StorageError> {
        let days = self.account(&request.account.name)?.properties.read().delete_retention.retention.0;
        Ok(RetentionPolicy { versions: request.account.versioning, days })
    }
}
