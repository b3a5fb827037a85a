//! Snapshots: all records of all cells in one file, which takes the place of the logs before it.
//!
//! A snapshot is written while writes go on: each cell is told as it is when its turn comes. What is written meanwhile is in the log
//! that was begun before the snapshot, and reading that log again over it ends in the same state, for a record is always put or
//! deleted whole. A snapshot counts once it has its name, and it gets that when it is complete.

use crate::store::disk::folder::Folder;
use crate::store::disk::identity::FileHead;
use crate::store::disk::log::{Log, WriteRecords};
use crate::store::disk::medium::Medium;
use crate::store::disk::{frame, log};
use crate::store::journal::{CellId, Changes, Entries, Entry, Sink};
use std::fs::File;
use std::sync::Weak;
use std::{fs, io};

/// How many bytes of records go into one frame.
const PORTION: usize = 1 << 20;
/// The number of the last frame, which is empty.
pub const END: u64 = u64::MAX;

/// The name of the snapshot that the log of this generation goes on from.
pub fn name(generation: u64) -> String {
    format!("snapshot-{generation:08}")
}

/// Writes a snapshot of these cells; gives its length in bytes. Gives up when the server stops: its cells go then without a
/// word, and a snapshot must not miss one.
///
/// # Errors
/// As the system says. What was written is removed.
pub fn write(
    folder: &Folder,
    medium: &Medium,
    generation: u64,
    log: &Log,
    cells: Vec<(CellId, Weak<dyn WriteRecords>)>,
) -> io::Result<u64> {
    let unfinished = folder.file(&format!("{}.part", name(generation)));
    let head = FileHead { store: folder.identity().store, name: name(generation) };
    let written = fill(&unfinished, medium, &head, log, cells);
    let length = written.inspect_err(|_| _ = fs::remove_file(&unfinished))?;
    fs::rename(&unfinished, folder.file(&name(generation)))?;
    folder.sync()?;
    Ok(length)
}

fn fill(
    path: &std::path::Path,
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
            // It left since, and the log says so.
            None if !log.keeps(id) => {}
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

/// Records on their way into a snapshot.
struct Writer<'a> {
    file: &'a File,
    medium: &'a Medium,
    entries: Entries,
    length: u64,
    next: u64,
    failure: Option<io::Error>,
}

impl Sink for Writer<'_> {
    fn take(&mut self, entry: &Entry<'_>) {
        self.entries.take(entry);
        if self.entries.bytes.len() >= PORTION {
            self.flush();
        }
    }

    fn fail(&mut self, error: postcard::Error) {
        self.failure.get_or_insert(io::Error::other(error));
    }
}

impl Writer<'_> {
    fn flush(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        if !entries.bytes.is_empty() {
            self.frame(self.next, &entries.bytes);
            self.next += 1;
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

/// Removes logs and snapshots before a generation, whose snapshot is complete, and what logs before it
/// ended with. One that stays does no harm.
pub fn clear_before(folder: &Folder, generation: u64) {
    for file in folder.names().unwrap_or_default() {
        let old = |begin: &str| file.strip_prefix(begin).and_then(|id| id.parse::<u64>().ok()).is_some_and(|id| id < generation);
        if old("snapshot-") || old("log-") || old("torn-log-") {
            let _ = fs::remove_file(folder.file(&file));
        }
    }
    debug_assert!(folder.file(&log::name(generation)).exists());
}

/// Removes snapshots that were never finished, when none is being written.
pub fn clear_unfinished(folder: &Folder) {
    for file in folder.names().unwrap_or_default().iter().filter(|name| name.starts_with("snapshot-") && name.ends_with(".part"))
    {
        let _ = fs::remove_file(folder.file(file));
    }
}
