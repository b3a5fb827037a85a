//! Giving space back: on a thread of its own, after whoever freed it was answered, so that no writer waits for it.
//!
//! The system makes a hole in a file one at a time, and nobody can write to that file meanwhile. So ranges wait a moment for their
//! neighbours and become one hole; a file that holds nothing any more is removed instead; short ranges wait until nobody writes. What
//! is not given back when the server ends is found by the next start, which begins with the largest ranges and passes over what is a
//! hole already, so that runs that are killed soon give something back, each of them.
//!
//! Before that start frees anything it reads some of the contents that records name, in every file. If one of them is not what was
//! written, records and files may not belong together: then nothing is given back.

use crate::store::disk::extents::{Extent, ExtentSlice, Extents, Freed};
use crate::store::disk::medium::{data, punch};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

/// Holes are made in whole blocks of this many bytes.
const BLOCK: u64 = 4096;
/// How long a range waits for its neighbours.
const GATHER: Duration = Duration::from_millis(250);
/// The least number of bytes that are given back while others write.
const WORTH: u64 = 32 << 10;
/// The largest hole, in bytes, that is made at once: a writer of the same file waits for it.
const SLICE: u64 = 16 << 20;
/// How many holes are made before a moment passes in which none is, while others write.
const BURST: usize = 16;
/// That moment.
const PAUSE: Duration = Duration::from_millis(20);

/// Ranges of a file, neighbours joined: the first byte of each, and the byte behind its last.
#[derive(Debug, Default)]
pub struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a range; gives the whole that it is part of now.
    pub fn add(&mut self, start: u64, end: u64) -> (u64, u64) {
        let (mut low, mut high) = (start, end);
        if let Some((&before, &until)) = self.0.range(..=start).next_back().filter(|(_, until)| **until >= start) {
            self.0.remove(&before);
            (low, high) = (before, high.max(until));
        }
        while let Some((&next, &until)) = self.0.range(low..=high).next() {
            self.0.remove(&next);
            high = high.max(until);
        }
        self.0.insert(low, high);
        (low, high)
    }

    /// The range that holds a byte.
    fn around(&self, at: u64) -> Option<(u64, u64)> {
        self.0.range(..=at).next_back().map(|(low, high)| (*low, *high)).filter(|(_, high)| *high > at)
    }

    /// Takes the ranges of at least so many bytes.
    fn take(&mut self, least: u64) -> Vec<(u64, u64)> {
        let long: Vec<_> = self.0.iter().map(|(low, high)| (*low, *high)).filter(|(low, high)| high - low >= least).collect();
        long.iter().for_each(|(low, _)| _ = self.0.remove(low));
        long
    }
}

/// What became free and is not given back yet.
#[derive(Debug, Default)]
pub struct Pending {
    state: Mutex<State>,
    wake: Condvar,
}

/// What a start found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Ranges that no record names.
    pub(super) unnamed: Vec<Freed>,
    /// Some of the contents that records name, in every file.
    pub(super) sample: Vec<Weak<ExtentSlice>>,
}

#[derive(Debug, Default)]
struct State {
    found: Option<Found>,
    /// What became free, and after which frame of the log nothing on disk refers to it.
    freed: Vec<(u64, Freed)>,
    /// The number of the last frame that is as safe as it gets.
    safe: u64,
    stop: bool,
}

impl State {
    fn is_ready(&self) -> bool {
        // Frames become safe in order, so if not even the first is, the log will say when.
        self.found.is_some() || self.freed.first().is_some_and(|(after, _)| *after <= self.safe)
    }
}

impl Pending {
    /// Notes what nobody in memory refers to any more, and the last frame that was handed to the log before that.
    pub(super) fn add(&self, after: u64, freed: Freed) {
        let mut state = self.state.lock();
        let first = state.freed.is_empty();
        state.freed.push((after, freed));
        drop(state);
        if first {
            self.wake.notify_one();
        }
    }

    /// Notes what a start found.
    pub(super) fn begin(&self, found: Found) {
        self.state.lock().found = Some(found);
        self.wake.notify_one();
    }

    /// Learns that all frames up to this one are as safe as they get. Waits for nothing.
    pub fn safe(&self, frame: u64) {
        let mut state = self.state.lock();
        state.safe = frame;
        if state.is_ready() {
            self.wake.notify_one();
        }
    }

    fn is_stopped(&self) -> bool {
        self.state.lock().stop
    }

    fn stop(&self) {
        self.state.lock().stop = true;
        self.wake.notify_one();
    }

    /// Lets a moment pass, which only the end of the server cuts short. Gives the last frame that is safe then, or nothing at the end.
    fn pause(&self, moment: Duration) -> Option<u64> {
        let mut state = self.state.lock();
        self.wake.wait_while_for(&mut state, |state| !state.stop, moment);
        (!state.stop).then_some(state.safe)
    }

    /// Waits until there is something to give back. Nothing at the end.
    fn wait(&self) -> Option<()> {
        let mut state = self.state.lock();
        while !state.stop && !state.is_ready() {
            self.wake.wait(&mut state);
        }
        (!state.stop).then_some(())
    }

    /// Takes what nothing on disk refers to any more.
    fn take(&self) -> Vec<Freed> {
        let (all, safe) = {
            let mut state = self.state.lock();
            (std::mem::take(&mut state.freed), state.safe)
        };
        let (ready, mut waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(|(after, _)| *after <= safe);
        if !waiting.is_empty() {
            let mut state = self.state.lock();
            waiting.append(&mut state.freed);
            state.freed = waiting;
        }
        ready.into_iter().map(|(_, freed)| freed).collect()
    }
}

/// The thread that gives space back. Dropping this ends it.
#[derive(Debug)]
pub struct Reclaiming {
    extents: Arc<Extents>,
    thread: Option<JoinHandle<()>>,
}

impl Reclaiming {
    /// Starts it.
    ///
    /// # Errors
    /// When no thread can be started.
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

/// What is dead in a file and not given back.
type Due = BTreeMap<u32, (Arc<Extent>, Ranges)>;

fn run(extents: &Extents) -> Option<()> {
    let pending = extents.pending();
    let mut due = Due::new();
    loop {
        if due.is_empty() {
            pending.wait()?;
        }
        let found = pending.state.lock().found.take();
        let mut busy = false;
        match found {
            // Nothing of it has a neighbour to wait for, and nobody writes yet.
            Some(found) => begin(extents, &mut due, found)?,
            None => {
                let before = pending.state.lock().safe;
                busy = pending.pause(GATHER)? != before;
                for Freed { extent, start, length } in pending.take() {
                    extent.forget(start, length);
                    add(&mut due, &extent, start, start + length);
                }
            }
        }
        if extents.is_stopped() {
            return None;
        }
        due.retain(|_, (extent, _)| !extents.remove_if_dead(extent));
        give_back(extents, &mut due, busy)?;
    }
}

/// Takes up what a start found, but for what is a hole already. Nothing when contents are not what records say, or at the end.
fn begin(extents: &Extents, due: &mut Due, found: Found) -> Option<()> {
    for piece in found.sample.iter().filter_map(Weak::upgrade) {
        if extents.pending().is_stopped() || piece.read().is_err() {
            return None;
        }
    }
    for Freed { extent, start, length } in found.unnamed {
        let end = start + length;
        extent.forget(start, length);
        // So that the file is seen to be dead, if it is.
        due.entry(extent.id()).or_insert_with(|| (extent.clone(), Ranges::default()));
        for (low, high) in data(extent.file(), start, end) {
            if blocks(&extent, low, high).is_some() {
                add(due, &extent, low, high);
            }
        }
    }
    Some(())
}

fn add(due: &mut Due, extent: &Arc<Extent>, start: u64, end: u64) {
    due.entry(extent.id()).or_insert_with(|| (extent.clone(), Ranges::default())).1.add(start, end);
}

/// Makes holes, the largest first: of all ranges, or of the long ones while others write. Nothing at the end of the server.
fn give_back(extents: &Extents, due: &mut Due, mut busy: bool) -> Option<()> {
    let pending = extents.pending();
    let least = if busy { WORTH } else { 0 };
    let mut work: Vec<(u64, u64, Arc<Extent>)> = due
        .values_mut()
        .flat_map(|(extent, ranges)| ranges.take(least).into_iter().map(|(low, high)| (low, high, extent.clone())))
        .collect();
    work.sort_by_key(|(low, high, _)| high - low);
    let (mut made, mut safe) = (0, pending.state.lock().safe);
    while let Some((low, high, extent)) = work.pop() {
        if busy && high - low < least.max(WORTH) {
            // Somebody has begun to write: these wait.
            add(due, &extent, low, high);
            continue;
        }
        let until = high.min(low + SLICE);
        if let Some((low, high)) = blocks(&extent, low, until) {
            punch(extent.file(), low, high - low);
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
            let now = pending.state.lock().safe;
            busy = now != safe;
            safe = now;
        }
    }
    due.retain(|_, (_, ranges)| !ranges.0.is_empty());
    Some(())
}

/// The blocks that a dead range touches, but for those that it shares with something alive: the first byte, and that behind the last.
fn blocks(extent: &Extent, start: u64, end: u64) -> Option<(u64, u64)> {
    let (first, last) = extent.dead().around(start).unwrap_or((start, end));
    let low = (start / BLOCK * BLOCK).max(first.next_multiple_of(BLOCK));
    let high = end.next_multiple_of(BLOCK).min(last / BLOCK * BLOCK);
    (low < high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_in_whatever_order_they_come() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 3, 1], [1, 3, 0, 2]] {
            let mut ranges = Ranges::default();
            let mut whole = (0, 0);
            for at in order {
                whole = ranges.add(at * 10, at * 10 + 10);
            }
            assert_eq!((whole, ranges.0.len()), ((0, 40), 1), "{order:?}");
        }
        let mut ranges = Ranges::default();
        ranges.add(0, 10);
        assert_eq!(ranges.add(11, 20), (11, 20), "what has a byte between it stays apart");
        assert_eq!((ranges.around(9), ranges.around(10), ranges.around(19)), (Some((0, 10)), None, Some((11, 20))));
        assert_eq!(ranges.take(10), [(0, 10)]);
        assert_eq!(ranges.take(0), [(11, 20)]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_a_hole_is_passed_over() {
        let path = std::env::temp_dir().join(format!("lazuli-{}-holes", std::process::id()));
        let file = crate::store::disk::medium::Medium::default().open(&path).unwrap();
        file.set_len(0).unwrap();
        let medium = crate::store::disk::medium::Medium::default();
        medium.write_at(&file, &vec![7; 1 << 20], 0).unwrap();
        assert_eq!(data(&file, 100, 1 << 20), [(100, 1 << 20)]);
        punch(&file, 256 << 10, 512 << 10);
        assert_eq!(data(&file, 100, 1 << 20), [(100, 256 << 10), (768 << 10, 1 << 20)]);
        assert_eq!(data(&file, 256 << 10, 768 << 10), []);
        assert_eq!(data(&file, 1 << 20, 2 << 20), [], "behind the end there is nothing");
        std::fs::remove_file(path).unwrap();
    }
}
