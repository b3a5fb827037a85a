//! The only sources of time and randomness: a clock and a generator of ids, either real or controlled by a test.
//!
//! A request reads the time here once, when it arrives. All expiry (of leases, signatures, uncommitted blocks) is decided by that time,
//! so a test moves the clock instead of waiting.

use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The machine's time, and what [`Emulator::advance`](crate::Emulator::advance) added to it.
    #[default]
    System,
    /// This time until [`Emulator::advance`](crate::Emulator::advance) changes it. The dates of signed requests are compared with it too.
    Manual(SystemTime),
}

/// The nanoseconds of a tick.
const NANOS_PER_TICK: u64 = 100;

/// The clock and the id generator of one server.
#[derive(Debug)]
pub struct Environment {
    manual_start: Option<Timestamp>,
    moved_ticks: AtomicU64,
    rng: AtomicU64,
}

impl Environment {
    /// The machine's clock, and unpredictable ids.
    pub fn real() -> Environment {
        Environment {
            manual_start: None,
            moved_ticks: AtomicU64::new(0),
            rng: AtomicU64::new(RandomState::new().hash_one("lazuli")),
        }
    }

    /// This clock, and ids that are derived from the seed; without a seed they are unpredictable.
    pub fn new(clock: Clock, seed: Option<u64>) -> Environment {
        let manual_start = match clock {
            Clock::System => None,
            Clock::Manual(time) => Some(timestamp(time)),
        };
        let real = Environment::real();
        Environment { manual_start, rng: seed.map_or(real.rng, AtomicU64::new), ..real }
    }

    /// A clock that moves only by [`Environment::advance`], and ids that are derived from a seed.
    #[cfg(test)]
    pub fn manual(start: Timestamp, seed: u64) -> Environment {
        Environment { manual_start: Some(start), moved_ticks: AtomicU64::new(0), rng: AtomicU64::new(seed) }
    }

    /// The server's time: [`Environment::machine`] plus what [`Environment::advance`] added.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_ticks(self.machine().ticks().saturating_add(self.moved_ticks.load(Ordering::Relaxed)))
    }

    /// What [`Environment::now`] would be if the time was moved by this much.
    pub fn moved_by(&self, moved: Duration) -> Timestamp {
        Timestamp::from_ticks(self.machine().ticks().saturating_add(ticks_of(moved)))
    }

    /// The time without what [`Environment::advance`] added. The date of a signed request is valid by this time, which is that of the
    /// client, or by [`Environment::now`], which answers contain.
    pub fn machine(&self) -> Timestamp {
        self.manual_start.unwrap_or_else(machine_time)
    }

    /// Moves the server's time forward.
    pub fn advance(&self, by: Duration) {
        let ticks = ticks_of(by);
        let added = self.moved_ticks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |moved| moved.checked_add(ticks));
        debug_assert!(added.is_ok(), "a clock that would overflow does not move");
    }

    /// Undoes [`Environment::advance`].
    pub fn reset_clock(&self) {
        self.set_moved(Duration::ZERO);
    }

    /// What [`Environment::advance`] added.
    pub fn moved(&self) -> Duration {
        let ticks = self.moved_ticks.load(Ordering::Relaxed);
        Duration::new(ticks / TICKS_PER_SECOND, (ticks % TICKS_PER_SECOND * NANOS_PER_TICK) as u32)
    }

    /// Sets the clock back, or forward, to a value of [`Environment::moved`].
    pub fn set_moved(&self, moved: Duration) {
        self.moved_ticks.store(ticks_of(moved), Ordering::Relaxed);
    }

    /// Returns a new unique id, for a request, a lease or a copy.
    pub fn id(&self) -> [u8; 16] {
        let mut id = [0; 16];
        let (high, low) = id.split_at_mut(8);
        high.copy_from_slice(&self.random().to_le_bytes());
        low.copy_from_slice(&self.random().to_le_bytes());
        *uuid::Builder::from_random_bytes(id).as_uuid().as_bytes()
    }

    /// Returns a random number.
    pub fn random(&self) -> u64 {
        mix(self.rng.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP))
    }
}

/// What the state of the SplitMix64 sequence grows by with each number.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The number of the SplitMix64 sequence for a state.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A sequence of random numbers that repeats with its seed.
#[derive(Clone, Debug)]
pub struct SplitMix(u64);

impl SplitMix {
    pub const fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// The next number, from 0 up to but not including 1.
    pub fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(STEP);
        (mix(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The whole ticks of a duration.
fn ticks_of(duration: Duration) -> u64 {
    let ticks = u64::from(duration.subsec_nanos()) / NANOS_PER_TICK;
    duration.as_secs().saturating_mul(TICKS_PER_SECOND).saturating_add(ticks)
}

#[expect(clippy::disallowed_methods, reason = "this is the only module that reads the clock")]
fn machine_time() -> Timestamp {
    timestamp(SystemTime::now())
}

impl From<Timestamp> for SystemTime {
    fn from(timestamp: Timestamp) -> SystemTime {
        let ticks = timestamp.ticks().saturating_sub(Timestamp::from_unix(0, 0).ticks());
        let nanos = (ticks % TICKS_PER_SECOND) * NANOS_PER_TICK;
        UNIX_EPOCH + Duration::new(ticks / TICKS_PER_SECOND, nanos as u32)
    }
}

/// The timestamp of a time after 1970.
fn timestamp(time: SystemTime) -> Timestamp {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix(since.as_secs() as i64, since.subsec_nanos() / NANOS_PER_TICK as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_advanced() {
        let environment = Environment::manual(Timestamp::from_unix(1_000, 0), 7);
        assert_eq!(environment.now(), environment.now());
        environment.advance(Duration::from_secs(15));
        assert_eq!(environment.now(), Timestamp::from_unix(1_015, 0));
        assert_eq!(environment.machine(), Timestamp::from_unix(1_000, 0));
        environment.reset_clock();
        assert_eq!(environment.now(), Timestamp::from_unix(1_000, 0));
    }

    #[test]
    fn ids_are_derived_from_the_seed_and_never_repeat() {
        let (a, b) = (Environment::manual(Timestamp::default(), 7), Environment::manual(Timestamp::default(), 7));
        let ids: Vec<_> = (0..1000).map(|_| a.id()).collect();
        assert!(ids.iter().all(|id| *id == b.id()));
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        assert!(ids.iter().all(|id| id[6] >> 4 == 4), "version 4");
    }
}
