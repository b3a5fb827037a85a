//! What a blob remembers of the copy that made it, or is making it, and how that is told.

use super::wire::guid;
use crate::op::{Reply, xml::Writer};
use crate::rules::time::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The copy that made a blob, or is making it.
#[derive(Clone, Debug)]
pub struct Copied {
    /// The copy's id.
    pub id: [u8; 16],
    /// The source's URL, without its signature.
    pub source: String,
    /// The source's size in bytes.
    pub total: u64,
    /// How far it is.
    pub progress: Progress,
    /// What it is a part of, if it was an incremental one.
    pub incremental: Option<Increment>,
}

/// How far a copy is.
#[derive(Clone, Debug)]
pub enum Progress {
    /// It goes on; so many bytes are there. Who brings them holds this weakly, and stops when no blob waits for them any more.
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
    /// The blob is whole.
    Success,
    /// Somebody stopped it.
    Aborted,
    /// It went wrong: `x-ms-copy-status-description`.
    Failed(Box<str>),
}

/// An incremental copy: which snapshot of which blob came last, and where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Increment {
    /// The source without its snapshot: account, container, blob.
    pub of: [String; 3],
    /// When the source was created: one that was overwritten since is another.
    pub created: Timestamp,
    /// The source's snapshot.
    pub snapshot: Timestamp,
    /// The snapshot of the destination that keeps it.
    pub kept: Timestamp,
}

impl Copied {
    /// A copy that was complete at once.
    pub fn whole(id: [u8; 16], source: String, bytes: u64, at: Timestamp) -> Copied {
        let progress = Progress::Over { at, bytes, outcome: Outcome::Success };
        Copied { id, source, total: bytes, progress, incremental: None }
    }

    /// Whether it still goes on.
    pub fn is_pending(&self) -> bool {
        matches!(self.progress, Progress::Pending(_))
    }

    /// The same copy, over.
    pub fn over(&self, at: Timestamp, outcome: Outcome) -> Copied {
        Copied { progress: Progress::Over { at, bytes: self.bytes(), outcome }, ..self.clone() }
    }

    /// How many bytes were copied so far.
    fn bytes(&self) -> u64 {
        match &self.progress {
            Progress::Pending(bytes) => bytes.load(Ordering::Relaxed),
            Progress::Over { bytes, .. } => *bytes,
        }
    }

    /// Its state on the wire.
    pub fn status(&self) -> &'static str {
        match &self.progress {
            Progress::Pending(_) => "pending",
            Progress::Over { outcome: Outcome::Success, .. } => "success",
            Progress::Over { outcome: Outcome::Aborted, .. } => "aborted",
            Progress::Over { outcome: Outcome::Failed(_), .. } => "failed",
        }
    }

    fn description(&self) -> Option<&str> {
        match &self.progress {
            Progress::Over { outcome: Outcome::Failed(why), .. } => Some(why),
            _ => None,
        }
    }

    fn ended(&self) -> Option<String> {
        match &self.progress {
            Progress::Over { at, .. } => Some(at.rfc1123()),
            Progress::Pending(_) => None,
        }
    }

    /// The moment of the snapshot that an incremental copy made.
    fn kept(&self) -> Option<String> {
        self.incremental.as_ref().map(|increment| increment.kept.iso())
    }

    /// The headers by which Get Blob and Get Blob Properties tell of it.
    pub(super) fn describe(&self, reply: Reply) -> Reply {
        reply
            .with("x-ms-copy-id", guid(self.id))
            .with("x-ms-copy-source", &self.source)
            .with("x-ms-copy-status", self.status())
            .with_some("x-ms-copy-status-description", self.description())
            .with("x-ms-copy-progress", format!("{}/{}", self.bytes(), self.total))
            .with_some("x-ms-copy-completion-time", self.ended())
            .with_some("x-ms-incremental-copy", self.incremental.as_ref().map(|_| "true"))
            .with_some("x-ms-copy-destination-snapshot", self.kept())
    }

    /// Its elements in a list of blobs.
    pub(super) fn write(&self, xml: &mut Writer) {
        xml.leaf("CopyId", guid(self.id)).leaf("CopySource", &self.source).leaf("CopyStatus", self.status());
        xml.leaf("CopyProgress", format!("{}/{}", self.bytes(), self.total));
        xml.leaf_some("CopyCompletionTime", self.ended());
        xml.leaf_some("CopyStatusDescription", self.description());
        xml.leaf_some("IncrementalCopy", self.incremental.as_ref().map(|_| "true"));
        xml.leaf_some("CopyDestinationSnapshot", self.kept());
    }
}
