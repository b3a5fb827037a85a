//! A partition of the store: many readers of a published version, one writer of the next. Nothing is seen half done.
//!
//! A container with its blobs is a cell; the names of an account's containers are another. The state inside is made of persistent
//! maps, so a draft of it costs a few pointers, an error drops the draft and leaves no trace, and a listing that began before a
//! write goes on over the version it began with.

use crate::rules::error::{ErrorCode, StorageError};
use crate::store::disk::log::{Durable, WriteRecords};
use crate::store::journal::{CellId, Changes, Journal, Persist};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use tokio::runtime::Handle;

/// One partition. `S` is cheap to clone: persistent maps and shared pointers.
pub struct Cell<S: Persist> {
    published: ArcSwap<S>,
    /// Held by whoever edits; true once the cell is closed. Never held across an await.
    writer: Mutex<bool>,
    /// What a writer is told who comes after the cell was closed.
    gone: ErrorCode,
    journal: Journal,
    /// Fields are dropped in the order of their declaration: this one after `published`, which [`Cell::drop`] waits for.
    dropped: Option<Sender<()>>,
}

impl<S: Persist> Drop for Cell<S> {
    /// Frees the state of a cell that was closed on a thread that may block: a deleted container of a million blobs takes seconds, and
    /// every connection whose turn it is on this worker would wait for it.
    fn drop(&mut self) {
        self.journal.dropped();
        let closed = *self.writer.get_mut();
        let runtime = closed.then(|| Handle::try_current().ok()).flatten();
        if let Some(runtime) = runtime {
            let state = self.published.load_full();
            let (dropped, last) = channel();
            self.dropped = Some(dropped);
            runtime.spawn_blocking(move || {
                // Fails once the cell's own reference is gone, which makes this one the last.
                let _ = last.recv();
                drop(state);
            });
        }
    }
}

impl<S: Persist> PartialEq for Cell<S> {
    /// A cell is equal to itself alone.
    fn eq(&self, other: &Cell<S>) -> bool {
        std::ptr::eq(self, other)
    }
}

impl<S: Persist> std::fmt::Debug for Cell<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell").field("gone", &self.gone).finish_non_exhaustive()
    }
}

impl<S: Persist> Cell<S> {
    /// A cell with its first version, the refusal that late writers get after [`Cell::close`], and where its changes go.
    pub fn new(state: S, gone: ErrorCode, journal: Journal) -> Cell<S> {
        Cell { published: ArcSwap::from_pointee(state), writer: Mutex::new(false), gone, journal, dropped: None }
    }

    /// A new cell that is kept where this one is, once [`Cell::enter`] tells of it.
    pub fn another(&self, state: S) -> Arc<Cell<S>> {
        Arc::new(Cell::new(state, self.gone, self.journal.another()))
    }

    /// Its number among all that is kept.
    pub fn id(&self) -> CellId {
        self.journal.cell()
    }

    /// Is part of snapshots from now on.
    pub(super) fn keep(self: &Arc<Self>) {
        let told: Arc<dyn WriteRecords> = self.clone();
        self.journal.keep(Arc::downgrade(&told));
    }

    /// Tells the whole of it, for the first time: from now on it is part of what is kept.
    pub fn enter(self: &Arc<Self>, to: &mut Changes<'_>) {
        self.keep();
        self.write_records(&mut to.of(self.id()));
    }

    /// Tells that it is no more.
    pub fn leave(&self, to: &mut Changes<'_>) {
        self.journal.forget();
        to.drop(self.id());
    }

    /// The state as of now, for as long as the caller holds it. Waits for nobody.
    pub fn read(&self) -> Arc<S> {
        self.published.load_full()
    }

    /// Edits a draft and publishes it, or leaves everything as it was.
    ///
    /// The edit runs at once, alone among writers, and cannot await. The future ends when the change is as safe as this server
    /// keeps things; in memory that is at once.
    ///
    /// # Errors
    /// Whatever the edit refuses with, the cell's `gone` code after it was closed, or 500 InternalError when the disk does not take
    /// the change.
    pub async fn write<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>) -> Result<R, StorageError> {
        let (result, safe) = self.step(edit, false)?;
        safe.wait().await?;
        Ok(result)
    }

    /// Edits a draft as [`Cell::write`] does and, unless that refuses, closes the cell: no later write succeeds.
    ///
    /// # Errors
    /// As [`Cell::write`].
    pub async fn close<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>) -> Result<R, StorageError> {
        let (result, safe) = self.step(edit, true)?;
        safe.wait().await?;
        Ok(result)
    }

    /// [`Cell::write`] from inside the edit of another cell: the directory's, which outranks the cells that it names. Changes become
    /// safe in the order in which they were made, so that whoever waits for the directory's waits for this one too.
    ///
    /// # Errors
    /// As [`Cell::write`].
    pub fn edit<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>, close: bool) -> Result<R, StorageError> {
        self.step(edit, close).map(|(result, _)| result)
    }

    fn step<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, StorageError>, close: bool) -> Result<(R, Durable), StorageError> {
        let mut closed = self.writer.lock();
        if *closed {
            return Err(self.gone.into());
        }
        self.journal.check()?;
        let before = self.published.load();
        let mut draft = S::clone(&before);
        let result = edit(&mut draft)?;
        let safe = self.journal.append(&**before, &draft)?;
        self.published.store(Arc::new(draft));
        *closed = close;
        Ok((result, safe))
    }
}

impl<S: Persist> WriteRecords for Cell<S> {
    fn write_records(&self, to: &mut Changes<'_>) {
        // A write is handed to the log before it is published. Who waits for it here sees all that the log had when it began to wait.
        let state = {
            let _written = self.writer.lock();
            self.read()
        };
        S::write_changes(None, &state, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::journal::{CorruptRecord, Records};
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

    /// A state that tells on which thread it is freed.
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
        cell.close(|_| Ok(())).await.unwrap();
        // The state before the last one goes where it is replaced.
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
        cell.close(|_| Ok(())).await.unwrap();
        let late = cell.write(|draft| Ok(draft.insert(2, "two"))).await;
        assert_eq!(late.unwrap_err().code(), ErrorCode::ContainerNotFound);
        assert_eq!(cell.read().len(), 1);
    }

    #[tokio::test]
    async fn a_refused_close_leaves_the_cell_open() {
        let cell = cell();
        let refused: Result<(), StorageError> = cell.close(|_| Err(ErrorCode::LeaseIdMissing.into())).await;
        assert!(refused.is_err());
        cell.write(|draft| Ok(draft.insert(2, "two"))).await.unwrap();
    }
}
