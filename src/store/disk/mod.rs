//! Data on disk: a folder with a log of changes, a snapshot of the state before it, and extents with contents.
//!
//! | file | contents |
//! |---|---|
//! | `lazuli` | the format of the data, the store's id, and the position of the log; locked by the server that uses the folder |
//! | `log-…` | every change since the snapshot of the same number, in [`frame`]s |
//! | `snapshot-…` | every record of every cell, from a moment after the log of that number was begun |
//! | `extent-…` | bytes; records name the file, the position, the length and the checksum |
//! | `torn-…` | the unfinished end of a log |
//!
//! All records are also in memory, as the states that they describe, so nothing is ever looked up on disk. The disk is written while
//! the server runs, and read when it starts.

mod committer;
pub mod error;
mod extent;
pub mod extents;
pub mod folder;
pub mod frame;
pub mod identity;
pub mod log;
pub mod medium;
mod pending;
mod ranges;
mod reclaim;
pub mod replay;
pub mod snapshot;

#[cfg(test)]
mod tests;

use crate::progress::{Progress, Stage};
use crate::store::changes::{CellId, Changes, Entries};
use crate::store::disk::committer::CommitterThread;
use crate::store::disk::error::{DiskError, DiskErrorKind};
use crate::store::disk::extents::{ExtentReport, Extents};
use crate::store::disk::folder::Folder;
use crate::store::disk::log::Log;
use crate::store::disk::medium::Medium;
use crate::store::disk::reclaim::Reclaiming;
use crate::store::disk::replay::Replayed;
use crate::store::journal::{ChangeLog, WriteRecords};
use crate::store::records::{CorruptRecord, Records};
pub use committer::Durability;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// The cell with the names of the roots.
const ROOTS: CellId = CellId(0);

/// A folder with data, in use.
#[derive(Debug)]
pub struct Disk {
    /// The threads of a folder that is not read-only.
    threads: Option<(CommitterThread, Reclaiming)>,
    folder: Arc<Folder>,
    /// Whether nothing that was written can be missing.
    sure: bool,
    /// Whether the log lost its end.
    lost: bool,
    log: Arc<Log>,
    extents: Arc<Extents>,
    inactive: Arc<InactiveCells>,
    /// The records that were found, until their cells are restored.
    found: Mutex<HashMap<CellId, Records>>,
    /// The stage of the start in which cells are restored.
    restoring: Mutex<Stage>,
    /// Its receivers learn that the disk is dropped, and its folder free.
    closed: watch::Sender<()>,
}

/// The contents of the folder besides the cells in use.
#[derive(Debug, Default)]
struct InactiveCells {
    /// The cells of the roots by name, and whether the server uses them.
    roots: Mutex<BTreeMap<Vec<u8>, (CellId, bool)>>,
    /// The records of cells that the server does not use, because their accounts are not configured. They are retained.
    unclaimed: Mutex<HashMap<CellId, Records>>,
}

impl WriteRecords for InactiveCells {
    fn write_records(&self, to: &mut Changes<'_>) {
        for (name, (cell, _)) in &*self.roots.lock() {
            to.put(name, 1, cell);
        }
        for (cell, records) in &*self.unclaimed.lock() {
            records.write_to(&mut to.of(*cell));
        }
    }
}

impl InactiveCells {
    /// Reads the roots from what was found.
    fn of(found: &mut Replayed) -> Result<InactiveCells, CorruptRecord> {
        let inactive = InactiveCells::default();
        let roots = found.cells.remove(&ROOTS).unwrap_or_default();
        for (name, record) in roots.under(b"") {
            let cell: CellId = record.read(1)?;
            inactive.roots.lock().insert(name.to_vec(), (cell, false));
            // An empty cell has no entries from which its number would be known.
            found.next_cell = found.next_cell.max(cell.0 + 1);
        }
        Ok(inactive)
    }
}

impl Drop for Disk {
    /// Unlocks the folder after the last write. Contents that are still read or freed may keep it open, and change nothing in it.
    fn drop(&mut self) {
        drop(self.threads.take());
        self.folder.unlock();
    }
}

impl Disk {
    /// Opens a folder that no server uses, read-only. Also returns sentences about what was found.
    ///
    /// # Errors
    /// Those of [`Disk::open`]; also when the folder is missing or has no data.
    pub fn open_read_only(path: &Path, progress: &Progress) -> Result<(Disk, Vec<String>), DiskError> {
        Disk::inspect(path, progress).map_err(|kind| DiskError::new(path, kind))
    }

    fn inspect(path: &Path, progress: &Progress) -> Result<(Disk, Vec<String>), DiskErrorKind> {
        let folder = Arc::new(Folder::open_read_only(path)?);
        let mut found = replay::replay(&folder, progress)?;
        let inactive = Arc::new(InactiveCells::of(&mut found)?);
        let mut messages = vec![format!("format {}", folder.format())];
        if folder.format() > 1 {
            messages.push(format!("store {}", folder.identity().store));
        }
        if let Some(base) = found.base {
            messages.push(format!("{}: {}", snapshot::name(base), extents::size(found.snapshot)));
        }
        for (generation, length, frames) in &found.logs {
            messages.push(format!("{}: {}, {frames} frames", log::name(*generation), extents::size(*length)));
        }
        if !found.torn.is_empty() {
            messages.push(format!(
                "the last write to {} was never finished: the next start moves its {} bytes to a file of its own",
                log::name(found.generation),
                found.torn.len()
            ));
        }
        messages.extend(found.lost.take());
        messages.push(format!("{} records were read", found.records));
        let extents = Arc::new(Extents::open(folder.clone(), Arc::new(Medium::read_only()))?);
        let log = Arc::new(Log::new(extents.clone(), found.next, found.next_cell));
        Ok((Disk::new(folder, log, extents, inactive, found.cells, progress), messages))
    }

    /// A folder without threads that is not settled yet.
    fn new(
        folder: Arc<Folder>,
        log: Arc<Log>,
        extents: Arc<Extents>,
        inactive: Arc<InactiveCells>,
        found: HashMap<CellId, Records>,
        progress: &Progress,
    ) -> Disk {
        let records = found.values().map(|records| records.0.len() as u64).sum();
        let restoring = Mutex::new(progress.begin("restoring the state", records));
        let (found, closed) = (Mutex::new(found), watch::Sender::new(()));
        Disk { threads: None, folder, sure: false, lost: false, log, extents, inactive, found, restoring, closed }
    }

    /// The names of the root cells.
    pub fn roots(&self) -> Vec<String> {
        self.inactive.roots.lock().keys().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// Opens a folder to use it. Also returns sentences about what was found and repaired.
    ///
    /// # Errors
    /// When the folder belongs to another program or store, is in use, has a newer format, or is damaged. It is then unchanged.
    pub fn open(
        path: &Path,
        medium: Medium,
        durability: Durability,
        progress: &Progress,
    ) -> Result<(Disk, Vec<String>), DiskError> {
        Disk::start(path, medium, durability, progress).map_err(|kind| DiskError::new(path, kind))
    }

    fn start(
        path: &Path,
        medium: Medium,
        durability: Durability,
        progress: &Progress,
    ) -> Result<(Disk, Vec<String>), DiskErrorKind> {
        let folder = Arc::new(Folder::open(path)?);
        let medium = Arc::new(medium);
        let mut found = replay::replay(&folder, progress)?;
        let inactive = Arc::new(InactiveCells::of(&mut found)?);
        // Everything can be read, so from here on this server may change the folder.
        let mut messages: Vec<String> = found.move_torn_end(&folder)?.into_iter().collect();
        let lost = found.lost.is_some();
        messages.extend(found.lost.take());
        let sure = folder.position().is_some_and(|position| position.is_sure() && !position.retained);
        if folder.format() < folder::FORMAT {
            folder.upgrade(found.generation + 1)?;
        }
        snapshot::clear_unfinished(&folder);
        if let Some(base) = found.base {
            snapshot::clear_before(&folder, base);
        }
        let extents = Arc::new(Extents::open(folder.clone(), medium.clone())?);
        let committer = CommitterThread::start(folder.clone(), medium, extents.clone(), durability, &found)?;
        let log = committer.log().clone();
        if folder.format() < folder::FORMAT {
            // The files of the older format do not name their store. A snapshot replaces them.
            log.snapshot();
        }
        let state: Arc<dyn WriteRecords> = inactive.clone();
        log.register(ROOTS, Arc::downgrade(&state));
        let reclaiming = Reclaiming::start(extents.clone())?;
        if found.records > 0 {
            messages.push(format!("{} records were read from {}", found.records, path.display()));
        }
        let mut disk = Disk::new(folder, log, extents, inactive, found.cells, progress);
        (disk.sure, disk.lost, disk.threads) = (sure, lost, Some((committer, reclaiming)));
        Ok((disk, messages))
    }

    /// The medium of all files. Tests use it to stop the disk.
    pub fn medium(&self) -> &Medium {
        self.extents.medium()
    }

    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    pub fn extents(&self) -> &Arc<Extents> {
        &self.extents
    }

    /// Waits until the disk is dropped and another server can use its folder.
    pub fn closed(&self) -> impl Future<Output = ()> + use<> {
        let mut closed = self.closed.subscribe();
        // An error: the sender was dropped.
        async move { while closed.changed().await.is_ok() {} }
    }

    /// The number of the root cell of a name, the same one at every start.
    pub fn root(&self, name: &str) -> CellId {
        let mut roots = self.inactive.roots.lock();
        let (cell, claimed) = roots.entry(name.as_bytes().to_vec()).or_insert_with(|| {
            let cell = self.log.new_cell();
            let mut entries = Entries::default();
            Changes::new(ROOTS, &mut entries).put(name.as_bytes(), 1, &cell);
            // Nothing waits for this: whatever is written to the cell comes later in the log.
            drop(entries.encoded().map(|entries| self.log.append(&entries)));
            (cell, true)
        });
        *claimed = true;
        *cell
    }

    /// Removes and returns the records of a cell as they were found.
    pub fn records(&self, cell: CellId) -> Records {
        let records = self.found.lock().remove(&cell).unwrap_or_default();
        self.restoring.lock().advance(records.0.len() as u64);
        records
    }

    /// Ends the start: records and contents that the server does not use are retained while their account or service is not configured,
    /// and freed if they belong to none. Returns sentences about what is missing or retained.
    pub fn settle(&self) -> Vec<String> {
        drop(std::mem::take(&mut *self.restoring.lock()));
        let messages = self.settle_contents();
        self.log.settle();
        messages
    }

    fn settle_contents(&self) -> Vec<String> {
        let found = std::mem::take(&mut *self.found.lock());
        if !self.inactive.roots.lock().values().all(|(_, claimed)| *claimed) {
            *self.inactive.unclaimed.lock() = found;
            return self.extents.retain_all().into_iter().collect();
        }
        let ExtentReport { messages, retained } = self.extents.settle(self.sure, self.lost);
        let updated = self.folder.update_position(self.medium(), |position| position.retained = retained);
        _ = updated.inspect_err(|error| tracing::warn!("the file \"lazuli\" could not be written: {error}"));
        messages
    }
}
