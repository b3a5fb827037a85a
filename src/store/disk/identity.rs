//! Which store a file belongs to. Every store gets an id at its creation. The marker has it, and every log and snapshot begins with a
//! frame that has it and the file's name. So a file of another store, and a renamed file, is recognized.

#[cfg(test)]
mod tests;

use crate::environment::Environment;
use uuid::Uuid;

/// The id of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreId(Uuid);

impl StoreId {
    /// Creates the id of a new store.
    pub fn random() -> StoreId {
        StoreId(Uuid::from_bytes(Environment::real().id()))
    }

    /// Parses what `Display` writes.
    pub fn parse(text: &str) -> Option<StoreId> {
        Uuid::try_parse(text).ok().map(StoreId)
    }
}

impl std::fmt::Display for StoreId {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.hyphenated().fmt(to)
    }
}

/// The payload of the first frame of a log or a snapshot. Changes differ from it, because they begin with a byte below 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHead {
    /// The store that wrote the file.
    pub store: StoreId,
    /// The name that the store gave to the file.
    pub name: String,
}

impl FileHead {
    /// More bytes than any file head with its frame has.
    pub const MOST: u64 = 256;

    /// The encoded head.
    pub fn payload(&self) -> Vec<u8> {
        format!("store {} file {}", self.store, self.name).into_bytes()
    }

    /// Decodes a head. `None` if the payload is something else.
    pub fn read(payload: &[u8]) -> Option<FileHead> {
        let (store, name) = std::str::from_utf8(payload).ok()?.strip_prefix("store ")?.split_once(" file ")?;
        Some(FileHead { store: StoreId::parse(store)?, name: name.to_owned() })
    }
}
