//! The log: every change, in the order in which it was published.
//!
//! A writer adds its change to a queue and waits. The committer writes the queue to the log's file.

use crate::rules::error::StorageError;
use crate::store::changes::CellId;
use crate::store::disk::extents::Extents;
use crate::store::disk::folder::Folder;
use crate::store::disk::frame;
use crate::store::disk::identity::FileHead;
use crate::store::disk::medium::Medium;
use crate::store::journal::{ChangeLog, Committed, Durable, WriteRecords, unwritten};
use parking_lot::{Condvar, Mutex};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::oneshot;

/// The log of a server's changes.
#[derive(Debug)]
pub struct Log {
    pub(super) queue: Mutex<Queue>,
    pub(super) wake: Condvar,
    /// The error of the disk, while there is one.
    pub(super) failure: Mutex<Option<Arc<io::Error>>>,
    /// The cells that a snapshot contains.
    pub(super) cells: Mutex<HashMap<CellId, Weak<dyn WriteRecords>>>,
    next_cell: AtomicU64,
    extents: Arc<Extents>,
}

/// What the committer has to do.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) frames: Vec<u8>,
    pub(super) waiting: Vec<oneshot::Sender<Committed>>,
    /// The number of the next frame.
    pub(super) next: u64,
    /// Whether a snapshot was requested, however short the log is.
    pub(super) snapshot: bool,
    /// Whether all cells on disk are registered: an earlier snapshot would miss some.
    pub(super) settled: bool,
    pub(super) stop: bool,
}

/// A log's file, open at its end.
#[derive(Debug)]
pub struct LogFile {
    pub(super) file: File,
    pub(super) generation: u64,
    /// In bytes.
    pub(super) length: u64,
}

impl LogFile {
    /// Opens or creates the log of a generation, whose complete frames have `length` bytes. An empty one gets a head, whose frame has
    /// the number of the next frame: so a log that lost all its bytes differs from a new one.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(folder: &Folder, medium: &Medium, generation: u64, length: u64, next: u64) -> io::Result<LogFile> {
        let file = medium.open(&folder.file(&name(generation)))?;
        file.set_len(length)?;
        folder.sync()?;
        let mut log = LogFile { file, generation, length };
        if length == 0 {
            let mut head = Vec::new();
            let payload = FileHead { store: folder.identity().store, name: name(generation) }.payload();
            frame::write(&mut head, next, &payload);
            log.append(&head, medium)?;
        }
        Ok(log)
    }

    pub(super) fn append(&mut self, frames: &[u8], medium: &Medium) -> io::Result<()> {
        medium.write_at(&self.file, frames, self.length).inspect_err(|_| {
            // If this fails too, half a frame at the end does no harm: the next write overwrites it.
            let _ = self.file.set_len(self.length);
        })?;
        self.length += frames.len() as u64;
        Ok(())
    }
}

/// The file name of the log of a generation.
pub fn name(generation: u64) -> String {
    format!("log-{generation:08}")
}

impl Log {
    /// Creates a log without a committer. A read-only location keeps it so: its changes are never written.
    pub fn new(extents: Arc<Extents>, next: u64, next_cell: u64) -> Log {
        Log {
            queue: Mutex::new(Queue { next, ..Queue::default() }),
            wake: Condvar::new(),
            failure: Mutex::default(),
            cells: Mutex::default(),
            next_cell: AtomicU64::new(next_cell),
            extents,
        }
    }

    /// Requests a snapshot, however short the log is.
    pub fn snapshot(&self) {
        self.queue.lock().snapshot = true;
        self.wake.notify_one();
    }

    /// Ends the start: all cells on disk are registered, so snapshots are possible.
    pub fn settle(&self) {
        self.queue.lock().settled = true;
        self.wake.notify_one();
    }

    /// Returns true if snapshots contain this cell.
    pub fn is_registered(&self, cell: CellId) -> bool {
        self.cells.lock().contains_key(&cell)
    }

    /// Returns true if the server is stopping.
    pub fn is_stopping(&self) -> bool {
        self.queue.lock().stop
    }
}

impl ChangeLog for Log {
    fn new_cell(&self) -> CellId {
        CellId(self.next_cell.fetch_add(1, Ordering::SeqCst))
    }

    fn append(&self, entries: &[u8]) -> Durable {
        let (sender, committed) = oneshot::channel();
        let mut queue = self.queue.lock();
        if !queue.stop {
            let number = queue.next;
            queue.next += 1;
            frame::write(&mut queue.frames, number, entries);
            queue.waiting.push(sender);
            self.extents.appended.store(number, Ordering::SeqCst);
            drop(queue);
            self.wake.notify_one();
        }
        Durable::Soon(committed)
    }

    fn check(&self) -> Result<(), StorageError> {
        self.failure.lock().as_ref().map_or(Ok(()), |error| Err(unwritten(error)))
    }

    fn register(&self, cell: CellId, state: Weak<dyn WriteRecords>) {
        self.cells.lock().insert(cell, state);
    }

    fn unregister(&self, cell: CellId) {
        self.cells.lock().remove(&cell);
    }

    fn dropped(&self, cell: CellId) {
        // A registered cell is dropped only when the server stops: its contents remain on disk.
        if self.is_registered(cell) {
            self.extents.stop();
        }
    }
}
