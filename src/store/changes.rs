//! Changes of cells, and the entries that they are written as.

use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use serde::{Deserialize, Serialize};

/// The number of a cell in a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CellId(pub u64);

/// One change, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Entry<'a> {
    /// Sets a record of a cell.
    Put {
        cell: CellId,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
        #[serde(with = "serde_bytes")]
        value: &'a [u8],
    },
    /// Deletes a record of a cell.
    Delete {
        cell: CellId,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
    },
    /// Deletes a cell with all its records.
    Drop { cell: CellId },
}

/// Receives entries.
pub(super) trait Sink {
    fn write(&mut self, entry: &Entry<'_>);

    /// Records that an entry could not be encoded. The complete write then fails.
    fn fail(&mut self, error: postcard::Error);
}

/// Encoded entries.
#[derive(Debug, Default)]
pub(super) struct Entries {
    bytes: Vec<u8>,
    /// Why one of them could not be encoded.
    failure: Option<postcard::Error>,
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The encoded entries.
    ///
    /// # Errors
    /// When one of them could not be encoded.
    pub(super) fn encoded(self) -> Result<Vec<u8>, postcard::Error> {
        self.failure.map_or(Ok(self.bytes), Err)
    }
}

impl Sink for Entries {
    fn write(&mut self, entry: &Entry<'_>) {
        match postcard::to_extend(entry, std::mem::take(&mut self.bytes)) {
            Ok(longer) => self.bytes = longer,
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: postcard::Error) {
        self.failure = Some(error);
    }
}

/// The changes of a write, which are encoded as they are made.
pub struct Changes<'a> {
    cell: CellId,
    sink: &'a mut dyn Sink,
}

impl std::fmt::Debug for Changes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Changes").field("cell", &self.cell).finish_non_exhaustive()
    }
}

impl<'a> Changes<'a> {
    pub(super) fn new(cell: CellId, sink: &'a mut dyn Sink) -> Changes<'a> {
        Changes { cell, sink }
    }

    /// Sets the record under a key. `version` is that of the record's encoding.
    pub fn put(&mut self, key: &[u8], version: u8, record: &impl Serialize) {
        match postcard::to_extend(record, vec![version]) {
            Ok(value) => self.put_encoded(key, &value),
            Err(error) => self.sink.fail(error),
        }
    }

    /// Sets the record under a key to an encoded value.
    pub(super) fn put_encoded(&mut self, key: &[u8], value: &[u8]) {
        self.sink.write(&Entry::Put { cell: self.cell, key, value });
    }

    /// Deletes the record under a key.
    pub fn delete(&mut self, key: &[u8]) {
        self.sink.write(&Entry::Delete { cell: self.cell, key });
    }

    /// Deletes all records of this cell. Those that follow are its full state.
    pub fn reset(&mut self) {
        self.drop(self.cell);
    }

    /// Deletes a cell with all its records.
    pub fn drop(&mut self, cell: CellId) {
        self.sink.write(&Entry::Drop { cell });
    }

    /// The changes of another cell.
    pub fn of(&mut self, cell: CellId) -> Changes<'_> {
        Changes { cell, sink: self.sink }
    }
}

/// Iterates over the differences of two maps, either of which may be absent: key, old value, new value. Shared parts of the maps are
/// skipped, so this costs as much as was changed.
pub fn diff<'a, K: Ord, V: PartialEq>(
    before: Option<&'a OrdMap<K, V>>,
    after: Option<&'a OrdMap<K, V>>,
) -> impl Iterator<Item = (&'a K, Option<&'a V>, Option<&'a V>)> {
    let (both, added, removed) = match (before, after) {
        (Some(before), Some(after)) => (Some(before.diff(after)), None, None),
        (before, after) => (None, after, before),
    };
    let changed = both.into_iter().flatten().map(|change| match change {
        DiffItem::Add(key, new) => (key, None, Some(new)),
        DiffItem::Update { old: (_, old), new: (key, new) } => (key, Some(old), Some(new)),
        DiffItem::Remove(key, old) => (key, Some(old), None),
    });
    let added = added.into_iter().flatten().map(|(key, new)| (key, None, Some(new)));
    changed.chain(added).chain(removed.into_iter().flatten().map(|(key, old)| (key, Some(old), None)))
}
