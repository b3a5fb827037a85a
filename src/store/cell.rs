//! A partition of the store: many readers of a published version, one writer of the next. No reader sees an unfinished write.
//!
//! A container with its blobs is a cell; the names of an account's containers are another. The state consists of persistent maps, so
//! a draft of it costs a few pointers, an error drops the draft and leaves no trace, and a listing that began before a write continues
//! over the version with which it began.

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::changes::{CellId, Changes};
use crate::store::journal::{ChangeLog, Durable, Journal, WriteRecords};
use crate::store::records::CorruptRecord;
use crate::store::{Persist, Store};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use tokio::runtime::Handle;

/// One partition. `S` is cheap to clone: persistent maps and shared pointers.
pub struct Cell<S: Persist> {
    published: ArcSwap<S>,
    /// Locked by a writer; true once the cell is closed. Never locked across an await.
    writer: Mutex<bool>,
    /// The refusal of writes after the cell was closed.
    deleted: ErrorCode,
    journal: Journal,
    /// Fields are dropped in the order of their declaration: this one after `published`, which [`Cell::drop`] waits for.
    dropped: Option<Sender<()>>,
}

impl<S: Persist> Drop for Cell<S> {
    /// Frees the state of a closed cell on a thread that may block: a deleted container with a million blobs takes seconds, during
    /// which the other connections of this worker would wait.
    fn drop(&mut self) {
        self.journal.notify(|log, cell| log.dropped(cell));
        let closed = *self.writer.get_mut();
        let runtime = closed.then(|| Handle::try_current().ok()).flatten();
        if let Some(runtime) = runtime {
            let state = self.published.load_full();
            let (dropped, last) = channel();
            self.dropped = Some(dropped);
            runtime.spawn_blocking(move || {
                // Fails once the cell's own reference is dropped, which makes this one the last.
                let _ = last.recv();
                drop(state);
            });
        }
    }
}

impl<S: Persist> PartialEq for Cell<S> {
    /// A cell is equal only to itself.
    fn eq(&self, other: &Cell<S>) -> bool {
        std::ptr::eq(self, other)
    }
}

impl<S: Persist> std::fmt::Debug for Cell<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell").field("deleted", &self.deleted).finish_non_exhaustive()
    }
}

impl<S: Persist> Cell<S> {
    /// Creates a cell. `deleted` is the refusal of writes after [`Cell::edit`] with `close`.
    fn new(state: S, deleted: ErrorCode, journal: Journal) -> Cell<S> {
        Cell { published: ArcSwap::from_pointee(state), writer: Mutex::new(false), deleted, journal, dropped: None }
    }

    /// Creates a cell in the same store, which is persisted from [`Cell::enter`] on.
    pub fn another(&self, state: S) -> Arc<Cell<S>> {
        Arc::new(Cell::new(state, self.deleted, self.journal.another()))
    }

    /// The number of the cell in its store.
    pub fn id(&self) -> CellId {
        self.journal.cell()
    }

    /// Includes the cell in snapshots.
    fn register(self: &Arc<Self>) {
        let state: Arc<dyn WriteRecords> = self.clone();
        self.journal.notify(|log, cell| log.register(cell, Arc::downgrade(&state)));
    }

    /// Persists the cell from now on: writes the full state as records.
    pub fn enter(self: &Arc<Self>, to: &mut Changes<'_>) {
        self.register();
        self.write_records(&mut to.of(self.id()));
    }

    /// Deletes the cell from the disk.
    pub fn leave(&self, to: &mut Changes<'_>) {
        self.journal.notify(|log, cell| log.unregister(cell));
        to.drop(self.id());
    }

    /// Returns the current state, without waiting for writers.
    pub fn read(&self) -> Arc<S> {
        self.published.load_full()
    }

    /// Edits a draft and publishes it, or leaves everything as it was.
    ///
    /// The edit runs at once, as the only writer, and cannot await. The future ends when the change is as durable as the server is
    /// configured to make it; in memory that is at once.
    ///
    /// # Errors
    /// The error of the edit, the cell's `deleted` code after it was closed, or 500 InternalError if the disk fails.
    pub async fn write<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>) -> Result<R, StorageError> {
        let (result, durable) = self.step(edit, false)?;
        durable.wait().await?;
        Ok(result)
    }

    /// [`Cell::write`] from inside the edit of another cell, which names this one. Changes become durable in the order in which they
    /// were made, so a wait for the change of the outer cell includes this one.
    ///
    /// # Errors
    /// As [`Cell::write`].
    pub fn edit<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>, close: bool) -> Result<R, StorageError> {
        self.step(edit, close).map(|(result, _)| result)
    }

    /// [`Cell::write`] to this cell and another one of the store, as one change: after a restart both are as before, or both as after it.
    ///
    /// # Errors
    /// As [`Cell::write`], and 500 InternalError if both are the same cell.
    pub async fn write_both<R>(
        &self,
        other: &Cell<S>,
        edit: impl FnOnce(&mut S, &mut S) -> Result<R, StorageError>,
    ) -> Result<R, StorageError> {
        let (result, durable) = self.step_both(other, edit)?;
        durable.wait().await?;
        Ok(result)
    }

    fn step_both<R>(
        &self,
        other: &Cell<S>,
        edit: impl FnOnce(&mut S, &mut S) -> Result<R, StorageError>,
    ) -> Result<(R, Durable), StorageError> {
        if self == other {
            return Err(ErrorCode::InternalError.with_reason("a write to two cells names one of them twice"));
        }
        // Every such write locks its cells in the same order, so that two of them do not wait for each other.
        let is_first = std::ptr::from_ref(self).addr() < std::ptr::from_ref(other).addr();
        let (first, second) = if is_first { (self, other) } else { (other, self) };
        let (first, second) = (first.writer.lock(), second.writer.lock());
        if *first || *second {
            return Err(self.deleted.into());
        }
        self.journal.check()?;
        let (before, other_before) = (self.published.load(), other.published.load());
        let (mut draft, mut other_draft) = (S::clone(&before), S::clone(&other_before));
        let result = edit(&mut draft, &mut other_draft)?;
        let durable = self.journal.append(|to| {
            S::write_changes(Some(&before), &draft, to);
            S::write_changes(Some(&other_before), &other_draft, &mut to.of(other.id()));
        })?;
        // What a rename takes from this cell is in the other one before it is gone from here.
        other.published.store(Arc::new(other_draft));
        self.published.store(Arc::new(draft));
        Ok((result, durable))
    }

    fn step<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>, close: bool) -> Result<(R, Durable), StorageError> {
        let mut closed = self.writer.lock();
        if *closed {
            return Err(self.deleted.into());
        }
        self.journal.check()?;
        let before = self.published.load();
        let mut draft = S::clone(&before);
        let result = edit(&mut draft)?;
        let durable = self.journal.append(|to| S::write_changes(Some(&before), &draft, to))?;
        self.published.store(Arc::new(draft));
        *closed = close;
        Ok((result, durable))
    }
}

impl<S: Persist> WriteRecords for Cell<S> {
    fn write_records(&self, to: &mut Changes<'_>) {
        // A write is appended to the log before it is published. After this lock, the state includes all that the log had before.
        let state = {
            let _writer = self.writer.lock();
            self.read()
        };
        S::write_changes(None, &state, to);
    }
}

impl Store {
    /// Creates a cell, which is persisted from [`Cell::enter`] on. `deleted` is the refusal of writes after [`Cell::edit`] with `close`.
    pub fn cell<S: Persist>(&self, state: S, deleted: ErrorCode) -> Arc<Cell<S>> {
        let journal = self.disk().map_or(Journal::NONE, |disk| Journal::new(disk.log().clone(), disk.log().new_cell()));
        Arc::new(Cell::new(state, deleted, journal))
    }

    /// Returns the cell of a name, the same one at every start.
    ///
    /// # Errors
    /// When one of its records cannot be read.
    pub fn root<S: Persist>(&self, name: &str, deleted: ErrorCode) -> Result<Arc<Cell<S>>, CorruptRecord> {
        self.load(self.disk().map_or(CellId(0), |disk| disk.root(name)), deleted)
    }

    /// Restores the cell of a number.
    ///
    /// # Errors
    /// When one of its records cannot be read.
    pub fn load<S: Persist>(&self, id: CellId, deleted: ErrorCode) -> Result<Arc<Cell<S>>, CorruptRecord> {
        let records = self.disk().map(|disk| disk.records(id)).unwrap_or_default();
        let state = S::restore(&records, self)?;
        let journal = self.disk().map_or(Journal::NONE, |disk| Journal::new(disk.log().clone(), id));
        let cell = Arc::new(Cell::new(state, deleted, journal));
        cell.register();
        Ok(cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::records::Records;
    use std::thread::ThreadId;

    /// Some numbers and their names.
    type Names = imbl::OrdMap<u32, &'static str>;

    impl Persist for Names {
        fn write_changes(_: Option<&Self>, _: &Self, _: &mut Changes<'_>) {}

        fn restore(_: &Records, _: &Store) -> Result<Self, CorruptRecord> {
            Ok(Names::new())
        }
    }

    fn cell() -> Cell<Names> {
        Cell::new(Names::unit(1, "one"), ErrorCode::ContainerNotFound, Journal::NONE)
    }

    #[tokio::test]
    async fn a_reader_keeps_the_version_it_opened() {
        let cell = cell();
        let before = cell.read();
        cell.write(|draft| Ok(draft.insert(2, "two"))).await.unwrap();
        assert_eq!(before.len(), 1);
        assert_eq!(cell.read().len(), 2);
    }

    /// A state that reports on which thread it is freed.
    #[derive(Clone)]
    struct Witness(Arc<Sender<ThreadId>>);

    impl Drop for Witness {
        fn drop(&mut self) {
            _ = self.0.send(std::thread::current().id());
        }
    }

    impl Persist for Witness {
        fn write_changes(_: Option<&Self>, _: &Self, _: &mut Changes<'_>) {}

        fn restore(_: &Records, _: &Store) -> Result<Self, CorruptRecord> {
            Ok(Witness(Arc::new(channel().0)))
        }
    }

    #[tokio::test]
    async fn the_state_of_a_closed_cell_is_freed_off_the_workers() {
        let (sender, freed) = channel();
        let cell = Store::MEMORY.cell(Witness(Arc::new(sender)), ErrorCode::ContainerNotFound);
        cell.edit(|_| Ok(()), true).unwrap();
        // The previous state is freed where it is replaced.
        while freed.try_recv().is_ok() {}
        drop(cell);
        assert_ne!(freed.recv().unwrap(), std::thread::current().id());
    }

    #[tokio::test]
    async fn a_failed_write_leaves_nothing() {
        let cell = cell();
        let before = cell.read();
        let refused: Result<(), StorageError> = cell
            .write(|draft| {
                draft.insert(2, "two");
                draft.remove(&1);
                Err(ErrorCode::ConditionNotMet.into())
            })
            .await;
        assert_eq!(refused.unwrap_err().code(), ErrorCode::ConditionNotMet);
        assert!(Arc::ptr_eq(&before, &cell.read()), "not even a new version was published");
    }

    #[tokio::test]
    async fn a_closed_cell_refuses_late_writers_and_still_answers_readers() {
        let cell = cell();
        cell.edit(|_| Ok(()), true).unwrap();
        let late = cell.write(|draft| Ok(draft.insert(2, "two"))).await;
        assert_eq!(late.unwrap_err().code(), ErrorCode::ContainerNotFound);
        assert_eq!(cell.read().len(), 1);
    }

    #[tokio::test]
    async fn a_write_to_two_cells_changes_both_or_none() {
        let (one, other) = (cell(), cell());
        let swap = |from: &Cell<Names>, to: &Cell<Names>, error: Option<ErrorCode>| {
            let edit = |from: &mut Names, to: &mut Names| {
                let moved = from.remove(&1).map(|name| to.insert(2, name));
                error.map_or(Ok(moved.is_some()), |code| Err(code.into()))
            };
            from.step_both(to, edit).map(|(moved, _)| moved)
        };
        assert!(swap(&one, &other, Some(ErrorCode::ConditionNotMet)).is_err());
        assert_eq!((one.read().len(), other.read().len()), (1, 1));
        assert_eq!(swap(&one, &other, None), Ok(true));
        assert_eq!((one.read().len(), other.read().len()), (0, 2));
        assert_eq!(swap(&other, &one, None), Ok(true));
        assert_eq!((one.read().len(), other.read().len()), (1, 1));
        assert_eq!(swap(&one, &one, None).unwrap_err().code(), ErrorCode::InternalError);
        other.edit(|_| Ok(()), true).unwrap();
        assert_eq!(swap(&one, &other, None).unwrap_err().code(), ErrorCode::ContainerNotFound);
        assert_eq!(one.read().len(), 1);
    }

    #[test]
    fn writes_to_the_same_two_cells_in_both_orders_do_not_wait_for_each_other() {
        const TIMES: u32 = 10_000;
        let (one, other) = (cell(), cell());
        let count = |first: &Cell<Names>, second: &Cell<Names>, numbers: std::ops::Range<u32>| {
            for number in numbers {
                let both = |first: &mut Names, second: &mut Names| Ok((first.insert(number, ""), second.insert(number, "")));
                first.step_both(second, both).unwrap();
            }
        };
        std::thread::scope(|threads| {
            threads.spawn(|| count(&one, &other, 0..TIMES));
            threads.spawn(|| count(&other, &one, TIMES..2 * TIMES));
        });
        assert_eq!((one.read().len(), other.read().len()), (2 * TIMES as usize, 2 * TIMES as usize));
    }

    #[tokio::test]
    async fn a_refused_close_leaves_the_cell_open() {
        let cell = cell();
        let refused: Result<(), StorageError> = cell.edit(|_| Err(ErrorCode::LeaseIdMissing.into()), true);
        assert!(refused.is_err());
        cell.write(|draft| Ok(draft.insert(2, "two"))).await.unwrap();
    }
}
