//! How far a copy is that made a blob or a file, or is making it, and how that is told.

use crate::operation::Reply;
use crate::rules::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a copy is.
#[derive(Clone, Debug)]
pub enum Progress {
    /// It goes on; so many bytes are there. Who brings them holds this weakly, and stops when nothing waits for them any more.
    Pending(Arc<AtomicU64>),
    /// It is over.
    Over {
        /// When it ended.
        at: Timestamp,
        /// How many bytes were copied.
        bytes: u64,
        /// How it ended.
        outcome: Outcome,
    },
}

/// How a copy ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything came.
    Success,
    /// Somebody stopped it.
    Aborted,
    /// It went wrong: `x-ms-copy-status-description`.
    Failed(Box<str>),
}

impl Progress {
    /// That of a copy that was complete at once.
    pub fn whole(bytes: u64, at: Timestamp) -> Progress {
        Progress::Over { at, bytes, outcome: Outcome::Success }
    }

    /// Whether it still goes on.
    pub fn is_pending(&self) -> bool {
        matches!(self, Progress::Pending(_))
    }

    /// The same copy's, over.
    pub fn over(&self, at: Timestamp, outcome: Outcome) -> Progress {
        Progress::Over { at, bytes: self.bytes(), outcome }
    }

    /// How many bytes were copied so far.
    fn bytes(&self) -> u64 {
        match self {
            Progress::Pending(bytes) => bytes.load(Ordering::Relaxed),
            Progress::Over { bytes, .. } => *bytes,
        }
    }

    /// How many bytes were copied so far, of how many.
    pub fn of(&self, total: u64) -> String {
        format!("{}/{total}", self.bytes())
    }

    /// Its state on the wire.
    pub fn status(&self) -> &'static str {
        match self {
            Progress::Pending(_) => "pending",
            Progress::Over { outcome: Outcome::Success, .. } => "success",
            Progress::Over { outcome: Outcome::Aborted, .. } => "aborted",
            Progress::Over { outcome: Outcome::Failed(_), .. } => "failed",
        }
    }

    /// What went wrong, if something did.
    pub fn description(&self) -> Option<&str> {
        match self {
            Progress::Over { outcome: Outcome::Failed(why), .. } => Some(why),
            _ => None,
        }
    }

    /// When it ended.
    pub fn ended(&self) -> Option<String> {
        match self {
            Progress::Over { at, .. } => Some(at.rfc1123()),
            Progress::Pending(_) => None,
        }
    }

    /// Adds the headers by which a read tells of the copy.
    pub fn describe(&self, reply: Reply, id: [u8; 16], source: &str, total: u64) -> Reply {
        reply
            .with("x-ms-copy-id", uuid::Uuid::from_bytes(id).to_string())
            .with("x-ms-copy-source", source)
            .with("x-ms-copy-status", self.status())
            .with_some("x-ms-copy-status-description", self.description())
            .with("x-ms-copy-progress", self.of(total))
            .with_some("x-ms-copy-completion-time", self.ended())
    }
}
