//! Where the changes of a cell go.
//!
//! A cell's state is made of persistent maps, and a draft shares with the state before it all that it did not change. So no handler
//! declares what it changed: the two states are compared, which costs as much as was changed. In memory nothing is compared.

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::changes::{CellId, Changes, Entries};
use std::io;
use std::sync::{Arc, Weak};
use tokio::sync::oneshot;

/// Where journals write to: a log on disk.
pub trait ChangeLog: Send + Sync + std::fmt::Debug {
    /// Returns a number for a new cell.
    fn new_cell(&self) -> CellId;

    /// Adds a change to the log: its entries, which are written together or not at all.
    fn append(&self, entries: &[u8]) -> Durable;

    /// Fails while a change in the log is not written.
    ///
    /// # Errors
    /// 500 InternalError, with the error of the disk.
    fn check(&self) -> Result<(), StorageError>;

    /// Includes a cell in every snapshot from now on, until it is dropped or unregistered.
    fn register(&self, cell: CellId, state: Weak<dyn WriteRecords>);

    /// Excludes a cell from snapshots from now on.
    fn unregister(&self, cell: CellId);

    /// Learns that a cell was dropped from memory.
    fn dropped(&self, cell: CellId);
}

/// A cell that can write its state to a snapshot.
pub trait WriteRecords: Send + Sync + std::fmt::Debug {
    /// Writes the full state as records.
    fn write_records(&self, to: &mut Changes<'_>);
}

/// How writing a change to the disk ended. All changes that were written together share an error.
pub type Committed = Result<(), Arc<io::Error>>;

/// A change on its way to the disk.
#[derive(Debug)]
pub enum Durable {
    /// The change is as durable as it will be.
    Already,
    /// The change is durable once this receives a success.
    Soon(oneshot::Receiver<Committed>),
}

impl Durable {
    /// Waits until the change is durable.
    ///
    /// # Errors
    /// 500 InternalError if the change was not written.
    pub async fn wait(self) -> Result<(), StorageError> {
        let Durable::Soon(committed) = self else { return Ok(()) };
        match committed.await {
            Ok(outcome) => outcome.map_err(unwritten),
            Err(_) => Err(unwritten("the server is stopping")),
        }
    }
}

/// The refusal of a write while the disk fails.
pub(super) fn unwritten(reason: impl std::fmt::Display) -> StorageError {
    ErrorCode::InternalError.with_message(format!("The server could not write to its disk: {reason}."))
}

/// The largest change, in bytes: the length of a frame has 32 bits.
const MAX_CHANGE: usize = u32::MAX as usize;

/// Where a cell's changes go. The default is nowhere: the state is in memory only.
#[derive(Clone, Debug, Default)]
pub struct Journal(Option<(Arc<dyn ChangeLog>, CellId)>);

impl Journal {
    /// The journal of a cell in memory.
    pub const NONE: Journal = Journal(None);

    pub fn new(log: Arc<dyn ChangeLog>, cell: CellId) -> Journal {
        Journal(Some((log, cell)))
    }

    /// Creates a journal for a new cell, in the same log.
    pub fn another(&self) -> Journal {
        Journal(self.0.as_ref().map(|(log, _)| (log.clone(), log.new_cell())))
    }

    /// The number of the cell; 0 in memory.
    pub fn cell(&self) -> CellId {
        self.0.as_ref().map_or(CellId(0), |(_, cell)| *cell)
    }

    /// Calls the log with the number of the cell. In memory it does nothing.
    pub(super) fn notify(&self, call: impl FnOnce(&dyn ChangeLog, CellId)) {
        if let Some((log, cell)) = &self.0 {
            call(&**log, *cell);
        }
    }

    /// Fails while the disk has not written earlier changes: a write that could be lost is not begun.
    ///
    /// # Errors
    /// 500 InternalError, with the error of the disk.
    pub fn check(&self) -> Result<(), StorageError> {
        self.0.as_ref().map_or(Ok(()), |(log, _)| log.check())
    }

    /// Appends the changes that `write` writes. In memory `write` is not called.
    ///
    /// # Errors
    /// 500 InternalError if a change cannot be encoded; nothing is appended then.
    pub fn append(&self, write: impl FnOnce(&mut Changes<'_>)) -> Result<Durable, StorageError> {
        let Some((log, cell)) = &self.0 else { return Ok(Durable::Already) };
        let mut entries = Entries::default();
        write(&mut Changes::new(*cell, &mut entries));
        let entries = entries.encoded().map_err(|error| ErrorCode::InternalError.with_reason(error.to_string()))?;
        match entries.len() {
            0 => Ok(Durable::Already),
            1..=MAX_CHANGE => Ok(log.append(&entries)),
            bytes => Err(ErrorCode::InternalError.with_message(format!("A change of {bytes} bytes is too large for the log."))),
        }
    }
}
