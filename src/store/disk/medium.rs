//! Files, and the only place where the server writes to them.
//!
//! A medium can be given a budget of bytes or of writes. When it is used up, the write that went over it stops in its middle and every
//! later one fails, as on a full disk, or on one that lost its power: so tests stop a disk anywhere in a run and look at what is left.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// What files are written to.
#[derive(Debug)]
pub struct Medium {
    /// How many bytes may still be written.
    budget: AtomicU64,
    /// How many whole writes may still be made.
    writes: AtomicU64,
    /// Whether files are only looked at.
    read_only: bool,
}

impl Default for Medium {
    fn default() -> Medium {
        Medium { budget: AtomicU64::new(u64::MAX), writes: AtomicU64::new(u64::MAX), read_only: false }
    }
}

impl Medium {
    /// A medium that nothing is written to.
    pub fn read_only() -> Medium {
        Medium { read_only: true, ..Medium::default() }
    }

    /// Whether files are only looked at.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// From now on only so many bytes can be written.
    pub fn limit(&self, bytes: u64) {
        self.budget.store(bytes, Ordering::SeqCst);
    }

    /// From now on only so many writes can be made, and half of the next.
    pub fn limit_writes(&self, writes: u64) {
        self.writes.store(writes, Ordering::SeqCst);
    }

    /// Opens a file to read and write, and makes it if it is not there, unless files are only looked at.
    ///
    /// # Errors
    /// As the system says.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let write = !self.read_only;
        OpenOptions::new().read(true).write(write).create(write).truncate(false).open(path)
    }

    /// Writes these bytes at a place of a file.
    ///
    /// # Errors
    /// As the system says, or StorageFull at the end of the budget; a part may have been written.
    pub fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        let granted = self.take(bytes.len() as u64);
        write_at(file, &bytes[..granted as usize], at)?;
        if granted < bytes.len() as u64 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    /// Writes over what a file has at a place. That takes no room, so it is not counted; but what stopped has stopped.
    ///
    /// # Errors
    /// As the system says, or StorageFull at the end of the budget.
    pub fn rewrite_at(&self, file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
        if self.budget.load(Ordering::SeqCst) == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        write_at(file, bytes, at)
    }

    /// Makes what was written to a file safe from a loss of power.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync(&self, file: &File) -> io::Result<()> {
        if self.budget.load(Ordering::SeqCst) == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.sync_data()
    }

    fn take(&self, wanted: u64) -> u64 {
        if spend(&self.writes, 1) == 0 {
            self.budget.store(0, Ordering::SeqCst);
            return wanted / 2;
        }
        spend(&self.budget, wanted)
    }
}

/// Takes as much of a budget as there is, up to what is wanted.
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

/// Reads exactly so many bytes from a place of a file.
///
/// # Errors
/// As the system says; UnexpectedEof past the end.
#[cfg(unix)]
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads exactly so many bytes from a place of a file.
///
/// # Errors
/// As the system says; UnexpectedEof past the end.
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

/// Makes a range of a file a hole. Where the system cannot, the bytes stay until the whole file goes.
#[cfg(target_os = "linux")]
pub fn punch(file: &File, start: u64, length: u64) {
    use rustix::fs::{FallocateFlags, fallocate};
    let _ = fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, start, length);
}

/// The parts of a range of a file that are no holes: the first byte of each, and the byte behind its last. The whole range where the
/// system does not say.
#[cfg(target_os = "linux")]
pub fn data(file: &File, start: u64, end: u64) -> Vec<(u64, u64)> {
    use rustix::fs::{SeekFrom, seek};
    use rustix::io::Errno;
    let (mut parts, mut at) = (Vec::new(), start);
    while at < end {
        let found = match seek(file, SeekFrom::Data(at)) {
            Ok(low) => seek(file, SeekFrom::Hole(low)).map(|high| (low, high.min(end))),
            // There is nothing behind.
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

/// Where the system makes no holes, there are none.
#[cfg(not(target_os = "linux"))]
pub fn data(_: &File, start: u64, end: u64) -> Vec<(u64, u64)> {
    vec![(start, end)]
}

/// Where the system makes no holes, the bytes stay until the whole file goes.
#[cfg(not(target_os = "linux"))]
pub fn punch(_: &File, _: u64, _: u64) {}

/// How many bytes a file takes on the disk, without its holes, as far as the system says.
///
/// # Errors
/// As the system says.
pub fn taken(file: &File) -> io::Result<u64> {
    let about = file.metadata()?;
    #[cfg(unix)]
    let taken = std::os::unix::fs::MetadataExt::blocks(&about) * 512;
    #[cfg(not(unix))]
    let taken = about.len();
    Ok(taken.min(about.len()))
}
