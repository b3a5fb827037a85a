//! Returns the space of freed ranges to the system, on its own thread and after the writer was answered, so that no writer waits for it.
//!
//! The system makes one hole in a file at a time, and blocks writes to that file meanwhile. So ranges wait a moment for adjacent ones
//! and become one hole, a file without live contents is removed instead, and short ranges wait until nobody writes. What was not
//! returned when the server ends is found by the next start, which begins with the largest ranges and skips existing holes, so that
//! even runs that are killed early make progress.
//!
//! A start first reads a sample of the contents that records name, in every file. If one is not what was written, records and files
//! may not belong together, and nothing is returned.

use crate::store::disk::extent::{Extent, Freed};
use crate::store::disk::extents::Extents;
use crate::store::disk::medium::{data_ranges, punch_hole};
use crate::store::disk::ranges::Ranges;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Holes consist of blocks of this many bytes.
const BLOCK: u64 = 4096;
/// How long a range waits for adjacent ones.
const GATHER: Duration = Duration::from_millis(250);
/// The least number of bytes of a range that is returned while the server writes.
const WORTH: u64 = 32 << 10;
/// The largest hole, in bytes, that is made at once: a writer of the same file waits for it.
const SLICE: u64 = 16 << 20;
/// How many holes are made before a pause, while the server writes.
const BURST: usize = 16;
/// The length of that pause.
const PAUSE: Duration = Duration::from_millis(20);

/// The thread that returns space. Dropping this ends it.
#[derive(Debug)]
pub struct Reclaiming {
    extents: Arc<Extents>,
    thread: Option<JoinHandle<()>>,
}

impl Reclaiming {
    /// Starts the thread.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(extents: Arc<Extents>) -> io::Result<Reclaiming> {
        let of = extents.clone();
        let thread = std::thread::Builder::new().name("lazuli-reclaim".to_owned()).spawn(move || _ = run(&of))?;
        Ok(Reclaiming { extents, thread: Some(thread) })
    }
}

impl Drop for Reclaiming {
    fn drop(&mut self) {
        self.extents.pending().stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The dead ranges that are not yet returned, by the id of their extent.
type Due = BTreeMap<u32, (Arc<Extent>, Ranges)>;

fn due_of<'a>(due: &'a mut Due, extent: &Arc<Extent>) -> &'a mut Ranges {
    &mut due.entry(extent.id).or_insert_with(|| (extent.clone(), Ranges::default())).1
}

/// Runs until the server stops or the contents are found to be wrong, which is `None` here and below.
fn run(extents: &Extents) -> Option<()> {
    let pending = extents.pending();
    let mut due = Due::new();
    loop {
        if due.is_empty() {
            pending.wait()?;
        }
        let mut busy = false;
        match pending.take_unnamed() {
            // These are already joined, and the server does not write yet.
            Some(unnamed) => begin(extents, &mut due, unnamed)?,
            None => {
                let before = pending.durable();
                busy = pending.pause(GATHER)? != before;
                for Freed { extent, start, length } in pending.take() {
                    extent.free(start, length);
                    due_of(&mut due, &extent).add(start, start + length);
                }
            }
        }
        if extents.is_stopped() {
            return None;
        }
        due.retain(|_, (extent, _)| !extents.remove_if_dead(extent));
        make_holes(extents, &mut due, busy)?;
    }
}

/// Makes the ranges that a start found due, except existing holes.
fn begin(extents: &Extents, due: &mut Due, unnamed: Vec<Freed>) -> Option<()> {
    for slice in extents.take_sample() {
        if extents.pending().is_stopped() || slice.read().is_err() {
            return None;
        }
    }
    for Freed { extent, start, length } in unnamed {
        let end = start + length;
        extent.free(start, length);
        // An entry without ranges, so that a dead file is removed even if it has nothing but holes.
        let ranges = due_of(due, &extent);
        for (low, high) in data_ranges(&extent.file, start, end) {
            if blocks(&extent, low, high).is_some() {
                ranges.add(low, high);
            }
        }
    }
    Some(())
}

/// Makes holes, the largest first: of all ranges, or only of the long ones while the server writes.
fn make_holes(extents: &Extents, due: &mut Due, mut busy: bool) -> Option<()> {
    let pending = extents.pending();
    let least = if busy { WORTH } else { 0 };
    let mut work: Vec<(u64, u64, Arc<Extent>)> = due
        .values_mut()
        .flat_map(|(extent, ranges)| ranges.take(least).into_iter().map(|(low, high)| (low, high, extent.clone())))
        .collect();
    work.sort_by_key(|(low, high, _)| high - low);
    let (mut made, mut durable) = (0, pending.durable());
    while let Some((low, high, extent)) = work.pop() {
        if busy && high - low < WORTH {
            // The server has begun to write since.
            due_of(due, &extent).add(low, high);
            continue;
        }
        let until = high.min(low + SLICE);
        if let Some((low, high)) = blocks(&extent, low, until) {
            punch_hole(&extent.file, low, high - low);
            made += 1;
        }
        if until < high {
            work.push((until, high, extent));
        }
        if extents.is_stopped() || pending.is_stopped() {
            return None;
        }
        if made == BURST {
            made = 0;
            if busy {
                pending.pause(PAUSE)?;
            }
            let now = pending.durable();
            busy = now != durable;
            durable = now;
        }
    }
    due.retain(|_, (_, ranges)| !ranges.is_empty());
    Some(())
}

/// The blocks that a dead range touches, except those that it shares with something alive: their start and end.
fn blocks(extent: &Extent, start: u64, end: u64) -> Option<(u64, u64)> {
    let (first, last) = extent.dead().around(start).unwrap_or((start, end));
    let low = (start / BLOCK * BLOCK).max(first.next_multiple_of(BLOCK));
    let high = end.next_multiple_of(BLOCK).min(last / BLOCK * BLOCK);
    (low < high).then_some((low, high))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn holes_are_skipped() {
        let path = std::env::temp_dir().join(format!("lazuli-{}-holes", std::process::id()));
        let file = crate::store::disk::medium::Medium::default().open(&path).unwrap();
        file.set_len(0).unwrap();
        let medium = crate::store::disk::medium::Medium::default();
        medium.write_at(&file, &vec![7; 1 << 20], 0).unwrap();
        assert_eq!(data_ranges(&file, 100, 1 << 20), [(100, 1 << 20)]);
        punch_hole(&file, 256 << 10, 512 << 10);
        assert_eq!(data_ranges(&file, 100, 1 << 20), [(100, 256 << 10), (768 << 10, 1 << 20)]);
        assert_eq!(data_ranges(&file, 256 << 10, 768 << 10), []);
        assert_eq!(data_ranges(&file, 1 << 20, 2 << 20), [], "there is nothing past the end");
        std::fs::remove_file(path).unwrap();
    }
}
