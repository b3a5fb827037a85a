//! Parquet files as lines of JSON, one for each row, so that they are queried as JSON is.
//!
//! The directory of a file is at its end, so the file is read by offsets and not from start to end.

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use ::parquet::record::reader::RowIter;
use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Reads bytes of a blob by offset and length, fewer only at its end; `None` if they cannot be read.
pub type Window = Box<dyn Fn(u64, u64) -> Option<Bytes> + Send + Sync>;

/// An invalid line, which ends a query as an unreadable row does.
const INVALID_LINE: Bytes = Bytes::from_static(b"!");

/// The rows of a file, each as a JSON object and a line feed.
pub struct Lines {
    rows: Option<RowIter<'static>>,
    failed: bool,
}

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("failed", &self.failed).finish_non_exhaustive()
    }
}

impl Lines {
    /// The rows of a file of this size in bytes.
    pub fn new(size: u64, window: Window) -> Lines {
        let rows = guarded(|| {
            let reader = SerializedFileReader::new(File { size, window })?;
            // This reads the directory; the rows are read group by group.
            reader.metadata();
            Ok(RowIter::from_file_into(Box::new(reader)))
        });
        Lines { failed: rows.is_none(), rows }
    }
}

impl Iterator for Lines {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.failed) {
            self.rows = None;
            return Some(INVALID_LINE);
        }
        let rows = self.rows.as_mut()?;
        match guarded(|| rows.next().transpose()) {
            Some(Some(row)) => Some(format!("{}\n", row.to_json_value()).into()),
            Some(None) => None,
            None => {
                self.rows = None;
                Some(INVALID_LINE)
            }
        }
    }
}

/// The result of `read`, or `None` if it panics. The library panics on some invalid files, which must not end the task of the server.
fn guarded<T>(read: impl FnOnce() -> Result<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok()?.ok()
}

/// A blob as a file of the library.
struct File {
    size: u64,
    window: Window,
}

impl Length for File {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for File {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        // The library reads the short headers of pages in this way, and everything larger by its length.
        let bytes = (self.window)(start, AHEAD.min(self.size.saturating_sub(start)));
        bytes.map(Buf::reader).ok_or_else(|| ParquetError::EOF("the bytes cannot be read".into()))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.size);
        let bytes = end.and_then(|_| (self.window)(start, length as u64)).filter(|bytes| bytes.len() == length);
        bytes.ok_or_else(|| ParquetError::EOF("the file ends before its content".into()))
    }
}

/// The bytes that are read if the library does not request a number of bytes.
const AHEAD: u64 = 1 << 20;
