//! A folder for a test's files, which is deleted when the test ends.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

static MADE: AtomicU32 = AtomicU32::new(0);

/// A folder that does not exist yet.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lazuli-it-{}-{number}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&path);
        Scratch(path)
    }

    /// Its path as an argument.
    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The disk space of its files, in bytes. Only Linux frees some of a file's.
    #[cfg(target_os = "linux")]
    pub fn room(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().metadata().unwrap().blocks() * 512).sum()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
