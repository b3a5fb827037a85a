//! The seam between what is remembered and what keeps it: a cell tells its journal what each write changed.
//!
//! What is stored in a cell is made of persistent maps, and a draft shares with the state before it all that it did not change. So
//! nobody has to say what a write did: the two states are compared, which costs what was changed. In memory nothing is compared.

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::Store;
use crate::store::disk::log::{Durable, Log, WriteRecords};
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use thiserror::Error;

/// The number of a cell among all that a server keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CellId(pub u64);

/// What can be kept: told as records, and made of them again.
pub trait Persist: Clone + Send + Sync + 'static {
    /// Tells what makes `after` of `before`, or of nothing at all.
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>);

    /// The state that was told in these records; of none at all, the state of what has just been made.
    ///
    /// # Errors
    /// When a record is not what it should be.
    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord>;
}

/// Where a cell's changes go.
#[derive(Clone, Debug, Default)]
pub struct Journal(Option<(Arc<Log>, CellId)>);

impl Journal {
    /// To nowhere: what is in memory only is as safe as it gets.
    pub const NONE: Journal = Journal(None);

    /// To a log, as those of this cell.
    pub fn new(log: Arc<Log>, cell: CellId) -> Journal {
        Journal(Some((log, cell)))
    }

    /// To where this one goes, as those of a new cell.
    pub fn another(&self) -> Journal {
        Journal(self.0.as_ref().map(|(log, _)| (log.clone(), log.cell())))
    }

    /// The number of the cell; 0 where nothing is kept.
    pub fn cell(&self) -> CellId {
        self.0.as_ref().map_or(CellId(0), |(_, cell)| *cell)
    }

    /// Takes the cell into snapshots.
    pub(super) fn keep(&self, told: Weak<dyn WriteRecords>) {
        if let Some((log, cell)) = &self.0 {
            log.keep(*cell, told);
        }
    }

    /// Learns that the cell is dropped.
    pub(super) fn dropped(&self) {
        if let Some((log, cell)) = &self.0 {
            log.dropped(*cell);
        }
    }

    /// Leaves the cell out of snapshots.
    pub(super) fn forget(&self) {
        if let Some((log, cell)) = &self.0 {
            log.forget(*cell);
        }
    }

    /// Refuses while the disk cannot take what it was given before: a write that would be lost is not begun.
    ///
    /// # Errors
    /// 500 InternalError, with what is wrong with the disk.
    pub fn check(&self) -> Result<(), StorageError> {
        self.0.as_ref().map_or(Ok(()), |(log, _)| log.check())
    }

    /// Hands over what makes one state of another.
    ///
    /// # Errors
    /// 500 InternalError for what cannot be written down; nothing is handed over then.
    pub fn append<S: Persist>(&self, before: &S, after: &S) -> Result<Durable, StorageError> {
        let Some((log, cell)) = &self.0 else { return Ok(Durable::Already) };
        let mut entries = Entries::default();
        S::write_changes(Some(before), after, &mut Changes { cell: *cell, sink: &mut entries });
        entries.failure.map_or(Ok(()), |failure| Err(ErrorCode::InternalError.with_reason(failure.to_string())))?;
        if entries.bytes.is_empty() { Ok(Durable::Already) } else { Ok(log.append(&entries.bytes)) }
    }
}

/// One change, as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Entry<'a> {
    /// A record of a cell has this value now.
    Put {
        cell: CellId,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
        #[serde(with = "serde_bytes")]
        value: &'a [u8],
    },
    /// A record of a cell is no more.
    Delete {
        cell: CellId,
        #[serde(with = "serde_bytes")]
        key: &'a [u8],
    },
    /// A cell is no more, with all its records.
    Drop { cell: CellId },
}

/// What takes entries as they are told.
pub(super) trait Sink {
    /// Takes an entry.
    fn take(&mut self, entry: &Entry<'_>);
    /// Learns that something could not be written down: none of it counts then.
    fn fail(&mut self, error: postcard::Error);
}

/// Entries one after the other.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) bytes: Vec<u8>,
    /// Why one of them could not be written down.
    failure: Option<postcard::Error>,
}

impl Sink for Entries {
    fn take(&mut self, entry: &Entry<'_>) {
        match postcard::to_extend(entry, std::mem::take(&mut self.bytes)) {
            Ok(longer) => self.bytes = longer,
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: postcard::Error) {
        self.failure = Some(error);
    }
}

/// What a write changed, as it is being told.
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

    /// The record under this key has this value now. `version` says in which form it is written.
    pub fn put(&mut self, key: &[u8], version: u8, record: &impl Serialize) {
        match postcard::to_extend(record, vec![version]) {
            Ok(value) => self.sink.take(&Entry::Put { cell: self.cell, key, value: &value }),
            Err(error) => self.sink.fail(error),
        }
    }

    /// There is no record under this key any more.
    pub fn delete(&mut self, key: &[u8]) {
        self.sink.take(&Entry::Delete { cell: self.cell, key });
    }

    /// All that was told of this cell is void; what is told from now on is all of it.
    pub fn afresh(&mut self) {
        self.sink.take(&Entry::Drop { cell: self.cell });
    }

    /// Another cell is no more.
    pub fn drop(&mut self, cell: CellId) {
        self.sink.take(&Entry::Drop { cell });
    }

    /// Goes on with the changes of another cell.
    pub fn of(&mut self, cell: CellId) -> Changes<'_> {
        Changes { cell, sink: self.sink }
    }
}

/// What makes one map of another, each of them perhaps not there: a key, what it had, what it has. What both share is not looked at,
/// so it costs what was changed.
pub fn diff<'a, K: Ord, V: PartialEq>(
    before: Option<&'a OrdMap<K, V>>,
    after: Option<&'a OrdMap<K, V>>,
) -> impl Iterator<Item = (&'a K, Option<&'a V>, Option<&'a V>)> {
    let (both, come, gone) = match (before, after) {
        (Some(before), Some(after)) => (Some(before.diff(after)), None, None),
        (before, after) => (None, after, before),
    };
    let changed = both.into_iter().flatten().map(|change| match change {
        DiffItem::Add(key, new) => (key, None, Some(new)),
        DiffItem::Update { old: (_, old), new: (key, new) } => (key, Some(old), Some(new)),
        DiffItem::Remove(key, old) => (key, Some(old), None),
    });
    let come = come.into_iter().flatten().map(|(key, new)| (key, None, Some(new)));
    changed.chain(come).chain(gone.into_iter().flatten().map(|(key, old)| (key, Some(old), None)))
}

/// The records of a cell, as they were found on disk.
#[derive(Clone, Debug, Default)]
pub struct Records(pub(super) BTreeMap<Vec<u8>, Vec<u8>>);

/// A record that cannot be read: of a newer form, or not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct CorruptRecord(pub String);

impl Records {
    /// The records whose keys begin so: what follows in the key, the form and the value.
    pub fn under<'a>(&'a self, begin: &'a [u8]) -> impl Iterator<Item = (&'a [u8], Record<'a>)> {
        let from = self.0.range(begin.to_vec()..);
        from.map_while(move |(key, value)| Some((key.strip_prefix(begin)?, Record(value))))
    }

    /// The record under a key.
    pub fn get(&self, key: &[u8]) -> Option<Record<'_>> {
        self.0.get(key).map(|value| Record(value))
    }

    /// Tells them all, as they are.
    pub(super) fn tell(&self, to: &mut Changes<'_>) {
        for (key, value) in &self.0 {
            to.sink.take(&Entry::Put { cell: to.cell, key, value });
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A record's value.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a>(&'a [u8]);

impl<'a> Record<'a> {
    /// The form in which it is written.
    pub fn version(&self) -> u8 {
        self.0.first().copied().unwrap_or_default()
    }

    /// The value, where there is only one form of it.
    ///
    /// # Errors
    /// When it has another form, or is something else.
    pub fn read<T: Deserialize<'a>>(&self, version: u8) -> Result<T, CorruptRecord> {
        match self.version() == version {
            true => self.parse(),
            false => Err(self.newer()),
        }
    }

    /// The value, in the form that its version says.
    ///
    /// # Errors
    /// When it is something else.
    pub fn parse<T: Deserialize<'a>>(&self) -> Result<T, CorruptRecord> {
        postcard::from_bytes(self.0.get(1..).unwrap_or_default())
            .map_err(|error| CorruptRecord(format!("a record of {} bytes: {error}", self.0.len())))
    }

    /// What is said of a form that nobody here knows.
    pub fn newer(&self) -> CorruptRecord {
        CorruptRecord(format!("a record of form {}, which is of a newer version of Lazuli", self.version()))
    }
}
