//! The progress of a copy to a blob or a file, and the headers that report it.

use crate::operation::Reply;
use crate::rules::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The progress of a copy.
#[derive(Clone, Debug)]
pub enum Progress {
    /// Running, with the number of bytes copied. The task that copies has a weak reference to it, and stops when the target is deleted.
    Pending(Arc<AtomicU64>),
    Over {
        at: Timestamp,
        bytes: u64,
        outcome: Outcome,
    },
}

/// How a copy ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Success,
    Aborted,
    /// With `x-ms-copy-status-description`.
    Failed(Box<str>),
}

impl Progress {
    /// A copy that is complete at once.
    pub fn whole(bytes: u64, at: Timestamp) -> Progress {
        Progress::Over { at, bytes, outcome: Outcome::Success }
    }

    pub fn is_pending(&self) -> bool {
        matches!(self, Progress::Pending(_))
    }

    /// The same copy, ended.
    pub fn over(&self, at: Timestamp, outcome: Outcome) -> Progress {
        Progress::Over { at, bytes: self.bytes(), outcome }
    }

    fn bytes(&self) -> u64 {
        match self {
            Progress::Pending(bytes) => bytes.load(Ordering::Relaxed),
            Progress::Over { bytes, .. } => *bytes,
        }
    }

    /// `x-ms-copy-progress`.
    pub fn of(&self, total: u64) -> String {
        format!("{}/{total}", self.bytes())
    }

    /// `x-ms-copy-status`.
    pub fn status(&self) -> &'static str {
        match self {
            Progress::Pending(_) => "pending",
            Progress::Over { outcome: Outcome::Success, .. } => "success",
            Progress::Over { outcome: Outcome::Aborted, .. } => "aborted",
            Progress::Over { outcome: Outcome::Failed(_), .. } => "failed",
        }
    }

    /// `x-ms-copy-status-description`, of a copy that failed.
    pub fn description(&self) -> Option<&str> {
        match self {
            Progress::Over { outcome: Outcome::Failed(description), .. } => Some(description),
            _ => None,
        }
    }

    /// `x-ms-copy-completion-time`, of a copy that ended.
    pub fn ended(&self) -> Option<String> {
        match self {
            Progress::Over { at, .. } => Some(at.rfc1123()),
            Progress::Pending(_) => None,
        }
    }

    /// Adds the headers with which a read reports the copy.
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
