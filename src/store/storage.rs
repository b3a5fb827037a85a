//! Where a server stores its data: in memory, or also in a folder.

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::changes::Changes;
use crate::store::chunk::Chunk;
use crate::store::disk::Disk;
use crate::store::records::{CorruptRecord, Records};
use bytes::Bytes;
use std::io;
use std::sync::Arc;

/// The largest number of bytes that stay in memory and in the records themselves if there is a disk: about as many as the description
/// of their place would take. Longer ones go to an extent.
const INLINE: usize = 256;

/// Where a server stores its data: in memory, or also in a folder.
#[derive(Clone, Debug, Default)]
pub struct Store(Option<Arc<Disk>>);

impl Store {
    /// Stores in memory only.
    pub const MEMORY: Store = Store(None);

    /// Stores in a folder too.
    pub fn on_disk(disk: Arc<Disk>) -> Store {
        Store(Some(disk))
    }

    /// The folder, if there is one.
    pub fn disk(&self) -> Option<&Arc<Disk>> {
        self.0.as_ref()
    }

    /// Stores bytes as a chunk.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn write(&self, bytes: Bytes) -> io::Result<Chunk> {
        match &self.0 {
            Some(disk) if bytes.len() > INLINE => {
                let slice = disk.extents().write(&bytes)?;
                Ok(Chunk::Disk(Arc::new(slice), 0..bytes.len() as u32))
            }
            _ => Ok(Chunk::Memory(bytes)),
        }
    }
}

/// The state of a cell: written as records, and restored from them.
pub trait Persist: Clone + Send + Sync + 'static {
    /// Writes the changes that lead from `before`, or from nothing, to `after`.
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>);

    /// Restores the state from its records. Without records it is the state of a new cell.
    ///
    /// # Errors
    /// When a record cannot be read.
    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord>;
}

impl From<io::Error> for StorageError {
    /// A failure of the disk is the server's fault, not the client's.
    fn from(error: io::Error) -> StorageError {
        tracing::error!("the disk does not do what it should: {error}");
        ErrorCode::InternalError.with_message(format!("The server's disk does not do what it should: {error}."))
    }
}
