//! Extents: the files with contents. Bytes are appended to the last file and never changed. A range that is no longer referenced is
//! returned to the system as a hole, and a file without live contents is removed.

use crate::rules::checksums::Crc64;
use crate::store::disk::extent::{Extent, Freed};
use crate::store::disk::folder::Folder;
use crate::store::disk::medium::{Medium, allocated_size, read_at};
use crate::store::disk::pending::Pending;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// The size in bytes at which an extent is full.
const FULL: u64 = 256 << 20;
/// The most unnamed bytes that a start frees if a log may be missing.
const FEW: u64 = 64 << 20;

/// All extents of a folder.
#[derive(Debug)]
pub struct Extents {
    folder: Arc<Folder>,
    medium: Arc<Medium>,
    files: Mutex<Files>,
    pending: Pending,
    /// Some of the contents that records name, in every file, for the check before the first range is freed.
    sample: Mutex<Vec<Weak<ExtentSlice>>>,
    /// The number of the last frame that was appended to the log.
    pub(super) appended: AtomicU64,
    /// Whether contents that are dropped from memory remain on disk, because the server stops.
    stopping: AtomicBool,
    /// Whether a missing file was removed by somebody, because no loss of power can have removed it.
    sure: bool,
}

#[derive(Debug, Default)]
struct Files {
    by_id: BTreeMap<u32, Arc<Extent>>,
    /// Where the next bytes go in the last file.
    end: u64,
    /// While records are read: the slices, which several records may share, by extent and start.
    shared: HashMap<(u32, u64), Weak<ExtentSlice>>,
    /// While records are read: how many slices lie past the end of their file.
    missing: u64,
    /// While records are read: the files with such slices.
    short: BTreeSet<u32>,
}

/// What the extents hold.
#[derive(Clone, Copy, Debug)]
pub struct ExtentUsage {
    /// The files.
    pub extents: usize,
    /// The bytes that are referenced.
    pub live: u64,
    /// The ranges that wait to be returned to the system.
    pub waiting: usize,
}

/// Bytes in an extent. They are freed when this is dropped.
#[derive(Debug)]
pub struct ExtentSlice {
    extents: Arc<Extents>,
    extent: Arc<Extent>,
    place: ExtentRange,
}

/// The position of bytes, as in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExtentRange {
    /// The id of the file.
    pub extent: u32,
    /// In bytes.
    pub length: u32,
    pub start: u64,
    /// CRC-64/NVME.
    pub checksum: u64,
}

impl ExtentSlice {
    pub fn place(&self) -> ExtentRange {
        self.place
    }

    /// Reads the bytes, and compares them with their checksum.
    ///
    /// # Errors
    /// Those of the system; InvalidData, with the position, if the bytes are not those that were written.
    pub fn read(&self) -> io::Result<Bytes> {
        let mut bytes = vec![0; self.place.length as usize];
        let ExtentRange { start, length, checksum, .. } = self.place;
        let wrong = |kind, what: &str| {
            let reason = format!("{}: {length} bytes at {start} {what}", name(self.extent.id));
            if matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) {
                self.extents.distrust(&reason);
            }
            io::Error::new(kind, reason)
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
        if self.extents.is_stopped() {
            return;
        }
        let freed = Freed { extent: self.extent.clone(), start: self.place.start, length: u64::from(self.place.length) };
        let after = self.extents.appended.load(Ordering::SeqCst);
        self.extents.pending.add(after, freed);
    }
}

/// The result of comparing the extents with the records.
#[derive(Debug)]
pub struct ExtentReport {
    /// Sentences for the log.
    pub messages: Vec<String>,
    /// Whether contents that no record names are retained.
    pub retained: bool,
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
    /// Opens the extents of a folder.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(folder: Arc<Folder>, medium: Arc<Medium>) -> io::Result<Extents> {
        let names = folder.names()?;
        let sure = folder.position().is_some_and(|position| position.is_sure());
        let extents = Extents {
            sure,
            folder,
            medium,
            files: Mutex::default(),
            pending: Pending::default(),
            sample: Mutex::default(),
            appended: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
        };
        let ids = names.iter().filter_map(|name| name.strip_prefix("extent-")?.parse().ok());
        for extent in ids.map(|id| extents.extent(id)) {
            let extent = extent?;
            let mut files = extents.files.lock();
            files.end = extent.found;
            files.by_id.insert(extent.id, extent);
        }
        Ok(extents)
    }

    /// Frees nothing from now on: the server stops, and drops contents from memory only.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

    /// Returns true if nothing is freed.
    pub fn is_stopped(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Frees nothing until the next start, because contents are not what records state. The records may belong to other extents, and
    /// contents that they do not name may still be needed.
    fn distrust(&self, reason: &str) {
        if !self.stopping.swap(true, Ordering::SeqCst) && !self.medium.is_read_only() {
            tracing::warn!("{reason}; until the next start no space is reclaimed");
        }
    }

    pub fn medium(&self) -> &Medium {
        &self.medium
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// Those of the system. The part that was written is freed.
    pub fn write(self: &Arc<Self>, bytes: &[u8]) -> io::Result<ExtentSlice> {
        let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let (extent, start) = self.reserve(u64::from(length))?;
        let place = ExtentRange { extent: extent.id, length, start, checksum: Crc64::of(bytes).0 };
        let slice = ExtentSlice { extents: self.clone(), extent, place };
        self.medium.write_at(&slice.extent.file, bytes, start)?;
        slice.extent.dirty.store(true, Ordering::SeqCst);
        Ok(slice)
    }

    fn reserve(&self, length: u64) -> io::Result<(Arc<Extent>, u64)> {
        let mut files = self.files.lock();
        let last = files.by_id.last_key_value().map(|(_, extent)| extent.clone());
        let extent = match last {
            // A file that lost bytes is left unchanged: restoring it from a copy must not overwrite new contents.
            Some(last) if (files.end == 0 || files.end + length <= FULL) && !files.short.contains(&last.id) => last,
            last => {
                let id = last.map_or(1, |last| last.id + 1);
                let extent = self.extent(id)?;
                // A sync of the file does not include its name.
                self.folder.sync()?;
                files.by_id.insert(id, extent.clone());
                files.end = 0;
                extent
            }
        };
        let start = files.end;
        files.end += length;
        // Under the lock, so that this extent is never seen without live contents after a later one exists.
        extent.live.fetch_add(length, Ordering::SeqCst);
        Ok((extent, start))
    }

    /// Returns the slice that a record names; records of the same bytes share it. May be called until [`Extents::settle`], which reports
    /// missing slices.
    ///
    /// # Errors
    /// Those of the system; InvalidData if the file is missing or empty and no loss of power can be the cause. Nothing is freed then.
    pub fn slice(self: &Arc<Self>, place: ExtentRange) -> io::Result<Arc<ExtentSlice>> {
        let mut files = self.files.lock();
        if let Some(slice) = files.shared.get(&(place.extent, place.start)).and_then(Weak::upgrade) {
            return Ok(slice);
        }
        let extent = match files.by_id.get(&place.extent) {
            Some(extent) if extent.found > 0 || !self.sure || place.length == 0 => extent.clone(),
            found if self.sure && place.length > 0 => {
                self.stop();
                let state = if found.is_some() { "empty" } else { "missing" };
                let reason =
                    format!("{} is {state}, and records name contents in it: put the whole file back", name(place.extent));
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            _ => {
                let extent = self.extent(place.extent)?;
                files.by_id.insert(place.extent, extent.clone());
                extent
            }
        };
        let end = place.start.saturating_add(u64::from(place.length));
        if end > extent.found {
            files.missing += 1;
            if files.short.insert(place.extent) && extent.found == 0 && !self.medium.is_read_only() {
                // The loss is reported once. With this byte the next start does not refuse the file as one that somebody emptied.
                extent.file.set_len(1)?;
            }
        }
        if files.by_id.last_key_value().is_some_and(|(last, _)| *last == place.extent) {
            files.end = files.end.max(end);
        }
        extent.live.fetch_add(u64::from(place.length), Ordering::SeqCst);
        let slice = Arc::new(ExtentSlice { extents: self.clone(), extent, place });
        files.shared.insert((place.extent, place.start), Arc::downgrade(&slice));
        Ok(slice)
    }

    fn extent(&self, id: u32) -> io::Result<Arc<Extent>> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", name(id)));
        let file = self.medium.open(&self.folder.file(&name(id))).map_err(named)?;
        let found = file.metadata()?.len();
        Ok(Arc::new(Extent::new(id, file, found)))
    }

    /// Ends the reading of records: contents that no record names are freed. Reports missing slices.
    ///
    /// If it is not sure that all records were read, many unnamed bytes may belong to a missing log, and are retained with a message.
    /// So are any unnamed bytes if the log is known to have lost its end.
    pub fn settle(self: &Arc<Self>, sure: bool, lost: bool) -> ExtentReport {
        let mut messages: Vec<String> = self.missing().into_iter().collect();
        let mut files = self.files.lock();
        let mut live: BTreeMap<u32, Vec<(u64, Arc<ExtentSlice>)>> = BTreeMap::new();
        for ((extent, start), slice) in std::mem::take(&mut files.shared) {
            if let Some(slice) = slice.upgrade() {
                live.entry(extent).or_default().push((start, slice));
            }
        }
        let (end, extents) = (files.end, files.by_id.values().cloned().collect::<Vec<_>>());
        let last = extents.last().map(|last| last.id);
        drop(files);
        let named: u64 = live.values().flatten().map(|(_, slice)| u64::from(slice.place.length)).sum();
        let held: u64 = extents.iter().filter_map(|extent| allocated_size(&extent.file).ok()).sum();
        let unnamed = held.saturating_sub(named);
        let many = unnamed > named && (unnamed > FEW || named == 0);
        if !sure && unnamed > 0 && (many || lost) {
            messages.push(format!(
                "the extents hold {} of contents that no record names, and records name {}; as a log may be missing, they are kept. If \
                 there is one that belongs here, stop the server and put it back",
                size(unnamed),
                size(named)
            ));
            self.retain_all();
            return ExtentReport { messages, retained: true };
        }
        if self.is_stopped() {
            return ExtentReport { messages, retained: false };
        }
        let mut unnamed = Vec::new();
        for extent in extents {
            let mut slices = live.remove(&extent.id).unwrap_or_default();
            slices.sort_unstable_by_key(|(start, _)| *start);
            let sampled = [0, slices.len() / 2, slices.len().saturating_sub(1)];
            let sampled = sampled.iter().filter_map(|at| slices.get(*at)).map(|(_, slice)| Arc::downgrade(slice));
            self.sample.lock().extend(sampled);
            let length = if Some(extent.id) == last { end } else { extent.file.metadata().map_or(0, |metadata| metadata.len()) };
            let mut at = 0;
            let places = slices.iter().map(|(start, slice)| (*start, u64::from(slice.place.length)));
            for (start, length) in places.chain([(length, 0)]) {
                if start > at {
                    let length = start - at;
                    extent.live.fetch_add(length, Ordering::SeqCst);
                    unnamed.push(Freed { extent: extent.clone(), start: at, length });
                }
                at = at.max(start + length);
            }
        }
        self.pending.begin(unnamed);
        ExtentReport { messages, retained: false }
    }

    /// Reports missing slices.
    fn missing(&self) -> Option<String> {
        let files = self.files.lock();
        let missing = files.missing;
        let names = files.short.iter().map(|id| name(*id)).collect::<Vec<_>>().join(", ");
        drop(files);
        if missing == 0 {
            return None;
        }
        // Records that name missing bytes may belong to other extents.
        self.stop();
        Some(format!(
            "{missing} pieces of content are not there, as after a loss of power: reading them will fail ({names}). No space is reclaimed \
             while records name them"
        ))
    }

    /// Ends the reading of records if not all were read: unnamed contents are never freed. Reports missing slices.
    pub fn retain_all(&self) -> Option<String> {
        let missing = self.missing();
        let mut files = self.files.lock();
        files.shared.clear();
        files.by_id.values().for_each(|extent| _ = extent.live.fetch_add(1, Ordering::SeqCst));
        missing
    }

    /// Returns the slices that records named so far, and how many bytes the extents have besides. May be called until
    /// [`Extents::settle`].
    pub fn named(&self) -> (Vec<Arc<ExtentSlice>>, u64) {
        let files = self.files.lock();
        let slices: Vec<_> = files.shared.values().filter_map(Weak::upgrade).collect();
        let held: u64 = files.by_id.values().filter_map(|extent| allocated_size(&extent.file).ok()).sum();
        let named: u64 = slices.iter().map(|slice| u64::from(slice.place.length)).sum();
        (slices, held.saturating_sub(named))
    }

    /// Makes all bytes survive a loss of power.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync(&self) -> io::Result<()> {
        let dirty: Vec<_> =
            self.files.lock().by_id.values().filter(|extent| extent.dirty.load(Ordering::SeqCst)).cloned().collect();
        for extent in dirty {
            extent.dirty.store(false, Ordering::SeqCst);
            self.medium.sync(&extent.file).inspect_err(|_| extent.dirty.store(true, Ordering::SeqCst))?;
        }
        Ok(())
    }

    /// What the extents hold at this moment.
    pub fn usage(&self) -> ExtentUsage {
        let files = self.files.lock();
        let live = files.by_id.values().map(|extent| extent.live.load(Ordering::SeqCst)).sum();
        ExtentUsage { extents: files.by_id.len(), live, waiting: self.pending.len() }
    }

    pub(super) fn pending(&self) -> &Pending {
        &self.pending
    }

    /// Removes and returns the contents to check before anything is freed.
    pub(super) fn take_sample(&self) -> impl Iterator<Item = Arc<ExtentSlice>> + use<> {
        std::mem::take(&mut *self.sample.lock()).into_iter().filter_map(|slice| slice.upgrade())
    }

    /// Removes the file of an extent that has no live contents and gets no new ones. Returns true if it did.
    pub(super) fn remove_if_dead(&self, extent: &Extent) -> bool {
        let mut files = self.files.lock();
        let is_last = files.by_id.last_key_value().is_some_and(|(id, _)| *id == extent.id);
        if is_last || extent.live.load(Ordering::SeqCst) > 0 || !files.by_id.contains_key(&extent.id) {
            return false;
        }
        // If this fails, the next start tries again: no record names anything in the file.
        let _ = std::fs::remove_file(self.folder.file(&name(extent.id)));
        files.by_id.remove(&extent.id);
        true
    }
}
