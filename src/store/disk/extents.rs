//! Extents: the files that bytes lie in. Bytes are added at the end of the last one and never changed; what nobody refers to any more
//! is given back to the system as a hole, and a file that has nothing else is removed.

use crate::rules::checksums::Crc64;
use crate::store::disk::folder::Folder;
use crate::store::disk::medium::{Medium, read_at, taken};
use crate::store::disk::reclaim::{Found, Pending, Ranges};
use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The size in bytes at which an extent is full.
const FULL: u64 = 256 << 20;
/// How many bytes that no record names are few, where it is not sure that no log is missing.
const FEW: u64 = 64 << 20;

/// All extents of a folder.
#[derive(Debug)]
pub struct Extents {
    folder: Arc<Folder>,
    medium: Arc<Medium>,
    open: Mutex<Open>,
    pending: Pending,
    /// The number of the last frame that was handed to the log.
    pub(super) appended: AtomicU64,
    /// Whether the server is stopping: what is dropped from memory from then on is not gone from the disk.
    stopping: AtomicBool,
    /// Whether a file that is not there was taken away, for no loss of power can have taken it.
    sure: bool,
}

#[derive(Debug, Default)]
struct Open {
    files: BTreeMap<u32, Arc<Extent>>,
    /// Where the next bytes go, in the last file.
    end: u64,
    /// While records are read: pieces that several of them may share.
    shared: HashMap<(u32, u64), Weak<ExtentSlice>>,
    /// While records are read: how many pieces are beyond the end of their file.
    missing: u64,
    /// While records are read: the files that these belong to.
    short: BTreeSet<u32>,
}

/// One file.
#[derive(Debug)]
pub(super) struct Extent {
    id: u32,
    file: File,
    /// How many bytes it had when it was opened.
    found: u64,
    /// Whether it has bytes that a loss of power would take. An earlier server may have left some.
    dirty: AtomicBool,
    /// How many bytes somebody refers to.
    live: AtomicU64,
    /// Ranges that nobody refers to.
    dead: Mutex<Ranges>,
}

/// A range of an extent that nobody in memory refers to any more.
#[derive(Debug)]
pub(super) struct Freed {
    pub(super) extent: Arc<Extent>,
    pub(super) start: u64,
    pub(super) length: u64,
}

/// Bytes in an extent. Once nobody has this any more, they are gone.
#[derive(Debug)]
pub struct ExtentSlice {
    extents: Arc<Extents>,
    extent: Arc<Extent>,
    place: ExtentRange,
}

/// Where bytes lie, as records tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExtentRange {
    /// Which file.
    pub extent: u32,
    /// Their length in bytes.
    pub length: u32,
    /// Where in the file they begin.
    pub start: u64,
    /// Their CRC-64/NVME.
    pub checksum: u64,
}

impl ExtentSlice {
    /// Where it lies.
    pub fn place(&self) -> ExtentRange {
        self.place
    }

    /// Reads it, and holds it against its checksum.
    ///
    /// # Errors
    /// As the system says; InvalidData, with the place, when the bytes are not those that were written.
    pub fn read(&self) -> io::Result<Bytes> {
        let mut bytes = vec![0; self.place.length as usize];
        let ExtentRange { start, length, checksum, .. } = self.place;
        let wrong = |kind, what: &str| {
            let why = format!("{}: {length} bytes at {start} {what}", name(self.extent.id));
            if matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) {
                self.extents.distrust(&why);
            }
            io::Error::new(kind, why)
        };
        read_at(&self.extent.file, &mut bytes, start)
            .map_err(|error| wrong(error.kind(), &format!("cannot be read: {error}")))?;
        match Crc64::of(&bytes).0 == checksum {
            true => Ok(bytes.into()),
            false => Err(wrong(io::ErrorKind::InvalidData, "are damaged: they are not what was written")),
        }
    }
}

impl Drop for ExtentSlice {
    fn drop(&mut self) {
        if self.extents.stopping.load(Ordering::SeqCst) {
            return;
        }
        let freed = Freed { extent: self.extent.clone(), start: self.place.start, length: u64::from(self.place.length) };
        let after = self.extents.appended.load(Ordering::SeqCst);
        self.extents.pending.add(after, freed);
    }
}

/// How the reading of records ended.
#[derive(Debug)]
pub struct ExtentReport {
    /// What is to be told, in sentences.
    pub told: Vec<String>,
    /// Whether contents that no record names are kept.
    pub kept: bool,
}

/// A number of bytes, for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
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
        let sure = folder.reach().is_some_and(|reach| reach.is_sure());
        let extents = Extents {
            sure,
            folder,
            medium,
            open: Mutex::default(),
            pending: Pending::default(),
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

    /// Whether nothing is given back any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Learns that contents are not what records say. The records may then be those of other extents, and what they do not name may be
    /// what somebody misses: until the next start nothing is given back.
    fn distrust(&self, why: &str) {
        if !self.stopping.swap(true, Ordering::SeqCst) && !self.medium.is_read_only() {
            tracing::warn!("{why}; until the next start no room is given back");
        }
    }

    /// What they are written to.
    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// As the system says; what was written of them is given back.
    pub fn write(self: &Arc<Self>, bytes: &[u8]) -> io::Result<ExtentSlice> {
        let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let (extent, start) = self.reserve(u64::from(length))?;
        let place = ExtentRange { extent: extent.id, length, start, checksum: Crc64::of(bytes).0 };
        let piece = ExtentSlice { extents: self.clone(), extent, place };
        self.medium.write_at(&piece.extent.file, bytes, start)?;
        piece.extent.dirty.store(true, Ordering::SeqCst);
        Ok(piece)
    }

    fn reserve(&self, length: u64) -> io::Result<(Arc<Extent>, u64)> {
        let mut open = self.open.lock();
        let last = open.files.last_key_value().map(|(_, extent)| extent.clone());
        let extent = match last {
            // One that lost bytes is left as it is: putting the whole file back must not cost what is written now.
            Some(last) if (open.end == 0 || open.end + length <= FULL) && !open.short.contains(&last.id) => last,
            last => {
                let id = last.map_or(1, |last| last.id + 1);
                let extent = self.extent(id)?;
                // Syncing the file alone does not make its name safe.
                self.folder.sync()?;
                open.files.insert(id, extent.clone());
                open.end = 0;
                extent
            }
        };
        let start = open.end;
        open.end += length;
        // Before anybody can see a later extent, and this one without anything alive in it.
        extent.live.fetch_add(length, Ordering::SeqCst);
        Ok((extent, start))
    }

    /// The piece that a record tells of; records that tell of the same bytes share it. Only before [`Extents::settle`], which says
    /// whether some of them are not there.
    ///
    /// # Errors
    /// As the system says; InvalidData when the whole file is gone and no loss of power can have taken it. Then nothing is given back
    /// any more.
    pub fn piece(self: &Arc<Self>, place: ExtentRange) -> io::Result<Arc<ExtentSlice>> {
        let mut open = self.open.lock();
        if let Some(piece) = open.shared.get(&(place.extent, place.start)).and_then(Weak::upgrade) {
            return Ok(piece);
        }
        let extent = match open.files.get(&place.extent) {
            Some(extent) if extent.found > 0 || !self.sure || place.length == 0 => extent.clone(),
            found if self.sure && place.length > 0 => {
                self.stop();
                let how = if found.is_some() { "empty" } else { "missing" };
                let why = format!("{} is {how}, and records name contents in it: put the whole file back", name(place.extent));
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            _ => {
                let extent = self.extent(place.extent)?;
                open.files.insert(place.extent, extent.clone());
                extent
            }
        };
        let end = place.start.saturating_add(u64::from(place.length));
        if end > extent.found {
            open.missing += 1;
            if open.short.insert(place.extent) && extent.found == 0 && !self.medium.is_read_only() {
                // The loss was noticed once: a byte keeps the next start from refusing the file as one that somebody emptied.
                extent.file.set_len(1)?;
            }
        }
        if open.files.last_key_value().is_some_and(|(last, _)| *last == place.extent) {
            open.end = open.end.max(end);
        }
        extent.live.fetch_add(u64::from(place.length), Ordering::SeqCst);
        let piece = Arc::new(ExtentSlice { extents: self.clone(), extent, place });
        open.shared.insert((place.extent, place.start), Arc::downgrade(&piece));
        Ok(piece)
    }

    fn extent(&self, id: u32) -> io::Result<Arc<Extent>> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", name(id)));
        let file = self.medium.open(&self.folder.file(&name(id))).map_err(named)?;
        let found = file.metadata()?.len();
        Ok(Arc::new(Extent { id, file, found, dirty: AtomicBool::new(true), live: AtomicU64::new(0), dead: Mutex::default() }))
    }

    /// Ends the reading of records: what none of them told of is given back, in time. Says what is missing.
    ///
    /// Where it is not sure that every record was read, far more bytes than records tell of may be those of a log that is missing:
    /// then they are kept, and that is said. So is whatever no record names where the log is known to have lost its end.
    pub fn settle(self: &Arc<Self>, sure: bool, lost: bool) -> ExtentReport {
        let mut told: Vec<String> = self.missing().into_iter().collect();
        let mut open = self.open.lock();
        let mut live: BTreeMap<u32, Vec<(u64, Arc<ExtentSlice>)>> = BTreeMap::new();
        for ((extent, start), piece) in std::mem::take(&mut open.shared) {
            if let Some(piece) = piece.upgrade() {
                live.entry(extent).or_default().push((start, piece));
            }
        }
        let (end, extents) = (open.end, open.files.values().cloned().collect::<Vec<_>>());
        let last = extents.last().map(|last| last.id);
        drop(open);
        let named: u64 = live.values().flatten().map(|(_, piece)| u64::from(piece.place.length)).sum();
        let held: u64 = extents.iter().filter_map(|extent| taken(&extent.file).ok()).sum();
        let unnamed = held.saturating_sub(named);
        let many = unnamed > named && (unnamed > FEW || named == 0);
        if !sure && unnamed > 0 && (many || lost) {
            told.push(format!(
                "the extents hold {} of contents that no record names, and records name {}; as a log may be missing, they are kept. If \
                 there is one that belongs here, stop the server and put it back",
                size(unnamed),
                size(named)
            ));
            self.hold();
            return ExtentReport { told, kept: true };
        }
        if self.is_stopped() {
            return ExtentReport { told, kept: false };
        }
        let mut found = Found::default();
        for extent in extents {
            let mut kept = live.remove(&extent.id).unwrap_or_default();
            kept.sort_unstable_by_key(|(start, _)| *start);
            let places = [0, kept.len() / 2, kept.len().saturating_sub(1)];
            found.sample.extend(places.iter().filter_map(|at| kept.get(*at)).map(|(_, piece)| Arc::downgrade(piece)));
            let length = if Some(extent.id) == last { end } else { extent.file.metadata().map_or(0, |about| about.len()) };
            let mut at = 0;
            let places = kept.iter().map(|(start, piece)| (*start, u64::from(piece.place.length)));
            for (start, length) in places.chain([(length, 0)]) {
                if start > at {
                    let length = start - at;
                    extent.live.fetch_add(length, Ordering::SeqCst);
                    found.unnamed.push(Freed { extent: extent.clone(), start: at, length });
                }
                at = at.max(start + length);
            }
        }
        self.pending.begin(found);
        ExtentReport { told, kept: false }
    }

    fn missing(&self) -> Option<String> {
        let open = self.open.lock();
        let missing = open.missing;
        let files = open.short.iter().map(|id| name(*id)).collect::<Vec<_>>().join(", ");
        drop(open);
        if missing == 0 {
            return None;
        }
        // Records that name what is not there may be those of other extents.
        self.stop();
        Some(format!(
            "{missing} pieces of content are not there, as after a loss of power: reading them will fail ({files}). No room is given back \
             while records name them"
        ))
    }

    /// Ends the reading of records when not all were read: nothing that is there and that nobody refers to is ever given back. Says
    /// what is missing.
    pub fn hold(&self) -> Option<String> {
        let missing = self.missing();
        let mut open = self.open.lock();
        open.shared.clear();
        open.files.values().for_each(|extent| _ = extent.live.fetch_add(1, Ordering::SeqCst));
        missing
    }

    /// The pieces that records told of so far and how many bytes the extents hold beside them. Only before [`Extents::settle`].
    pub fn named(&self) -> (Vec<Arc<ExtentSlice>>, u64) {
        let open = self.open.lock();
        let pieces: Vec<_> = open.shared.values().filter_map(Weak::upgrade).collect();
        let held: u64 = open.files.values().filter_map(|extent| taken(&extent.file).ok()).sum();
        let named: u64 = pieces.iter().map(|piece| u64::from(piece.place.length)).sum();
        (pieces, held.saturating_sub(named))
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

    /// What is to be given back.
    pub(super) fn pending(&self) -> &Pending {
        &self.pending
    }

    /// Removes the file of an extent that has nothing alive in it and never will; whether it did.
    pub(super) fn remove_if_dead(&self, extent: &Extent) -> bool {
        let mut open = self.open.lock();
        let is_last = open.files.last_key_value().is_some_and(|(id, _)| *id == extent.id);
        if is_last || extent.live.load(Ordering::SeqCst) > 0 || !open.files.contains_key(&extent.id) {
            return false;
        }
        // Should it not go, the next start tries again: no record tells of anything in it.
        let _ = std::fs::remove_file(self.folder.file(&name(extent.id)));
        open.files.remove(&extent.id);
        true
    }
}

impl Extent {
    /// Its number.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Its file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Notes a range as dead.
    pub(super) fn forget(&self, start: u64, length: u64) {
        self.live.fetch_sub(length, Ordering::SeqCst);
        self.dead.lock().add(start, start + length);
    }

    /// The ranges that nobody refers to.
    pub(super) fn dead(&self) -> MutexGuard<'_, Ranges> {
        self.dead.lock()
    }
}
