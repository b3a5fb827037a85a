//! The progress of a copy to a blob or a file, the headers that report it, and copies whose bytes arrive in the background.

use crate::environment::Environment;
use crate::operation::{RemoteResponse, Reply, source_unavailable};
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseId;
use crate::rules::time::Timestamp;
use crate::store::Persist;
use crate::store::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

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
            .with("x-ms-copy-id", guid(id))
            .with("x-ms-copy-source", source)
            .with("x-ms-copy-status", self.status())
            .with_some("x-ms-copy-status-description", self.description())
            .with("x-ms-copy-progress", self.of(total))
            .with_some("x-ms-copy-completion-time", self.ended())
    }
}

/// Formats the id of a copy: lower case, 8-4-4-4-12.
pub fn guid(id: [u8; 16]) -> String {
    uuid::Uuid::from_bytes(id).to_string()
}

/// Adds the headers with which a request to copy is answered.
pub fn started(reply: Reply, id: [u8; 16], status: &str) -> Reply {
    reply.with("x-ms-copy-id", guid(id)).with("x-ms-copy-status", status)
}

/// The id of the copy that a request aborts (`copyid`).
#[derive(Clone, Copy, Debug)]
pub struct CopyId(pub [u8; 16]);

from_text! { CopyId or "copyid needs to be valid Guid.": |text| LeaseId::parse(text).map(|guid| CopyId(guid.0)); }

/// The content of a pending copy, which is filled as its bytes arrive.
pub trait PartialContent {
    type Content;

    /// Appends the next bytes.
    ///
    /// # Errors
    /// 500 InternalError when the disk fails.
    fn push(&mut self, piece: &[u8]) -> Result<(), StorageError>;

    /// Completes the content.
    ///
    /// # Errors
    /// 500 InternalError when the disk fails; 409 CannotVerifyCopySource for bytes that cannot be such a content.
    fn finish(self) -> Result<Self::Content, StorageError>;
}

/// A copy whose bytes arrive in the background. It has only weak references to its destination, and ends when that is deleted.
#[derive(Debug)]
pub struct PendingCopy<S: Persist> {
    /// The container or the share of the destination.
    pub cell: Weak<Cell<S>>,
    /// The size of the source in bytes.
    pub total: u64,
    /// The number of bytes that have arrived. The destination has the only strong reference to it.
    pub arrived: Weak<AtomicU64>,
    pub environment: Arc<Environment>,
}

impl<S: Persist> PendingCopy<S> {
    /// Receives the bytes, and ends the copy with the content or with the description of the failure.
    pub async fn receive<C: PartialContent>(
        self,
        answer: RemoteResponse,
        mut content: C,
        end: impl FnOnce(&mut S, Timestamp, Result<C::Content, Box<str>>) -> Result<(), StorageError>,
    ) {
        let mut received = 0;
        let take = |piece: &[u8]| {
            content.push(piece)?;
            received += piece.len() as u64;
            let count = self.arrived.upgrade().ok_or_else(|| source_unavailable("the destination of the copy was deleted"))?;
            count.store(received, Ordering::Relaxed);
            Ok(())
        };
        let streamed = answer.stream(0..u64::MAX, self.total, take).await;
        let Some(cell) = self.cell.upgrade() else { return };
        let content = streamed.and_then(|()| match received == self.total {
            true => content.finish(),
            false => Err(source_unavailable("the length of the source is not the one that its server reported")),
        });
        let outcome = content.map_err(|error| {
            tracing::debug!(target: "lazuli::copy", "{error}");
            "500 InternalServerError \"Copy failed when reading the source.\"".into()
        });
        let now = self.environment.now();
        // It has no effect if the copy was aborted or the destination was deleted in the meantime.
        _ = cell.write(|state| end(state, now, outcome)).await;
    }
}
