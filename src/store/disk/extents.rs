//! Extents: the files that bytes lie in. Bytes are added at the end of the last one and never changed; what nobody refers to any more
//! is given back to the system as a hole, and a file that has nothing else is removed.

use super::folder::Folder;
use super::medium::{Medium, read_at};
use crate::rules::checksum::Crc64;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The size in bytes at which an extent is full.
const FULL: u64 = 256 << 20;
/// Holes are made in whole blocks of this many bytes.
const BLOCK: u64 = 4096;

/// All extents of a folder.
#[derive(Debug)]
pub struct Extents {
    folder: Arc<Folder>,
    medium: Arc<Medium>,
    open: Mutex<Open>,
    /// What became free, and after which frame of the log nothing on disk refers to it.
    freed: Mutex<Vec<(u64, Freed)>>,
    /// The number of the last frame that was handed to the log.
    pub(super) appended: AtomicU64,
    /// Whether the server is stopping: what is dropped from memory from then on is not gone from the disk.
    stopping: AtomicBool,
}

#[derive(Debug, Default)]
struct Open {
    files: BTreeMap<u32, Arc<Extent>>,
    /// Where the next bytes go, in the last file.
    end: u64,
    /// While records are read: pieces that several of them may share.
    shared: HashMap<(u32, u64), Weak<Piece>>,
    /// While records are read: how many pieces are beyond the end of their file.
    missing: u64,
}

/// One file.
#[derive(Debug)]
struct Extent {
    id: u32,
    file: File,
    /// How many bytes it had when it was opened.
    found: u64,
    /// Whether it has bytes that a loss of power would take.
    dirty: AtomicBool,
    /// How many bytes somebody refers to.
    live: AtomicU64,
    /// Ranges that nobody refers to, by their first byte, neighbours joined.
    dead: Mutex<BTreeMap<u64, u64>>,
}

#[derive(Debug)]
struct Freed {
    extent: Arc<Extent>,
    start: u64,
    length: u64,
}

/// Bytes in an extent. Once nobody has this any more, they are gone.
#[derive(Debug)]
pub struct Piece {
    extents: Arc<Extents>,
    extent: Arc<Extent>,
    place: Place,
}

/// Where bytes lie, as records tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// Which file.
    pub extent: u32,
    /// Their length in bytes.
    pub length: u32,
    /// Where in the file they begin.
    pub start: u64,
    /// Their CRC-64/NVME.
    pub checksum: u64,
}

impl Piece {
    /// Where it lies.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Reads it, and holds it against its checksum.
    ///
    /// # Errors
    /// As the system says; InvalidData, with the place, when the bytes are not those that were written.
    pub fn read(&self) -> io::Result<Bytes> {
        let mut bytes = vec![0; self.place.length as usize];
        let Place { start, length, checksum, .. } = self.place;
        let wrong =
            |kind, what: &str| io::Error::new(kind, format!("{}: {length} bytes at {start} {what}", name(self.extent.id)));
        read_at(&self.extent.file, &mut bytes, start)
            .map_err(|error| wrong(error.kind(), &format!("cannot be read: {error}")))?;
        match Crc64::of(&bytes).0 == checksum {
            true => Ok(bytes.into()),
            false => Err(wrong(io::ErrorKind::InvalidData, "are damaged: they are not what was written")),
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.extents.stopping.load(Ordering::SeqCst) {
            return;
        }
        let freed = Freed { extent: self.extent.clone(), start: self.place.start, length: u64::from(self.place.length) };
        let after = self.extents.appended.load(Ordering::SeqCst);
        self.extents.freed.lock().push((after, freed));
    }
}

fn name(id: u32) -> String {
    format!("extent-{id:08}")
}

impl Extents {
    /// The extents that are in a folder.
    ///
    /// # Errors
    /// As the system says.
    pub fn open(folder: Arc<Folder>, medium: Arc<Medium>) -> io::Result<Extents> {
        let names = folder.names()?;
        let extents = Extents {
            folder,
            medium,
            open: Mutex::default(),
            freed: Mutex::default(),
            appended: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
        };
        let ids = names.iter().filter_map(|name| name.strip_prefix("extent-")?.parse().ok());
        for extent in ids.map(|id| extents.extent(id)) {
            let extent = extent?;
            let mut open = extents.open.lock();
            open.end = extent.found;
            open.files.insert(extent.id, extent);
        }
        Ok(extents)
    }

    /// From now on nothing is given back: the server is stopping, and forgets only what is in memory.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// What they are written to.
    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// As the system says; what was written of them is given back.
    pub fn write(self: &Arc<Self>, bytes: &[u8]) -> io::Result<Piece> {
        let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let (extent, start) = self.reserve(u64::from(length))?;
        extent.live.fetch_add(u64::from(length), Ordering::SeqCst);
        let place = Place { extent: extent.id, length, start, checksum: Crc64::of(bytes).0 };
        let piece = Piece { extents: self.clone(), extent, place };
        self.medium.write_at(&piece.extent.file, bytes, start)?;
        piece.extent.dirty.store(true, Ordering::SeqCst);
        Ok(piece)
    }

    fn reserve(&self, length: u64) -> io::Result<(Arc<Extent>, u64)> {
        let mut open = self.open.lock();
        let last = open.files.last_key_value().map(|(_, extent)| extent.clone());
        let extent = match last {
            Some(last) if open.end == 0 || open.end + length <= FULL => last,
            last => {
                let id = last.map_or(1, |last| last.id + 1);
                let extent = self.extent(id)?;
                open.files.insert(id, extent.clone());
                open.end = 0;
                extent
            }
        };
        let start = open.end;
        open.end += length;
        Ok((extent, start))
    }

    /// The piece that a record tells of; records that tell of the same bytes share it. Only before [`Extents::settle`], which says
    /// whether some of them are not there.
    ///
    /// # Errors
    /// As the system says.
    pub fn piece(self: &Arc<Self>, place: Place) -> io::Result<Arc<Piece>> {
        let mut open = self.open.lock();
        if let Some(piece) = open.shared.get(&(place.extent, place.start)).and_then(Weak::upgrade) {
            return Ok(piece);
        }
        let extent = match open.files.get(&place.extent) {
            Some(extent) => extent.clone(),
            None => {
                let extent = self.extent(place.extent)?;
                open.files.insert(place.extent, extent.clone());
                extent
            }
        };
        let end = place.start.saturating_add(u64::from(place.length));
        if end > extent.found {
            open.missing += 1;
        }
        if open.files.last_key_value().is_some_and(|(last, _)| *last == place.extent) {
            open.end = open.end.max(end);
        }
        extent.live.fetch_add(u64::from(place.length), Ordering::SeqCst);
        let piece = Arc::new(Piece { extents: self.clone(), extent, place });
        open.shared.insert((place.extent, place.start), Arc::downgrade(&piece));
        Ok(piece)
    }

    fn extent(&self, id: u32) -> io::Result<Arc<Extent>> {
        let file = self.medium.open(&self.folder.file(&name(id)))?;
        let found = file.metadata()?.len();
        Ok(Arc::new(Extent { id, file, found, dirty: AtomicBool::new(false), live: AtomicU64::new(0), dead: Mutex::default() }))
    }

    /// Ends the reading of records: what none of them told of is given back. Says what is missing.
    pub fn settle(&self) -> Option<String> {
        let missing = self.missing();
        let mut open = self.open.lock();
        let mut live: BTreeMap<u32, Vec<(u64, u64)>> = BTreeMap::new();
        for ((extent, start), piece) in std::mem::take(&mut open.shared) {
            if let Some(piece) = piece.upgrade() {
                live.entry(extent).or_default().push((start, u64::from(piece.place.length)));
            }
        }
        let (end, extents) = (open.end, open.files.values().cloned().collect::<Vec<_>>());
        let last = extents.last().map(|last| last.id);
        drop(open);
        for extent in extents {
            let mut kept = live.remove(&extent.id).unwrap_or_default();
            kept.sort_unstable();
            let length = if Some(extent.id) == last { end } else { extent.file.metadata().map_or(0, |about| about.len()) };
            let mut at = 0;
            for (start, length) in kept.into_iter().chain([(length, 0)]) {
                if start > at {
                    self.give_back(&Freed { extent: extent.clone(), start: at, length: start - at });
                }
                at = at.max(start + length);
            }
        }
        missing
    }

    fn missing(&self) -> Option<String> {
        let missing = self.open.lock().missing;
        let told = || format!("{missing} pieces of content are not there, as after a loss of power: reading them will fail");
        (missing > 0).then(told)
    }

    /// Ends the reading of records when not all were read: no file of those that are there is ever removed. Says what is missing.
    pub fn hold(&self) -> Option<String> {
        let missing = self.missing();
        let mut open = self.open.lock();
        open.shared.clear();
        open.files.values().for_each(|extent| _ = extent.live.fetch_add(1, Ordering::SeqCst));
        missing
    }

    /// Makes all bytes safe from a loss of power.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync(&self) -> io::Result<()> {
        let dirty: Vec<_> =
            self.open.lock().files.values().filter(|extent| extent.dirty.load(Ordering::SeqCst)).cloned().collect();
        for extent in dirty {
            extent.dirty.store(false, Ordering::SeqCst);
            self.medium.sync(&extent.file).inspect_err(|_| extent.dirty.store(true, Ordering::SeqCst))?;
        }
        Ok(())
    }

    /// Gives back what became free before this frame of the log was handed over, now that it is on disk.
    pub fn reap(&self, safe: u64) {
        let ready: Vec<Freed> = {
            let mut freed = self.freed.lock();
            let (ready, waiting) = std::mem::take(&mut *freed).into_iter().partition::<Vec<_>, _>(|(after, _)| *after <= safe);
            *freed = waiting;
            ready.into_iter().map(|(_, freed)| freed).collect()
        };
        for freed in ready {
            freed.extent.live.fetch_sub(freed.length, Ordering::SeqCst);
            self.give_back(&freed);
        }
    }

    fn give_back(&self, freed: &Freed) {
        let extent = &freed.extent;
        let (start, end) = extent.bury(freed.start, freed.length);
        let mut open = self.open.lock();
        let is_last = open.files.last_key_value().is_some_and(|(id, _)| *id == extent.id);
        if extent.live.load(Ordering::SeqCst) == 0 && !is_last {
            // Should it not go, the next start tries again: no record tells of anything in it.
            let _ = std::fs::remove_file(self.folder.file(&name(extent.id)));
            open.files.remove(&extent.id);
            return;
        }
        drop(open);
        // Blocks that the range shares with others become a hole when those are dead too.
        let (first, last) = (start.next_multiple_of(BLOCK), end / BLOCK * BLOCK);
        let (low, high) =
            ((freed.start / BLOCK * BLOCK).max(first), (freed.start + freed.length).next_multiple_of(BLOCK).min(last));
        if low < high {
            punch(&extent.file, low, high - low);
        }
    }
}

impl Extent {
    /// Notes a range as dead; gives the whole dead range that it is in now.
    fn bury(&self, start: u64, length: u64) -> (u64, u64) {
        let mut dead = self.dead.lock();
        let (mut low, mut high) = (start, start + length);
        if let Some((&before, &end)) = dead.range(..=start).next_back().filter(|(_, end)| **end >= start) {
            dead.remove(&before);
            (low, high) = (before, high.max(end));
        }
        if let Some(end) = dead.remove(&high) {
            high = end;
        }
        dead.insert(low, high);
        (low, high)
    }
}

/// Makes a range of a file a hole. Where the system cannot, the bytes stay until the whole file goes.
#[cfg(target_os = "linux")]
fn punch(file: &File, start: u64, length: u64) {
    use rustix::fs::{FallocateFlags, fallocate};
    let _ = fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, start, length);
}

#[cfg(not(target_os = "linux"))]
fn punch(_: &File, _: u64, _: u64) {}
