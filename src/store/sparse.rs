//! Bytes with holes: the content of a page blob or a file.
//!
//! A hole was never written or was cleared; it uses no memory and reads as zeros. Written runs share their chunks with every copy and
//! snapshot of the content, and have the time of their writing, so that states are compared by runs and not by bytes.

use crate::rules::time::Timestamp;
use crate::store::Store;
use crate::store::chunk::{Chunk, ZEROS};
use crate::store::cleared_ranges::Marks;
use crate::store::content::{CHUNK, Content, Slices};
use imbl::OrdMap;
use std::io;
use std::ops::Range;

/// A content with holes. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Sparse {
    size: u64,
    /// Written runs by their start: not empty, not overlapping, all below `size`.
    pub(super) runs: OrdMap<u64, Run>,
    /// The ranges that [`Sparse::clear_at`] cleared and that were not written since.
    cleared: Marks,
}

/// A run of written bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) content: Content,
    pub(super) written: Timestamp,
}

/// A range that changed since an earlier state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Written(Range<u64>),
    Cleared(Range<u64>),
}

impl Change {
    /// The range that was written or cleared.
    pub fn range(&self) -> &Range<u64> {
        match self {
            Change::Written(range) | Change::Cleared(range) => range,
        }
    }
}

impl Sparse {
    /// Creates a content of this many bytes that is one hole.
    pub fn new(size: u64) -> Sparse {
        Sparse { size, runs: OrdMap::new(), cleared: Marks::default() }
    }

    /// The number of bytes, including holes.
    pub fn len(&self) -> u64 {
        self.size
    }

    /// Removes the bytes past a new size, or adds a hole up to it.
    pub fn resize(&mut self, size: u64) {
        if size < self.size {
            self.clear(size..self.size);
            self.cleared.unmark(&(size..u64::MAX));
        }
        self.size = size;
    }

    /// Overwrites a range. Bytes past the size are not written: callers check that before.
    pub fn write(&mut self, start: u64, content: &Content, now: Timestamp) {
        let end = start.saturating_add(content.len()).min(self.size);
        if start >= end {
            return;
        }
        self.clear(start..end);
        self.cleared.unmark(&(start..end));
        self.runs.insert(start, Run { content: content.part(0..end - start), written: now });
    }

    /// Sets the time of writing of all runs.
    pub fn set_written(&mut self, now: Timestamp) {
        self.runs = self.runs.iter().map(|(start, run)| (*start, Run { written: now, ..run.clone() })).collect();
    }

    /// Makes a range a hole and records when: a later comparison reports it as cleared, even if it was a hole before.
    pub fn clear_at(&mut self, range: Range<u64>, now: Timestamp) {
        let range = range.start..range.end.min(self.size);
        self.clear(range.clone());
        self.cleared.mark(range, now);
    }

    /// The ranges that were cleared by [`Sparse::clear_at`], and when.
    pub fn cleared(&self) -> &Marks {
        &self.cleared
    }

    /// The same content with other ranges recorded as cleared.
    pub fn with_cleared(self, cleared: Marks) -> Sparse {
        Sparse { cleared, ..self }
    }

    /// Makes a range a hole.
    pub fn clear(&mut self, range: Range<u64>) {
        let touched: Vec<(u64, Run)> = self.runs_in(&range).map(|(start, run)| (start, run.clone())).collect();
        for (start, run) in touched {
            self.runs.remove(&start);
            let end = start + run.content.len();
            if start < range.start {
                self.runs.insert(start, Run { content: run.content.part(0..range.start - start), written: run.written });
            }
            if end > range.end {
                let content = run.content.part(range.end - start..end - start);
                self.runs.insert(range.end, Run { content, written: run.written });
            }
        }
    }

    /// The written ranges in `range`, cut to it. Adjacent ranges are joined.
    pub fn written(&self, range: Range<u64>) -> Vec<Range<u64>> {
        joined(self.runs_in(&range).map(|(start, run)| cut(start..start + run.content.len(), &range)))
    }

    /// The changes in `range` since an earlier state, in order: ranges that were written after `since`, and holes that were cleared
    /// after it or that the earlier state had written.
    pub fn changes(&self, earlier: &Sparse, since: Timestamp, range: Range<u64>) -> Vec<Change> {
        let fresh = self.runs_in(&range).filter(|(_, run)| run.written > since);
        let fresh = joined(fresh.map(|(start, run)| cut(start..start + run.content.len(), &range)));
        let mut removed = earlier.clone();
        removed.resize(self.size.max(earlier.size));
        self.written(0..self.size).into_iter().for_each(|range| removed.clear(range));
        let mut cleared = Marks::default();
        for range in removed.written(range.clone()).into_iter().chain(self.cleared.since(since, &range)) {
            cleared.mark(range, Timestamp::NEVER);
        }
        let cleared = joined(cleared.iter().map(|(range, _)| range)).into_iter().map(Change::Cleared);
        let mut changes: Vec<Change> = fresh.into_iter().map(Change::Written).chain(cleared).collect();
        changes.sort_by_key(|change| change.range().start);
        changes
    }

    /// The chunks of a range, with zeros for holes. The range ends at the end of the content at the latest.
    pub fn slice(&self, range: Range<u64>) -> SparseSlices {
        SparseSlices { sparse: self.clone(), next: range.start, end: range.end.min(self.size), run: None }
    }

    /// The runs that overlap a range.
    fn runs_in<'a>(&'a self, range: &Range<u64>) -> impl Iterator<Item = (u64, &'a Run)> + use<'a> {
        let (first, last) = (range.start, range.end);
        let before = self.runs.range(..first).next_back().filter(move |(start, run)| **start + run.content.len() > first);
        let inside = (first < last).then(|| self.runs.range(first..last)).into_iter().flatten();
        before.filter(|_| first < last).into_iter().chain(inside).map(|(start, run)| (*start, run))
    }
}

fn cut(range: Range<u64>, to: &Range<u64>) -> Range<u64> {
    range.start.max(to.start)..range.end.min(to.end)
}

/// Joins adjacent ranges of a sorted sequence.
fn joined(ranges: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => all.push(range),
        }
    }
    all
}

/// Builds a content of pages from its bytes in order. Pages of zeros become holes, so that a content with terabytes of them uses little more
/// memory than its other pages.
#[derive(Debug)]
pub struct PageFilling {
    store: Store,
    sparse: Sparse,
    now: Timestamp,
    at: u64,
    open: Vec<u8>,
}

/// A page, in bytes.
const PAGE: usize = 512;

impl PageFilling {
    /// Begins a content of `size` bytes in a store. `now` is the time of writing.
    pub fn new(store: &Store, size: u64, now: Timestamp) -> PageFilling {
        PageFilling { store: store.clone(), sparse: Sparse::new(size), now, at: 0, open: Vec::new() }
    }

    /// Appends bytes. Those past the size are not written.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn push(&mut self, mut frame: &[u8]) -> io::Result<()> {
        while !frame.is_empty() {
            let (now, later) = frame.split_at(frame.len().min(CHUNK - self.open.len()));
            self.open.extend_from_slice(now);
            frame = later;
            if self.open.len() == CHUNK {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Returns the content.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn finish(mut self) -> io::Result<Sparse> {
        self.flush()?;
        Ok(self.sparse)
    }

    /// Writes the buffered pages that are not zeros, each run of them in its own chunk.
    fn flush(&mut self) -> io::Result<()> {
        let mut at = self.at;
        for run in self.open.chunks(PAGE).collect::<Vec<_>>().chunk_by(|a, b| blank(a) == blank(b)) {
            let length: usize = run.iter().map(|page| page.len()).sum();
            if run.first().is_some_and(|page| !blank(page)) {
                self.sparse.write(at, &Content::from_chunks([self.store.write(run.concat().into())?]), self.now);
            }
            at += length as u64;
        }
        self.at = at;
        self.open.clear();
        Ok(())
    }
}

fn blank(page: &[u8]) -> bool {
    page.iter().all(|byte| *byte == 0)
}

/// The chunks of a part of a sparse content, in order.
#[derive(Clone, Debug)]
pub struct SparseSlices {
    sparse: Sparse,
    next: u64,
    end: u64,
    run: Option<Slices>,
}

impl Iterator for SparseSlices {
    type Item = Chunk;

    fn next(&mut self) -> Option<Chunk> {
        loop {
            if let Some(chunk) = self.run.as_mut().and_then(Iterator::next) {
                self.next += chunk.len() as u64;
                return Some(chunk);
            }
            self.run = None;
            if self.next >= self.end {
                return None;
            }
            let found = self.sparse.runs_in(&(self.next..self.end)).next().map(|(start, run)| (start, run.content.clone()));
            let hole = match found {
                Some((start, content)) if start <= self.next => {
                    self.run = Some(content.slice(self.next - start..self.end - start));
                    continue;
                }
                Some((start, _)) => start - self.next,
                None => self.end - self.next,
            };
            let zeros = u32::try_from(hole).unwrap_or(ZEROS).min(ZEROS);
            self.next += u64::from(zeros);
            return Some(Chunk::Zeros(zeros));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(sparse: &Sparse, range: Range<u64>) -> Vec<u8> {
        sparse.slice(range).flat_map(|chunk| chunk.read().unwrap()).collect()
    }

    #[derive(Clone, Debug)]
    enum Act {
        Write(u64, Vec<u8>),
        Clear(u64, u64),
        Resize(u64),
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            (0u64..60, prop::collection::vec(1u8.., 1..20)).prop_map(|(start, bytes)| Act::Write(start, bytes)),
            (0u64..60, 0u64..20).prop_map(|(start, length)| Act::Clear(start, start + length)),
            (0u64..64).prop_map(Act::Resize),
        ]
    }

    /// The naive content: a byte and the time of its writing, or a hole.
    type Naive = Vec<Option<(u8, u64)>>;

    fn apply(sparse: &mut Sparse, naive: &mut Naive, act: &Act, moment: u64) {
        match act {
            Act::Write(start, bytes) => {
                sparse.write(*start, &Content::from(&bytes[..]), Timestamp::from_ticks(moment));
                for (place, byte) in naive.iter_mut().skip(*start as usize).zip(bytes) {
                    *place = Some((*byte, moment));
                }
            }
            Act::Clear(start, end) => {
                let end = (*end).min(naive.len() as u64);
                sparse.clear(*start..end);
                (*start..end).for_each(|at| naive[at as usize] = None);
            }
            Act::Resize(size) => {
                sparse.resize(*size);
                naive.resize(*size as usize, None);
            }
        }
    }

    #[test]
    fn pages_of_zeros_become_holes() {
        let mut plain = vec![0; 3 * CHUNK + 2 * PAGE];
        for (at, byte) in [(0, 1), (PAGE + 7, 2), (CHUNK - 1, 3), (CHUNK, 4), (3 * CHUNK + PAGE, 5)] {
            plain[at] = byte;
        }
        for frame in [100, 4096, 3 * CHUNK] {
            let mut filling = PageFilling::new(&Store::MEMORY, plain.len() as u64, Timestamp::from_ticks(1));
            plain.chunks(frame).for_each(|piece| filling.push(piece).unwrap());
            let sparse = filling.finish().unwrap();
            assert!(flat(&sparse, 0..sparse.len()) == plain, "in frames of {frame}");
            let (page, chunk) = (PAGE as u64, CHUNK as u64);
            let written = [0..2 * page, chunk - page..chunk + page, 3 * chunk + page..3 * chunk + 2 * page];
            assert_eq!(sparse.written(0..sparse.len()), written);
        }
    }

    proptest! {
        /// After any changes, the content has the same bytes as a flat buffer, and comparing states agrees with the history of each byte.
        #[test]
        fn is_as_a_naive_content(acts in prop::collection::vec(act(), 1..24), split in 0usize..24, cut in (0u64..64, 0u64..64)) {
            let (mut sparse, mut naive) = (Sparse::new(48), vec![None; 48]);
            let mut earlier = (sparse.clone(), naive.clone(), 0);
            for (index, act) in acts.iter().enumerate() {
                if index == split {
                    earlier = (sparse.clone(), naive.clone(), index as u64);
                }
                apply(&mut sparse, &mut naive, act, index as u64 + 1);
            }
            let bytes: Vec<u8> = naive.iter().map(|byte| byte.map_or(0, |(byte, _)| byte)).collect();
            prop_assert_eq!(flat(&sparse, 0..u64::MAX), &*bytes);
            let (low, high) = (cut.0.min(sparse.len()), cut.1.min(sparse.len()));
            if low <= high {
                prop_assert_eq!(flat(&sparse, low..high), &bytes[low as usize..high as usize]);
            }
            let written: Vec<u64> = sparse.written(0..sparse.len()).into_iter().flatten().collect();
            let holes_not: Vec<u64> = (0..).zip(&naive).filter(|(_, byte)| byte.is_some()).map(|(at, _)| at).collect();
            prop_assert_eq!(written, holes_not);

            let changes = sparse.changes(&earlier.0, Timestamp::from_ticks(earlier.2), 0..sparse.len());
            for (at, now) in (0u64..).zip(&naive) {
                let was = earlier.1.get(at as usize).copied().flatten();
                let found = changes.iter().find(|change| matches!(change, Change::Written(range) | Change::Cleared(range) if range.contains(&at)));
                let expected_written = now.is_some_and(|(_, moment)| moment > earlier.2);
                let expected_cleared = now.is_none() && was.is_some();
                prop_assert_eq!(matches!(found, Some(Change::Written(_))), expected_written, "byte {}", at);
                prop_assert_eq!(matches!(found, Some(Change::Cleared(_))), expected_cleared, "byte {}", at);
            }
        }
    }

    #[test]
    fn a_cleared_range_is_reported_even_if_it_was_a_hole_before() {
        use Change::{Cleared, Written};
        let at = Timestamp::from_ticks;
        let mut sparse = Sparse::new(40);
        sparse.clear_at(0..10, at(1));
        let earlier = sparse.clone();
        sparse.write(10, &Content::from(&b"0123456789"[..]), at(3));
        sparse.clear_at(12..14, at(4));
        sparse.clear_at(14..16, at(5));
        sparse.clear_at(30..50, at(6));
        let changes = |sparse: &Sparse| sparse.changes(&earlier, at(2), 0..40);
        assert_eq!(changes(&sparse), [Written(10..12), Cleared(12..16), Written(16..20), Cleared(30..40)]);
        sparse.write(13, &Content::from(&b"x"[..]), at(7));
        assert_eq!(changes(&sparse)[1..4], [Cleared(12..13), Written(13..14), Cleared(14..16)]);
        sparse.resize(35);
        sparse.resize(40);
        assert_eq!(changes(&sparse).last(), Some(&Cleared(30..35)));
        assert_eq!(sparse.changes(&earlier, at(5), 0..40), [Written(13..14), Cleared(30..35)]);
    }

    #[test]
    fn a_hole_of_terabytes_costs_nothing() {
        let mut sparse = Sparse::new(8 << 40);
        sparse.write(4 << 40, &Content::from(&b"here"[..]), Timestamp::from_ticks(1));
        assert_eq!(sparse.written(0..sparse.len()), vec![4 << 40..(4 << 40) + 4]);
        assert_eq!(flat(&sparse, (4 << 40) - 2..(4 << 40) + 6), b"\0\0here\0\0");
        assert_eq!(sparse.slice(0..8 << 40).next().unwrap().len(), ZEROS as usize);
    }
}
