//! Access to files. Every write of the server goes through here.
//!
//! A medium can have a budget of bytes or of writes. The write that exceeds it stops in its middle and every later one fails, as on a
//! full disk or after a loss of power: so tests stop a disk at any point and check what is left.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes files, within a budget.
#[derive(Debug)]
pub struct Medium {
    /// How many bytes may still be written.
    budget: AtomicU64,
    /// How many whole writes may still be made.
    writes: AtomicU64,
    /// Whether files are only read.
    read_only: bool,
}

impl Default for Medium {
    fn default() -> Medium {
        Medium { budget: AtomicU64::new(u64::MAX), writes: AtomicU64::new(u64::MAX), read_only: false }
    }
}

impl Medium {
    /// A medium that only reads.
    pub fn read_only() -> Medium {
        Medium { read_only: true, ..Medium::default() }
    }

    /// Returns true if files are only read.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Limits the bytes that can be written from now on.
    #[cfg(test)]
    pub fn limit(&self, bytes: u64) {
        self.budget.store(bytes, Ordering::SeqCst);
    }

    /// Limits the writes from now on. Of the next one, half is written.
    #[cfg(test)]
    pub fn limit_writes(&self, writes: u64) {
        self.writes.store(writes, Ordering::SeqCst);
    }

    /// Opens a file to read and write it, and creates it if it does not exist. A read-only medium does neither.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let write = !self.read_only;
        OpenOptions::new().read(true).write(write).create(write).truncate(false).open(path)
    }

    /// Writes bytes at a position of a file.
    ///
    /// # Errors
    /// Those of the system, or StorageFull at the end of the budget; a part may have been written.
    pub fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        let granted = self.spend(bytes.len() as u64);
        write_at(file, &bytes[..granted as usize], at)?;
        if granted < bytes.len() as u64 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// Overwrites bytes at a position of a file. That needs no space, so it is not counted, but it fails once the budget is used up.
    ///
    /// # Errors
    /// Those of the system, or StorageFull at the end of the budget.
    pub fn rewrite_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        if self.budget.load(Ordering::SeqCst) == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        write_at(file, bytes, at)
    }

    /// Makes the writes to a file survive a loss of power.
    ///
    /// # Errors
    /// Those of the system.
    pub fn sync(&self, file: &File) -> io::Result<()> {
        if self.budget.load(Ordering::SeqCst) == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.sync_data()
    }

    fn spend(&self, wanted: u64) -> u64 {
        if spend(&self.writes, 1) == 0 {
            self.budget.store(0, Ordering::SeqCst);
            return wanted / 2;
        }
        spend(&self.budget, wanted)
    }
}

/// Spends as much of a budget as is left, up to what is wanted.
fn spend(budget: &AtomicU64, wanted: u64) -> u64 {
    let spent = budget.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| match left {
        u64::MAX => None,
        left => Some(left.saturating_sub(wanted)),
    });
    spent.map_or(wanted, |left| left.min(wanted))
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

/// Fills a buffer from a position of a file.
///
/// # Errors
/// Those of the system; UnexpectedEof past the end.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Fills a buffer from a position of a file.
///
/// # Errors
/// Those of the system; UnexpectedEof past the end.
#[cfg(windows)]
pub fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        at += read as u64;
    }
    Ok(())
}

/// Whether this system makes holes in files. Windows, macOS and the BSDs have no safe interface for it here: there, deleted contents
/// keep their space until all of their file is deleted.
pub const MAKES_HOLES: bool = cfg!(target_os = "linux");

/// Makes a range of a file a hole. Systems and file systems that cannot keep the bytes until the file is removed.
#[cfg(target_os = "linux")]
pub fn punch_hole(file: &File, start: u64, length: u64) {
    use rustix::fs::{FallocateFlags, fallocate};
    let _ = fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, start, length);
}

/// The parts of a range of a file that are not holes: their starts and ends. The full range if the system does not report holes.
#[cfg(target_os = "linux")]
pub fn data_ranges(file: &File, start: u64, end: u64) -> Vec<(u64, u64)> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    let (mut parts, mut at) = (Vec::new(), start);
    while at < end {
        let found = match seek(file, SeekFrom::Data(at)) {
            Ok(low) => seek(file, SeekFrom::Hole(low)).map(|high| (low, high.min(end))),
            // There is no data after this position.
            Err(Errno::NXIO) => break,
            Err(error) => Err(error),
        };
        match found {
            Ok((low, high)) if low < high => {
                parts.push((low, high));
                at = high;
            }
            Ok(_) => break,
            Err(_) => return vec![(start, end)],
        }
    }
    parts
}

/// This system has no holes.
#[cfg(not(target_os = "linux"))]
pub fn data_ranges(_: &File, start: u64, end: u64) -> Vec<(u64, u64)> {
    vec![(start, end)]
}

/// This system has no holes: the bytes remain until the file is removed.
#[cfg(not(target_os = "linux"))]
pub fn punch_hole(_: &File, _: u64, _: u64) {}

/// How many bytes of the disk a file uses, without its holes if the system reports them.
///
/// # Errors
/// Those of the system.
pub fn allocated_size(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    #[cfg(unix)]
    let size = std::os::unix::fs::MetadataExt::blocks(&metadata) * 512;
    #[cfg(not(unix))]
    let size = metadata.len();
    Ok(size.min(metadata.len()))
}
