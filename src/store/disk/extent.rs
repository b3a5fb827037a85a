//! One extent: a file with contents.

use crate::store::disk::ranges::Ranges;
use parking_lot::{Mutex, MutexGuard};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// One file with contents.
#[derive(Debug)]
pub struct Extent {
    pub(super) id: u32,
    pub(super) file: File,
    /// How many bytes it had when it was opened.
    pub(super) found: u64,
    /// Whether it may have bytes that are not synced. A previous server may have left some.
    pub(super) dirty: AtomicBool,
    /// How many bytes are referenced.
    pub(super) live: AtomicU64,
    /// The ranges that are not referenced.
    dead: Mutex<Ranges>,
}

impl Extent {
    pub fn new(id: u32, file: File, found: u64) -> Extent {
        Extent { id, file, found, dirty: AtomicBool::new(true), live: AtomicU64::new(0), dead: Mutex::default() }
    }

    /// Marks a range as no longer referenced.
    pub fn free(&self, start: u64, length: u64) {
        self.live.fetch_sub(length, Ordering::SeqCst);
        self.dead.lock().add(start, start + length);
    }

    /// The ranges that are not referenced.
    pub fn dead(&self) -> MutexGuard<'_, Ranges> {
        self.dead.lock()
    }
}

/// A range of an extent that nothing in memory references.
#[derive(Debug)]
pub struct Freed {
    pub extent: Arc<Extent>,
    pub start: u64,
    pub length: u64,
}
