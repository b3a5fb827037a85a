//! The queues of every account: from a call to a queue.

use super::state::Queue;
use crate::op::{Call, Kind};
use crate::rules::fault::{Code, Fault};
use crate::service::directory::{Directory, Held};
use crate::store::cell::Cell;
use std::sync::Arc;

/// The queues of all accounts of one server.
pub type Queues = Directory<Queue>;

impl Held for Queue {
    const KIND: Kind = Kind::Queue;
    const MISSING: Code = Code::QueueNotFound;
}

impl Queues {
    /// The queue that a call is about.
    ///
    /// # Errors
    /// 404 QueueNotFound.
    pub fn queue(&self, call: &Call) -> Result<Arc<Cell<Queue>>, Fault> {
        self.find(&call.account.name, call.queue())
    }
}
