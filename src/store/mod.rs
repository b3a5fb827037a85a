//! What the services remember things in: cells of records, and content for their bytes.
//!
//! A cell publishes whole versions; a reader keeps the version that it opened. Bytes lie apart from records, in ropes of shared
//! chunks, so that a copy of a blob costs a pointer. A journal tells the disk what each write changed, where there is one. Nothing
//! here knows what a blob is.

pub mod cell;
pub mod chunks;
pub mod cleared_ranges;
pub mod content;
pub mod disk;
pub mod journal;
pub mod record;
pub mod sparse;
pub mod timeline;

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::cell::Cell;
use crate::store::chunks::Chunk;
use crate::store::disk::Disk;
use crate::store::journal::{CellId, CorruptRecord, Journal, Persist};
use bytes::Bytes;
use std::io;
use std::sync::Arc;

/// How many bytes are kept in memory and in the records themselves, at most, where there is a disk: about as many as what is said of
/// them takes. What is longer lies in an extent.
const SMALL: usize = 256;

/// What a server remembers in: its memory alone, or a folder too.
#[derive(Clone, Debug, Default)]
pub struct Store(Option<Arc<Disk>>);

impl Store {
    /// Memory alone.
    pub const MEMORY: Store = Store(None);

    /// A folder too.
    pub fn on_disk(disk: Arc<Disk>) -> Store {
        Store(Some(disk))
    }

    /// The folder, if there is one.
    pub fn disk(&self) -> Option<&Arc<Disk>> {
        self.0.as_ref()
    }

    /// Puts bytes where they are to lie.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn keep(&self, bytes: Bytes) -> io::Result<Chunk> {
        match &self.0 {
            Some(disk) if bytes.len() > SMALL => {
                let piece = disk.extents().write(&bytes)?;
                Ok(Chunk::Disk(Arc::new(piece), 0..bytes.len() as u32))
            }
            _ => Ok(Chunk::Memory(bytes)),
        }
    }

    /// A new cell. It is kept from when [`Cell::enter`] tells of it.
    pub fn cell<S: Persist>(&self, state: S, gone: ErrorCode) -> Arc<Cell<S>> {
        let journal = self.0.as_ref().map_or(Journal::NONE, |disk| Journal::new(disk.log().clone(), disk.log().cell()));
        Arc::new(Cell::new(state, gone, journal))
    }

    /// The cell that stands for something at every start.
    ///
    /// # Errors
    /// When a record of it is not what it should be.
    pub fn root<S: Persist>(&self, name: &str, gone: ErrorCode) -> Result<Arc<Cell<S>>, CorruptRecord> {
        self.load(self.0.as_ref().map_or(CellId(0), |disk| disk.root(name)), gone)
    }

    /// The cell of this number, as it was kept.
    ///
    /// # Errors
    /// When a record of it is not what it should be.
    pub fn load<S: Persist>(&self, id: CellId, gone: ErrorCode) -> Result<Arc<Cell<S>>, CorruptRecord> {
        let records = self.0.as_ref().map(|disk| disk.records(id)).unwrap_or_default();
        let state = S::restore(&records, self)?;
        let journal = self.0.as_ref().map_or(Journal::NONE, |disk| Journal::new(disk.log().clone(), id));
        let cell = Arc::new(Cell::new(state, gone, journal));
        cell.keep();
        Ok(cell)
    }
}

impl From<io::Error> for StorageError {
    /// What the disk does not do is the server's fault, and no client's.
    fn from(error: io::Error) -> StorageError {
        tracing::error!("the disk does not do what it should: {error}");
        ErrorCode::InternalError.with_message(format!("The server's disk does not do what it should: {error}."))
    }
}
