//! Freed ranges that are not yet returned to the system.

use crate::store::disk::extent::Freed;
use parking_lot::{Condvar, Mutex};
use std::time::Duration;

/// What the reclaiming thread has to do.
#[derive(Debug, Default)]
pub struct Pending {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The ranges that a start found without a record that names them.
    unnamed: Option<Vec<Freed>>,
    /// Each range, and the frame of the log after which nothing on disk references it.
    freed: Vec<(u64, Freed)>,
    /// The number of the last durable frame.
    durable: u64,
    stop: bool,
}

impl State {
    fn is_ready(&self) -> bool {
        // Frames become durable in order, so if the first is not, none is.
        self.unnamed.is_some() || self.freed.first().is_some_and(|(after, _)| *after <= self.durable)
    }
}

impl Pending {
    /// Adds a range, and the number of the last frame that was appended to the log before it was freed.
    pub fn add(&self, after: u64, freed: Freed) {
        let mut state = self.state.lock();
        let first = state.freed.is_empty();
        state.freed.push((after, freed));
        drop(state);
        if first {
            self.wake.notify_one();
        }
    }

    /// Adds the ranges that a start found.
    pub fn begin(&self, unnamed: Vec<Freed>) {
        self.state.lock().unnamed = Some(unnamed);
        self.wake.notify_one();
    }

    /// Sets the number of the last durable frame.
    pub fn set_durable(&self, frame: u64) {
        let mut state = self.state.lock();
        state.durable = frame;
        if state.is_ready() {
            self.wake.notify_one();
        }
    }

    /// The number of the last durable frame.
    pub fn durable(&self) -> u64 {
        self.state.lock().durable
    }

    /// The number of ranges that wait.
    pub fn len(&self) -> usize {
        self.state.lock().freed.len()
    }

    pub fn is_stopped(&self) -> bool {
        self.state.lock().stop
    }

    pub fn stop(&self) {
        self.state.lock().stop = true;
        self.wake.notify_one();
    }

    /// Waits for a duration. Returns the number of the last durable frame, or `None` if the server stops.
    pub fn pause(&self, duration: Duration) -> Option<u64> {
        let mut state = self.state.lock();
        self.wake.wait_while_for(&mut state, |state| !state.stop, duration);
        (!state.stop).then_some(state.durable)
    }

    /// Waits until there is something to return. `None` if the server stops.
    pub fn wait(&self) -> Option<()> {
        let mut state = self.state.lock();
        while !state.stop && !state.is_ready() {
            self.wake.wait(&mut state);
        }
        (!state.stop).then_some(())
    }

    /// Removes and returns the ranges that a start found.
    pub fn take_unnamed(&self) -> Option<Vec<Freed>> {
        self.state.lock().unnamed.take()
    }

    /// Removes and returns the ranges that nothing on disk references.
    pub fn take(&self) -> Vec<Freed> {
        let (all, durable) = {
            let mut state = self.state.lock();
            (std::mem::take(&mut state.freed), state.durable)
        };
        let (ready, mut waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(|(after, _)| *after <= durable);
        if !waiting.is_empty() {
            let mut state = self.state.lock();
            waiting.append(&mut state.freed);
            state.freed = waiting;
        }
        ready.into_iter().map(|(_, freed)| freed).collect()
    }
}
