//! The queues of every account: from a call to a queue.

use crate::operation::{Request, ServiceKind};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::queue::state::Queue;
use crate::services::shared::accounts::{Resource, ServiceAccounts};
use crate::store::cell::Cell;
use std::sync::Arc;

/// The queues of all accounts of one server.
pub type Queues = ServiceAccounts<Queue>;

impl Resource for Queue {
    const KIND: ServiceKind = ServiceKind::Queue;
    const MISSING: ErrorCode = ErrorCode::QueueNotFound;
}

impl Queues {
    /// The queue that a call is about.
    ///
    /// # Errors
    /// 404 QueueNotFound.
    pub fn queue(&self, request: &Request) -> Result<Arc<Cell<Queue>>, StorageError> {
        self.find(&request.account.name, request.target.queue()?)
    }
}
