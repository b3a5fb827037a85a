//! The checkpoints that a server has.

use crate::operation::SavedState;
use crate::rules::time::Timestamp;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The checkpoints of a server, by name. They are in memory, and end with the server.
#[derive(Debug, Default)]
pub struct Checkpoints(pub(super) Mutex<BTreeMap<String, Arc<Checkpoint>>>);

/// The state of all accounts, or of one, at a moment.
#[derive(Debug)]
pub struct Checkpoint {
    pub created: Timestamp,
    /// The account, if it is of one only.
    pub account: Option<String>,
    /// The states of the services, in their order.
    pub states: Vec<SavedState>,
    /// By how much the clock was moved.
    pub moved: Duration,
}

impl Checkpoint {
    pub fn json(&self, name: &str) -> Value {
        json!({
            "name": name,
            "created": self.created.iso(),
            "account": self.account,
            "clock_offset_seconds": self.moved.as_secs(),
        })
    }
}

impl Checkpoints {
    pub fn json(&self) -> Value {
        let checkpoints: Vec<Value> = self.0.lock().iter().map(|(name, checkpoint)| checkpoint.json(name)).collect();
        json!({ "checkpoints": checkpoints })
    }
}
