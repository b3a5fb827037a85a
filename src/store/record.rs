//! Stored forms of contents: a content is part of its owner's record, and each run of a sparse content is a record, so that writing a
//! page of a blob writes only that page.

use crate::rules::time::Timestamp;
use crate::store::Store;
use crate::store::changes::{Changes, diff};
use crate::store::chunk::{Chunk, ZEROS};
use crate::store::content::Content;
use crate::store::disk::extents::ExtentRange;
use crate::store::records::{CorruptRecord, Records};
use crate::store::sparse::{Run, Sparse};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// The stored form of a content. The version of the record that contains it includes its version.
#[derive(Debug, Serialize, Deserialize)]
pub struct ContentRecord<'a>(#[serde(borrow)] Vec<Part<'a>>);

#[derive(Debug, Serialize, Deserialize)]
enum Part<'a> {
    /// The bytes.
    Here(#[serde(with = "serde_bytes")] &'a [u8]),
    /// A range of a slice of an extent.
    There(ExtentRange, u32, u32),
    /// This many zeros.
    Zeros(u32),
}

impl<'a> From<&'a Content> for ContentRecord<'a> {
    fn from(content: &'a Content) -> ContentRecord<'a> {
        let part = |chunk: &'a Chunk| match chunk {
            Chunk::Memory(bytes) => Part::Here(bytes),
            Chunk::Disk(slice, range) => Part::There(slice.place(), range.start, range.end),
            Chunk::Zeros(count) => Part::Zeros(*count),
        };
        ContentRecord(content.chunks().map(part).collect())
    }
}

impl ContentRecord<'_> {
    /// Restores the content.
    ///
    /// # Errors
    /// When the record is malformed, or its bytes are missing.
    pub fn content(&self, store: &Store) -> Result<Content, CorruptRecord> {
        let chunk = |part: &Part<'_>| match part {
            Part::Here(bytes) => Ok(Chunk::Memory(Bytes::copy_from_slice(bytes))),
            Part::There(place, start, end) if start <= end && *end <= place.length => {
                let disk = store.disk().ok_or_else(|| CorruptRecord("bytes on a disk that is not there".to_owned()))?;
                let slice = disk.extents().slice(*place).map_err(|error| CorruptRecord(error.to_string()))?;
                Ok(Chunk::Disk(slice, *start..*end))
            }
            Part::There(place, start, end) => Err(CorruptRecord(format!("the bytes from {start} to {end} of {}", place.length))),
            Part::Zeros(count) => Ok(Chunk::Zeros((*count).min(ZEROS))),
        };
        Ok(Content::from_chunks(self.0.iter().map(chunk).collect::<Result<Vec<_>, _>>()?))
    }
}

/// The version of [`RunRecord`].
const RUN: u8 = 1;

#[derive(Serialize, Deserialize)]
struct RunRecord<'a> {
    written: u64,
    #[serde(borrow)]
    content: ContentRecord<'a>,
}

impl Sparse {
    /// Writes the changes that lead from one content to another, either of which may be absent: a record for each run, under `key` and
    /// the start of the run.
    pub fn write_changes(before: Option<&Sparse>, after: Option<&Sparse>, key: &[u8], to: &mut Changes<'_>) {
        for (start, _, now) in diff(before.map(|before| &before.runs), after.map(|after| &after.runs)) {
            let key = [key, &start.to_be_bytes()].concat();
            match now {
                Some(run) => to.put(&key, RUN, &RunRecord { written: run.written.ticks(), content: (&run.content).into() }),
                None => to.delete(&key),
            }
        }
    }

    /// Restores a content of `size` bytes from its records under `key`.
    ///
    /// # Errors
    /// When one of its records cannot be read.
    pub fn restore(size: u64, key: &[u8], records: &Records, store: &Store) -> Result<Sparse, CorruptRecord> {
        let mut sparse = Sparse::new(size);
        for (place, record) in records.under(key) {
            // A longer key belongs to another content, whose key begins with this one.
            let Ok(start) = place.try_into().map(u64::from_be_bytes) else { continue };
            let run: RunRecord<'_> = record.read(RUN)?;
            let content = run.content.content(store)?;
            sparse.runs.insert(start, Run { content, written: Timestamp::from_ticks(run.written) });
        }
        Ok(sparse)
    }
}
