//! Snapshots: all records of all cells in one file, which replaces the logs before it.
//!
//! A snapshot is written while writes continue: each cell writes its state when its turn comes. Later changes are in the log that was
//! begun before the snapshot, and replaying that log over it ends in the same state, because an entry always sets or deletes a complete
//! record. A snapshot gets its name, and counts, when it is complete.

use crate::store::changes::{CellId, Changes, Entries, Entry, Sink};
use crate::store::disk::folder::Folder;
use crate::store::disk::frame;
use crate::store::disk::identity::FileHead;
use crate::store::disk::log::{self, Log};
use crate::store::disk::medium::Medium;
use crate::store::journal::WriteRecords;
use std::fs::File;
use std::path::Path;
use std::sync::Weak;
use std::{fs, io};

/// How many bytes of records one frame has.
const PORTION: usize = 1 << 20;
/// The number of the last frame, which is empty.
pub const END: u64 = u64::MAX;

/// The file name of the snapshot that precedes the log of this generation.
pub fn name(generation: u64) -> String {
    format!("snapshot-{generation:08}")
}

/// Writes a snapshot of these cells; returns its length in bytes. Fails if the server stops: cells are then dropped without being
/// unregistered, and a snapshot must not miss one.
///
/// # Errors
/// Those of the system. The unfinished file is removed.
pub fn write(
    folder: &Folder,
    medium: &Medium,
    generation: u64,
    log: &Log,
    cells: Vec<(CellId, Weak<dyn WriteRecords>)>,
) -> io::Result<u64> {
    let unfinished = folder.file(&format!("{}.part", name(generation)));
    let head = FileHead { store: folder.identity().store, name: name(generation) };
    let written = write_file(&unfinished, medium, &head, log, cells);
    let length = written.inspect_err(|_| _ = fs::remove_file(&unfinished))?;
    fs::rename(&unfinished, folder.file(&name(generation)))?;
    folder.sync()?;
    Ok(length)
}

fn write_file(
    path: &Path,
    medium: &Medium,
    head: &FileHead,
    log: &Log,
    cells: Vec<(CellId, Weak<dyn WriteRecords>)>,
) -> io::Result<u64> {
    let file = medium.open(path)?;
    file.set_len(0)?;
    let mut writer = Writer { file: &file, medium, entries: Entries::default(), length: 0, next: 1, failure: None };
    writer.frame(0, &head.payload());
    for (id, cell) in cells {
        match cell.upgrade() {
            Some(cell) if !log.is_stopping() => cell.write_records(&mut Changes::new(id, &mut writer)),
            // The cell was deleted since, and the log contains that.
            None if !log.is_registered(id) => {}
            _ => return Err(io::Error::other("the server is stopping")),
        }
    }
    writer.flush();
    writer.frame(END, &[]);
    let (length, failure) = (writer.length, writer.failure.take());
    failure.map_or(Ok(()), Err)?;
    medium.sync(&file)?;
    Ok(length)
}

/// Writes entries to a file in frames.
struct Writer<'a> {
    file: &'a File,
    medium: &'a Medium,
    entries: Entries,
    length: u64,
    /// The number of the next frame.
    next: u64,
    failure: Option<io::Error>,
}

impl Sink for Writer<'_> {
    fn write(&mut self, entry: &Entry<'_>) {
        self.entries.write(entry);
        if self.entries.len() >= PORTION {
            self.flush();
        }
    }

    fn fail(&mut self, error: postcard::Error) {
        self.failure.get_or_insert(io::Error::other(error));
    }
}

impl Writer<'_> {
    fn flush(&mut self) {
        match std::mem::take(&mut self.entries).encoded() {
            Ok(entries) if entries.is_empty() => {}
            Ok(entries) => {
                self.frame(self.next, &entries);
                self.next += 1;
            }
            Err(error) => self.fail(error),
        }
    }

    fn frame(&mut self, number: u64, payload: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        let mut bytes = Vec::with_capacity(payload.len() + 32);
        frame::write(&mut bytes, number, payload);
        match self.medium.write_at(self.file, &bytes, self.length) {
            Ok(()) => self.length += bytes.len() as u64,
            Err(error) => self.failure = Some(error),
        }
    }
}

/// Removes the logs and snapshots before a generation whose snapshot is complete, and their torn ends. A file that remains does no harm.
pub fn clear_before(folder: &Folder, generation: u64) {
    for file in folder.names().unwrap_or_default() {
        let old =
            |prefix: &str| file.strip_prefix(prefix).and_then(|id| id.parse::<u64>().ok()).is_some_and(|id| id < generation);
        if old("snapshot-") || old("log-") || old("torn-log-") {
            let _ = fs::remove_file(folder.file(&file));
        }
    }
    debug_assert!(folder.file(&log::name(generation)).exists());
}

/// Removes unfinished snapshots. May be called while none is being written.
pub fn clear_unfinished(folder: &Folder) {
    let names = folder.names().unwrap_or_default();
    for name in names.iter().filter(|name| name.starts_with("snapshot-") && name.ends_with(".part")) {
        let _ = fs::remove_file(folder.file(name));
    }
}
