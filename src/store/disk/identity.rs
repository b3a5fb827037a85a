//! Whose a file is. Every store has an id, given at its creation; the marker has it, and every log and every snapshot begins with a
//! frame that has it and the file's own name. So a file of another store, or one that was renamed, is never taken for its own.

#[cfg(test)]
mod tests;

use crate::environment::Environment;
use uuid::Uuid;

/// The id of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreId(Uuid);

impl StoreId {
    /// The id of a new store.
    pub fn random() -> StoreId {
        StoreId(Uuid::from_bytes(Environment::real().id()))
    }

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<StoreId> {
        Uuid::try_parse(text).ok().map(StoreId)
    }
}

impl std::fmt::Display for StoreId {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(to)
    }
}

/// The payload of the first frame of a log or a snapshot. No change begins like it, for one begins with a byte below 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHead {
    /// The store that wrote the file.
    pub store: StoreId,
    /// The name that it gave to the file.
    pub name: String,
}

impl FileHead {
    /// The largest file head with its frame, in bytes, with much room to spare.
    pub const MOST: u64 = 256;

    /// As it is written.
    pub fn payload(&self) -> Vec<u8> {
        format!("store {} file {}", self.store, self.name).into_bytes()
    }

    /// Reads it; nothing if the payload is something else.
    pub fn read(payload: &[u8]) -> Option<FileHead> {
        let (store, name) = std::str::from_utf8(payload).ok()?.strip_prefix("store ")?.split_once(" file ")?;
        Some(FileHead { store: StoreId::parse(store)?, name: name.to_owned() })
    }
}
