//! Data on disk: a folder with a log of changes, a snapshot of what came before it, and extents with the bytes.
//!
//! | file | what is in it |
//! |---|---|
//! | `lazuli` | the form of everything, the store's id, and how far the log reached; locked by the server that has the folder |
//! | `log-…` | every change since the snapshot of the same number, in [`frame`]s |
//! | `snapshot-…` | every record of every cell, at some moment after the log of that number was begun |
//! | `extent-…` | bytes; records tell which file, where, how many, and their checksum |
//! | `torn-…` | what a log ended with that was never finished |
//!
//! All records are also in memory, as what they mean; so nothing is ever looked up here. The disk is written to while the server
//! runs, and read when it starts.

pub mod error;
pub mod extents;
pub mod folder;
pub mod frame;
pub mod identity;
pub mod log;
pub mod medium;
pub mod reclaim;
pub mod replay;
pub mod snapshot;

#[cfg(test)]
mod tests;

use crate::store::disk::error::{DiskError, DiskErrorKind};
use crate::store::disk::extents::Extents;
use crate::store::disk::folder::Folder;
use crate::store::disk::log::{Log, LogFile, PendingCommit, Start, WriteRecords};
use crate::store::disk::medium::Medium;
use crate::store::disk::reclaim::Reclaiming;
use crate::store::disk::replay::Replayed;
use crate::store::journal::{CellId, Changes, CorruptRecord, Entries, Records};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

/// When a change counts as safe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the operating system has it: it outlives the server, however that ends, and not a loss of power.
    #[default]
    Process,
    /// When the disk has it.
    Sync,
}

/// The cell of the roots: which cell stands for what.
const ROOTS: CellId = CellId(0);

/// A folder with data, in use.
#[derive(Debug)]
pub struct Disk {
    /// The threads of a folder that is written to.
    threads: Option<(PendingCommit, Reclaiming)>,
    folder: Arc<Folder>,
    /// Whether nothing that was written can be missing.
    sure: bool,
    /// Whether the log ends before what was written to it.
    lost: bool,
    log: Arc<Log>,
    extents: Arc<Extents>,
    rest: Arc<Unreplayed>,
    /// What was found, until it is asked for.
    found: Mutex<HashMap<CellId, Records>>,
    /// Its receivers learn that the disk is dropped, and its folder free.
    closed: watch::Sender<()>,
}

/// What the folder holds beside the cells that are in use.
#[derive(Debug, Default)]
struct Unreplayed {
    /// The cells that stand for something, and whether anybody asked for them.
    roots: Mutex<BTreeMap<Vec<u8>, (CellId, bool)>>,
    /// Records of cells that nobody asked for: those of accounts that this server was not told of. They stay.
    unclaimed: Mutex<HashMap<CellId, Records>>,
}

impl WriteRecords for Unreplayed {
    fn write_records(&self, to: &mut Changes<'_>) {
        for (name, (cell, _)) in &*self.roots.lock() {
            to.put(name, 1, cell);
        }
        for (cell, records) in &*self.unclaimed.lock() {
            records.tell(&mut to.of(*cell));
        }
    }
}

impl Unreplayed {
    /// The cells that stand for something, out of what was found.
    fn of(found: &mut Replayed) -> Result<Unreplayed, CorruptRecord> {
        let rest = Unreplayed::default();
        let roots = found.cells.remove(&ROOTS).unwrap_or_default();
        for (name, record) in roots.under(b"") {
            let cell: CellId = record.read(1)?;
            rest.roots.lock().insert(name.to_vec(), (cell, false));
            // There may be nothing in it yet by which it would have been met.
            found.next_cell = found.next_cell.max(cell.0 + 1);
        }
        Ok(rest)
    }
}

impl Drop for Disk {
    /// Gives the folder free once nothing writes to it any more. Contents that are still being read or freed know it longer, and change
    /// nothing in it.
    fn drop(&mut self) {
        drop(self.threads.take());
        self.folder.unlock();
    }
}

impl Disk {
    /// Looks at a folder that no server uses, and changes nothing in it, whatever is done with this; says what it found, in sentences.
    ///
    /// # Errors
    /// One sentence: what a start would be refused with.
    pub fn look(path: &Path) -> Result<(Disk, Vec<String>), DiskError> {
        Disk::look_at(path).map_err(|kind| DiskError::new(path, kind))
    }

    fn look_at(path: &Path) -> Result<(Disk, Vec<String>), DiskErrorKind> {
        let folder = Arc::new(Folder::look(path)?);
        let mut found = replay::replay(&folder)?;
        let rest = Arc::new(Unreplayed::of(&mut found)?);
        let mut said = vec![format!("format {}", folder.format())];
        if folder.format() > 1 {
            said.push(format!("store {}", folder.identity().store));
        }
        if let Some(base) = found.base {
            said.push(format!("{}: {}", snapshot::name(base), extents::size(found.snapshot)));
        }
        for (generation, length, frames) in &found.logs {
            said.push(format!("{}: {}, {frames} frames", log::name(*generation), extents::size(*length)));
        }
        if !found.torn.is_empty() {
            said.push(format!(
                "the last write to {} was never finished: the next start sets its {} bytes aside",
                log::name(found.generation),
                found.torn.len()
            ));
        }
        said.extend(found.lost.take());
        said.push(format!("{} records were read", found.records));
        let extents = Arc::new(Extents::open(folder.clone(), Arc::new(Medium::read_only()))?);
        let log = Log::idle(extents.clone(), found.next, found.next_cell);
        let found = Mutex::new(found.cells);
        Ok((
            Disk { threads: None, folder, sure: false, lost: false, log, extents, rest, found, closed: watch::Sender::new(()) },
            said,
        ))
    }

    /// The names of the cells that stand for something.
    pub fn roots(&self) -> Vec<String> {
        self.rest.roots.lock().keys().map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    /// Takes a folder into use; says what it found, and what it mended, in sentences.
    ///
    /// # Errors
    /// One sentence, and the folder is as it was: it is another's, it is in use, it is of a newer form, or it is damaged.
    pub fn open(path: &Path, medium: Medium, durability: Durability) -> Result<(Disk, Vec<String>), DiskError> {
        Disk::open_at(path, medium, durability).map_err(|kind| DiskError::new(path, kind))
    }

    fn open_at(path: &Path, medium: Medium, durability: Durability) -> Result<(Disk, Vec<String>), DiskErrorKind> {
        let folder = Arc::new(Folder::open(path)?);
        let medium = Arc::new(medium);
        let mut found = replay::replay(&folder)?;
        let rest = Arc::new(Unreplayed::of(&mut found)?);
        // All of it can be read: from here on the folder is this server's to change.
        let mut said: Vec<String> = found.set_aside(&folder)?.into_iter().collect();
        let lost = found.lost.is_some();
        said.extend(found.lost.take());
        let sure = folder.reach().is_some_and(|reach| reach.is_sure() && !reach.kept);
        if folder.format() < folder::FORMAT {
            folder.upgrade(found.generation + 1)?;
        }
        snapshot::clear_unfinished(&folder);
        if let Some(base) = found.base {
            snapshot::clear_before(&folder, base);
        }
        let extents = Arc::new(Extents::open(folder.clone(), medium.clone())?);
        let file = LogFile::open(&folder, &medium, found.generation, found.length, found.next)?;
        folder.begin(&medium, found.generation, file.length())?;
        // Or else, after a loss of power, it would still say that the server before this one ended properly.
        folder.sync_marker(&medium)?;
        let start = Start {
            folder: folder.clone(),
            medium,
            extents: extents.clone(),
            durability,
            file,
            next: found.next,
            next_cell: found.next_cell,
            worth: found.snapshot,
            behind: found.logs.iter().rev().skip(1).map(|(_, length, _)| length).sum(),
        };
        let (log, committing) = Log::start(start)?;
        if folder.format() < folder::FORMAT {
            // The files of the older form do not say whose they are: others take their place.
            log.snapshot();
        }
        let told: Arc<dyn WriteRecords> = rest.clone();
        log.keep(ROOTS, Arc::downgrade(&told));
        let reclaiming = Reclaiming::start(extents.clone())?;
        if found.records > 0 {
            said.push(format!("{} records were read from {}", found.records, path.display()));
        }
        let found = Mutex::new(found.cells);
        let disk = Disk {
            threads: Some((committing, reclaiming)),
            folder,
            sure,
            lost,
            log,
            extents,
            rest,
            found,
            closed: watch::Sender::new(()),
        };
        Ok((disk, said))
    }

    /// What it is written to: how tests stop a disk.
    pub fn medium(&self) -> &Medium {
        self.extents.medium()
    }

    /// Waits until the disk is dropped and another server can use its folder.
    pub fn closed(&self) -> impl Future<Output = ()> + use<> {
        let mut closed = self.closed.subscribe();
        // An error: the sender was dropped.
        async move { while closed.changed().await.is_ok() {} }
    }

    /// Where changes go.
    pub fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// Where bytes go.
    pub fn extents(&self) -> &Arc<Extents> {
        &self.extents
    }

    /// The number of the cell that stands for something, the same one at every start.
    pub fn root(&self, name: &str) -> CellId {
        let mut roots = self.rest.roots.lock();
        let (cell, claimed) = roots.entry(name.as_bytes().to_vec()).or_insert_with(|| {
            let cell = self.log.cell();
            let mut entries = Entries::default();
            Changes::new(ROOTS, &mut entries).put(name.as_bytes(), 1, &cell);
            // Nobody waits for it: whatever is put into the cell comes after it in the log.
            drop(self.log.append(&entries.bytes));
            (cell, true)
        });
        *claimed = true;
        *cell
    }

    /// The records of a cell as they were found; each is given once.
    pub fn records(&self, cell: CellId) -> Records {
        self.found.lock().remove(&cell).unwrap_or_default()
    }

    /// Ends the start: what nobody asked for stays as it is while an account or a service is not there whose it is, and goes when it can
    /// be nobody's. Says what is missing or kept, in sentences.
    pub fn settle(&self) -> Vec<String> {
        let told = self.settle_contents();
        self.log.settle();
        told
    }

    fn settle_contents(&self) -> Vec<String> {
        let found = std::mem::take(&mut *self.found.lock());
        if !self.rest.roots.lock().values().all(|(_, claimed)| *claimed) {
            *self.rest.unclaimed.lock() = found;
            return self.extents.hold().into_iter().collect();
        }
        let settled = self.extents.settle(self.sure, self.lost);
        let noted = self.folder.reached(self.medium(), |reach| reach.kept = settled.kept);
        _ = noted.inspect_err(|error| tracing::warn!("the file \"lazuli\" could not be written: {error}"));
        settled.told
    }
}
