//! The last access time of a blob, in accounts that track it: exact to a day, so that few reads write.

use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use serde::{Deserialize, Serialize};

/// The time after a recorded read during which no other is recorded.
const DAY: u64 = 24 * 60 * 60 * TICKS_PER_SECOND;

/// The last recorded read of a blob. The first read is recorded, and then the first after every 24 hours.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastAccess(pub Option<Timestamp>);

impl LastAccess {
    /// A recorded read.
    pub fn at(now: Timestamp) -> LastAccess {
        LastAccess(Some(now))
    }

    /// Returns true if a read at this time has to be recorded. The first read after a write always has to be.
    pub fn misses(self, now: Timestamp) -> bool {
        self.0.is_none_or(|last| now.ticks() >= last.ticks().saturating_add(DAY))
    }

    /// The last access time of a blob with this modification time.
    pub fn or_written(self, written: Timestamp) -> Timestamp {
        self.0.map_or(written, |read| read.max(written))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_read_of_a_day_is_kept_and_a_later_write_outshines_it() {
        const HOUR: u64 = 60 * 60;
        let start = Timestamp::from_unix(1_000_000, 0);
        // A row is an event some seconds after the blob was created, whether it is recorded, and the time of the last access.
        let (mut read, mut written) = (LastAccess::default(), start);
        for (seconds, reads, kept, last) in [
            (0, true, true, 0),
            (1, true, false, 0),
            (12 * HOUR, true, false, 0),
            (13 * HOUR, false, true, 13 * HOUR),
            (24 * HOUR - 1, true, false, 13 * HOUR),
            (24 * HOUR, true, true, 24 * HOUR),
            (25 * HOUR, false, true, 25 * HOUR),
            (48 * HOUR - 1, true, false, 25 * HOUR),
            (90 * HOUR, true, true, 90 * HOUR),
        ] {
            let now = start.after_seconds(seconds);
            match reads {
                true => {
                    assert_eq!(read.misses(now), kept, "{seconds}");
                    read = if kept { LastAccess::at(now) } else { read };
                }
                false => written = now,
            }
            assert_eq!(read.or_written(written), start.after_seconds(last), "{seconds}");
        }
    }

    #[test]
    fn a_clock_that_is_set_back_or_at_its_end_keeps_nothing() {
        let read = LastAccess::at(Timestamp::from_unix(1_000_000, 0));
        assert!(!read.misses(Timestamp::default()));
        assert!(!LastAccess::at(Timestamp::NEVER).misses(Timestamp::NEVER));
    }
}
