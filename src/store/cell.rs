//! A partition of the store: many readers of a published version, one writer of the next. Nothing is seen half done.
//!
//! A container with its blobs is a cell; the names of an account's containers are another. The state inside is made of persistent
//! maps, so a draft of it costs a few pointers, an error drops the draft and leaves no trace, and a listing that began before a
//! write goes on over the version it began with.

use crate::rules::fault::{Code, Fault};
use arc_swap::ArcSwap;
use parking_lot::Mutex;
use std::sync::Arc;

/// One partition. `S` is cheap to clone: persistent maps and shared pointers.
pub struct Cell<S> {
    published: ArcSwap<S>,
    /// Held by whoever edits; true once the cell is closed. Never held across an await.
    writer: Mutex<bool>,
    /// What a writer is told who comes after the cell was closed.
    gone: Code,
}

impl<S> std::fmt::Debug for Cell<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell").field("gone", &self.gone).finish_non_exhaustive()
    }
}

impl<S: Clone> Cell<S> {
    /// A cell with its first version, and the refusal that late writers get after [`Cell::close`].
    pub fn new(state: S, gone: Code) -> Cell<S> {
        Cell { published: ArcSwap::from_pointee(state), writer: Mutex::new(false), gone }
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
    /// Whatever the edit refuses with, or the cell's `gone` code after it was closed.
    pub async fn write<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, Fault>) -> Result<R, Fault> {
        self.edit(edit, false)
    }

    /// Edits a draft as [`Cell::write`] does and, unless that refuses, closes the cell: no later write succeeds.
    ///
    /// # Errors
    /// As [`Cell::write`].
    pub async fn close<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, Fault>) -> Result<R, Fault> {
        self.edit(edit, true)
    }

    /// [`Cell::write`] from inside the edit of another cell: the directory's, which outranks the cells that it names.
    ///
    /// # Errors
    /// As [`Cell::write`].
    pub fn edit<R>(&self, edit: impl FnOnce(&mut S) -> Result<R, Fault>, close: bool) -> Result<R, Fault> {
        let mut closed = self.writer.lock();
        if *closed {
            return Err(self.gone.into());
        }
        let mut draft = S::clone(&self.published.load());
        let result = edit(&mut draft)?;
        self.published.store(Arc::new(draft));
        *closed = close;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell<imbl::OrdMap<u32, &'static str>> {
        Cell::new(imbl::OrdMap::unit(1, "one"), Code::ContainerNotFound)
    }

    #[tokio::test]
    async fn a_reader_keeps_the_version_it_opened() {
        let cell = cell();
        let before = cell.read();
        cell.write(|draft| Ok(draft.insert(2, "two"))).await.unwrap();
        assert_eq!(before.len(), 1);
        assert_eq!(cell.read().len(), 2);
    }

    #[tokio::test]
    async fn a_failed_write_leaves_nothing() {
        let cell = cell();
        let before = cell.read();
        let refused: Result<(), Fault> = cell
            .write(|draft| {
                draft.insert(2, "two");
                draft.remove(&1);
                Err(Code::ConditionNotMet.into())
            })
            .await;
        assert_eq!(refused.unwrap_err().code(), Code::ConditionNotMet);
        assert!(Arc::ptr_eq(&before, &cell.read()), "not even a new version was published");
    }

    #[tokio::test]
    async fn a_closed_cell_refuses_late_writers_and_still_answers_readers() {
        let cell = cell();
        cell.close(|_| Ok(())).await.unwrap();
        let late = cell.write(|draft| Ok(draft.insert(2, "two"))).await;
        assert_eq!(late.unwrap_err().code(), Code::ContainerNotFound);
        assert_eq!(cell.read().len(), 1);
    }

    #[tokio::test]
    async fn a_refused_close_leaves_the_cell_open() {
        let cell = cell();
        let refused: Result<(), Fault> = cell.close(|_| Err(Code::LeaseIdMissing.into())).await;
        assert!(refused.is_err());
        cell.write(|draft| Ok(draft.insert(2, "two"))).await.unwrap();
    }
}
