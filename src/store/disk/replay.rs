//! The start: the last snapshot and the logs after it, read into the records of every cell.

use crate::progress::{Progress, Stage};
use crate::store::changes::{CellId, Entry};
use crate::store::disk::error::{Damage, DiskErrorKind};
use crate::store::disk::folder::Folder;
use crate::store::disk::frame::FrameRead;
use crate::store::disk::identity::{FileHead, StoreId};
use crate::store::disk::{frame, log, snapshot};
use crate::store::records::Records;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read};

/// The records of a folder, and the state of its files.
#[derive(Debug, Default)]
pub struct Replayed {
    pub cells: HashMap<CellId, Records>,
    /// The generation of the last log.
    pub generation: u64,
    /// The length of its complete frames in bytes.
    pub length: u64,
    /// The length of the snapshot in bytes.
    pub snapshot: u64,
    /// The number of the next frame.
    pub next: u64,
    /// The number of the next cell.
    pub next_cell: u64,
    /// The number of records.
    pub records: u64,
    /// The generation of the snapshot, if there is one.
    pub base: Option<u64>,
    /// The logs: the generation of each, the length of its complete frames in bytes, and their number.
    pub logs: Vec<(u64, u64, u64)>,
    /// The unfinished end of the last log.
    pub torn: Vec<u8>,
    /// A sentence about the end of the log that was lost with the power.
    pub lost: Option<String>,
}

/// Reads the last snapshot of a folder and the logs after it. Changes nothing.
///
/// # Errors
/// When a file is damaged, missing or belongs to another store.
pub fn replay(folder: &Folder, progress: &Progress) -> Result<Replayed, DiskErrorKind> {
    let names = folder.names().map_err(|error| DiskErrorKind::folder("read", error))?;
    let numbered = |prefix: &str| {
        let numbers = names.iter().filter_map(|name| name.strip_prefix(prefix)?.parse::<u64>().ok());
        numbers.collect::<Vec<_>>()
    };
    let (mut snapshots, every) = (numbered("snapshot-"), numbered("log-"));
    snapshots.sort_unstable();
    check_heads(folder, &snapshots, &every)?;
    if let Some(last) = snapshots.pop()
        && fs::metadata(folder.file(&snapshot::name(last))).is_ok_and(|metadata| metadata.len() == 0)
    {
        let name = snapshot::name(last);
        let (from, until) = (snapshots.last().copied().unwrap_or(1), last.saturating_sub(1).max(1));
        return Err(match (from..=until).all(|log| every.contains(&log)) {
            true => DiskErrorKind::RemovableSnapshot(name),
            false => DiskErrorKind::EmptySnapshot(name),
        });
    }
    let base = numbered("snapshot-").into_iter().max();
    let logs: Vec<u64> = every.into_iter().filter(|log| base.is_none_or(|base| *log >= base)).collect();
    let first = base.unwrap_or(1);
    let missing = |generation| Err(DiskErrorKind::Missing(log::name(generation)));
    match logs.first() {
        // A server creates a log before any other file.
        None if base.is_some() || !numbered("extent-").is_empty() => return missing(first),
        Some(log) if *log > first && base.is_none() => {
            let last = folder.position().map(|position| position.log).filter(|last| last < log && *last > 0);
            return Err(match last {
                Some(last) => DiskErrorKind::MissingBefore { missing: log::name(last), unknown: log::name(*log) },
                None => DiskErrorKind::Missing(snapshot::name(*log)),
            });
        }
        _ => {}
    }
    if let Some((expected, _)) = (first..).zip(&logs).find(|(expected, log)| expected != *log) {
        return missing(expected);
    }
    let position = folder.position();
    if let Some(position) = &position
        && position.log > logs.last().copied().unwrap_or_default()
    {
        return missing(position.log);
    }

    let mut found = Replayed { next: 1, next_cell: 1, base, ..Replayed::default() };
    let files = base.iter().map(|base| snapshot::name(*base)).chain(logs.iter().map(|log| log::name(*log)));
    let bytes = files.filter_map(|name| fs::metadata(folder.file(&name)).ok()).map(|metadata| metadata.len()).sum();
    let stage = progress.begin("reading the records", bytes);
    if let Some(base) = base {
        found.read_snapshot(folder, base, &stage)?;
    }
    // A snapshot has no number of a frame: the first frame after it sets the count.
    let mut expected = base.is_none().then_some(1);
    for generation in &logs {
        found.read_log(folder, *generation, Some(generation) == logs.last(), &mut expected, &stage)?;
    }
    found.generation = logs.last().copied().unwrap_or(first);
    found.length = found.logs.last().map_or(0, |(_, length, _)| *length);
    found.next = expected.unwrap_or(1);
    if let Some(position) = position
        && let Some((_, length, _)) = found.logs.iter().find(|(log, ..)| *log == position.log)
        && *length < position.written
    {
        let (name, least) = (log::name(position.log), position.least());
        if *length < least {
            return Err(DiskErrorKind::MissingEnd { file: name, length: *length, least });
        }
        found.lost =
            Some(format!("{name} had {} bytes, {length} are there: what came after is lost with the power", position.written));
    }
    Ok(found)
}

/// Checks that the logs and snapshots with heads belong to this store and have their original names.
fn check_heads(folder: &Folder, snapshots: &[u64], logs: &[u64]) -> Result<(), DiskErrorKind> {
    let names: Vec<String> =
        snapshots.iter().map(|snapshot| snapshot::name(*snapshot)).chain(logs.iter().map(|log| log::name(*log))).collect();
    let mut heads = Vec::new();
    for name in &names {
        let head = head(folder, name).map_err(|error| DiskErrorKind::unreadable(name, error))?;
        heads.extend(head.map(|head| (name, head)));
    }
    let store = folder.identity().store;
    if let Some((name, first)) = heads.iter().find(|(_, head)| head.store != store) {
        let stores: Vec<StoreId> = heads.iter().map(|(_, head)| head.store).collect();
        return Err(match stores.contains(&store) {
            true => DiskErrorKind::OtherStore((*name).clone()),
            false if stores.len() > 1 && stores.iter().all(|other| *other == first.store) => {
                let files: Vec<&str> = heads.iter().map(|(name, _)| name.as_str()).collect();
                DiskErrorKind::MarkerOfOtherStore { files: files.join(", ") }
            }
            false => DiskErrorKind::DifferentStores((*name).clone()),
        });
    }
    let Some((name, head)) = heads.into_iter().find(|(name, head)| head.name != **name) else { return Ok(()) };
    let (file, original) = (name.clone(), head.name);
    Err(match names.contains(&original) {
        true => DiskErrorKind::Copy { file, original },
        false => DiskErrorKind::Renamed { file, original },
    })
}

/// The head of a file; `None` if it has none or is damaged there.
fn head(folder: &Folder, name: &str) -> io::Result<Option<FileHead>> {
    let mut bytes = Vec::new();
    #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
    File::open(folder.file(name))?.take(FileHead::MOST).read_to_end(&mut bytes)?;
    Ok(match frame::read(&bytes, 0) {
        FrameRead::Frame { payload, .. } => FileHead::read(payload),
        _ => None,
    })
}

impl Replayed {
    fn read_snapshot(&mut self, folder: &Folder, generation: u64, stage: &Stage) -> Result<(), DiskErrorKind> {
        let name = snapshot::name(generation);
        let file = read(folder, &name)?;
        self.snapshot = file.len() as u64;
        let (mut at, mut complete) = (0, false);
        loop {
            match frame::read(&file, at) {
                FrameRead::Frame { number: snapshot::END, end, .. } if at > 0 || generation < folder.identity().since => {
                    complete = end == file.len();
                    at = end;
                }
                FrameRead::Frame { payload, end, .. } if at == 0 && FileHead::read(payload).is_some() => at = end,
                FrameRead::Frame { .. } if at == 0 && generation >= folder.identity().since => {
                    return Err(DiskErrorKind::UnknownStore(name));
                }
                FrameRead::Frame { payload, end, .. } => {
                    self.apply(payload, stage).map_err(|error| damaged(&name, at, error))?;
                    at = end;
                }
                FrameRead::End if complete => return Ok(()),
                _ => return Err(damaged(&name, at, Damage::NoFrame)),
            }
        }
    }

    fn read_log(
        &mut self,
        folder: &Folder,
        generation: u64,
        last: bool,
        expected: &mut Option<u64>,
        stage: &Stage,
    ) -> Result<(), DiskErrorKind> {
        let name = log::name(generation);
        let file = read(folder, &name)?;
        if file.is_empty() && !last && folder.format() > 1 {
            return Err(DiskErrorKind::EmptyLog(name));
        }
        let (mut at, mut frames) = (0, 0);
        loop {
            match frame::read(&file, at) {
                FrameRead::Frame { number, payload, end } => {
                    let is_head = at == 0 && FileHead::read(payload).is_some();
                    if at == 0 && !is_head && generation >= folder.identity().since {
                        return Err(DiskErrorKind::UnknownStore(name));
                    }
                    match *expected {
                        Some(expected) if at == 0 && number < expected => {
                            return Err(DiskErrorKind::RepeatedFrames { file: name, number, expected });
                        }
                        Some(expected) if at == 0 && number > expected && !self.logs.is_empty() => {
                            let before = log::name(generation.saturating_sub(1));
                            let last = expected.saturating_sub(1);
                            return Err(DiskErrorKind::MissingFrames { before, last, file: name, number });
                        }
                        Some(expected) if number != expected => {
                            return Err(damaged(&name, at, Damage::MissingFrame(expected)));
                        }
                        _ => {}
                    }
                    // The head of a log has the number of the next frame; that of format 1 is empty.
                    *expected = Some(if is_head || payload.is_empty() { number } else { number + 1 });
                    if !is_head {
                        self.apply(payload, stage).map_err(|error| damaged(&name, at, error))?;
                    }
                    frames += 1;
                    at = end;
                }
                FrameRead::End => break,
                FrameRead::Torn if last => {
                    self.torn = file[at..].to_vec();
                    break;
                }
                FrameRead::Torn | FrameRead::Damaged => return Err(damaged(&name, at, Damage::NoFrame)),
            }
        }
        self.logs.push((generation, at as u64, frames));
        Ok(())
    }

    /// Writes the unfinished end of the last log to a file of its own. Returns a sentence about that.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn move_torn_end(&mut self, folder: &Folder) -> Result<Option<String>, DiskErrorKind> {
        let torn = std::mem::take(&mut self.torn);
        if torn.is_empty() {
            return Ok(None);
        }
        let name = log::name(self.generation);
        let torn_file = format!("torn-{name}");
        #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
        let written = fs::write(folder.file(&torn_file), &torn);
        written.map_err(|error| DiskErrorKind::File { file: torn_file.clone(), action: "written", error })?;
        let bytes = torn.len();
        Ok(Some(format!("the last write to {name} was never finished: its {bytes} bytes were moved to {torn_file}")))
    }

    fn apply(&mut self, mut payload: &[u8], stage: &Stage) -> Result<(), Damage> {
        stage.advance(payload.len() as u64);
        while !payload.is_empty() {
            let (entry, rest) = postcard::take_from_bytes::<Entry<'_>>(payload)?;
            payload = rest;
            let cell = match entry {
                Entry::Put { cell, key, value } => {
                    self.records += 1;
                    self.cells.entry(cell).or_default().0.insert(key.to_vec(), value.to_vec());
                    cell
                }
                Entry::Delete { cell, key } => {
                    if let Some(records) = self.cells.get_mut(&cell) {
                        records.0.remove(key);
                    }
                    cell
                }
                Entry::Drop { cell } => {
                    self.cells.remove(&cell);
                    cell
                }
            };
            self.next_cell = self.next_cell.max(cell.0 + 1);
        }
        Ok(())
    }
}

fn damaged(name: &str, position: usize, damage: Damage) -> DiskErrorKind {
    DiskErrorKind::Damaged { file: name.to_owned(), position, damage }
}

fn read(folder: &Folder, name: &str) -> Result<Vec<u8>, DiskErrorKind> {
    #[expect(clippy::disallowed_methods, reason = "this is the room that files belong to")]
    fs::read(folder.file(name)).map_err(|error| DiskErrorKind::unreadable(name, error))
}
