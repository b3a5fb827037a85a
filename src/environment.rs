//! The only sources of time and chance: a clock and a maker of ids, real or set by hand.
//!
//! Everything that expires (leases, signatures, uncommitted blocks) is looked at with a `now` that was read here once, when the
//! request came in. Moving the clock on therefore moves everything that expires, and a test never waits.

use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The clock and the dice of one server.
#[derive(Debug)]
pub struct Environment {
    manual_start: Option<Timestamp>,
    moved_ticks: AtomicU64,
    rng: AtomicU64,
}

impl Environment {
    /// The machine's clock, and ids that nobody can foresee.
    pub fn real() -> Environment {
        Environment {
            manual_start: None,
            moved_ticks: AtomicU64::new(0),
            rng: AtomicU64::new(RandomState::new().hash_one("lazuli")),
        }
    }

    /// A clock that stands still until it is moved, and ids that follow from a seed.
    pub fn manual(start: Timestamp, seed: u64) -> Environment {
        Environment { manual_start: Some(start), moved_ticks: AtomicU64::new(0), rng: AtomicU64::new(seed) }
    }

    /// The server's time: the machine's, or the hand-set one, and by how much it was moved on.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_ticks(self.machine().ticks().saturating_add(self.moved_ticks.load(Ordering::Relaxed)))
    }

    /// The time without what [`World::advance`] added. Senders of signed requests date them by this clock, which nobody moved, or by
    /// [`World::now`], which answers tell them: either will do.
    pub fn machine(&self) -> Timestamp {
        self.manual_start.unwrap_or_else(machine_time)
    }

    /// Moves the server's time on.
    pub fn advance(&self, seconds: u64) {
        let ticks = seconds.saturating_mul(TICKS_PER_SECOND);
        let added = self.moved_ticks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |moved| moved.checked_add(ticks));
        debug_assert!(added.is_ok(), "a clock moved past the end of time stays where it is");
    }

    /// Puts the server's time back to the machine's, or to the hand-set one.
    pub fn put_back(&self) {
        self.moved_ticks.store(0, Ordering::Relaxed);
    }

    /// Sixteen bytes that no other call gets: a request's id, a lease's id, a copy's id.
    pub fn id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        let (high, low) = id.split_at_mut(8);
        high.copy_from_slice(&self.roll().to_le_bytes());
        low.copy_from_slice(&self.roll().to_le_bytes());
        *uuid::Builder::from_random_bytes(id).as_uuid().as_bytes()
    }

    /// The next number of the SplitMix64 sequence.
    fn roll(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.rng.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the room that owns the clock")]
fn machine_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix(since.as_secs() as i64, since.subsec_nanos() / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_set_clock_moves_only_when_moved() {
        let environment = Environment::manual(Timestamp::from_unix(1_000, 0), 7);
        assert_eq!(environment.now(), environment.now());
        environment.advance(15);
        assert_eq!(environment.now(), Timestamp::from_unix(1_015, 0));
        assert_eq!(environment.machine(), Timestamp::from_unix(1_000, 0));
        environment.put_back();
        assert_eq!(environment.now(), Timestamp::from_unix(1_000, 0));
    }

    #[test]
    fn ids_follow_from_the_seed_and_never_repeat() {
        let (a, b) = (Environment::manual(Timestamp::default(), 7), Environment::manual(Timestamp::default(), 7));
        let ids: Vec<_> = (0..1000).map(|_| a.id()).collect();
        assert!(ids.iter().all(|id| *id == b.id()));
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        assert!(ids.iter().all(|id| id[6] >> 4 == 4), "version 4");
    }
}
