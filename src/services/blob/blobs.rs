//! The blobs of all accounts, and the way from a request to a container.

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
    // The sentence is shorter than in other services (recorded).
    const STILL_GOING: &'static str = "The specified container is being deleted.";

    fn created(&self) -> Timestamp {
        Container::created(self)
    }

    fn restored(mut self, now: Timestamp) -> Container {
        self.renew(now);
        self
    }
}

impl Blobs {
    /// The container that a request names.
    ///
    /// # Errors
    /// 404 ContainerNotFound.
    pub fn container(&self, request: &Request) -> Result<Arc<Cell<Container>>, StorageError> {
        self.find(&request.account.name, request.container())
    }

    /// How the account of a request retains overwritten and deleted blobs.
    ///
    /// # Errors
    /// 404 ResourceNotFound.
    pub fn retention_policy(&self, request: &Request) -> Result<RetentionPolicy, StorageError> {
        let days = self.account(&request.account.name)?.properties.read().delete_retention.retention.0;
        Ok(RetentionPolicy { versions: request.account.versioning, days })
    }
}
