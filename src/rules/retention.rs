//! What is kept of a blob that is overwritten or deleted: versions, or, for so many days, the deleted state itself.
//!
//! What is kept for days is never swept by a timer: it is there as long as whoever looks comes in time.

use crate::rules::time::Timestamp;

/// Seconds in a day.
const DAY: u64 = 24 * 60 * 60;

/// What an account keeps of its blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Whether the state before a write or a delete is kept as a version.
    pub versions: bool,
    /// For how many days a deleted state is kept; `None`: not at all.
    pub days: Option<u32>,
}

impl RetentionPolicy {
    /// A deletion at this moment, if what is deleted is kept.
    pub fn deletion(self, now: Timestamp) -> Option<Deletion> {
        self.days.map(|days| Deletion { at: now, days })
    }
}

/// When something was deleted, and for how long it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// When it was deleted.
    pub at: Timestamp,
    /// How many days it is kept from then on.
    pub days: u32,
}

impl Deletion {
    /// Whether it is still kept.
    pub fn is_kept(self, now: Timestamp) -> bool {
        now < self.end()
    }

    /// Whole days that remain, counted as the service does: the last day is 0.
    pub fn days_left(self, now: Timestamp) -> u64 {
        now.seconds_apart(self.end().max(now)) / DAY
    }

    /// Whole days that remain of a container. Recorded: after seven minutes all seven were left, after half an hour six.
    pub fn days_left_of_container(self, now: Timestamp) -> u64 {
        const GRACE: u64 = 15 * 60;
        now.seconds_apart(self.end().after_seconds(GRACE).max(now)) / DAY
    }

    /// Whether a container is still being deleted: recorded to take half a minute, in which its name is nobody's.
    pub fn is_going_on(self, now: Timestamp) -> bool {
        const SECONDS: u64 = 30;
        now < self.at.after_seconds(SECONDS)
    }

    /// From when on it is no longer kept.
    pub fn end(self) -> Timestamp {
        self.at.after_seconds(u64::from(self.days) * DAY)
    }
}

/// Ticks between the first moment of all and 1601, from which on Windows counts.
const WINDOWS_EPOCH: u64 = 504_911_232_000_000_000;

/// The version by which a deleted container is told from others of its name: the moment of its birth, as Windows counts (recorded).
pub fn container_version(born: Timestamp) -> String {
    format!("{:016X}", born.ticks().saturating_sub(WINDOWS_EPOCH))
}

/// Reads such a version; `None` when it is none.
pub fn read_container_version(text: &str) -> Option<Timestamp> {
    let ticks = u64::from_str_radix(text, 16).ok()?;
    Some(Timestamp::from_ticks(ticks.checked_add(WINDOWS_EPOCH)?))
        .filter(|born| container_version(*born).eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_containers_version_is_its_birth() {
        let born = read_container_version("01D80E28F195E7A5").unwrap();
        assert_eq!(born.iso(), "2022-01-20T18:10:02.2043557Z");
        assert_eq!(container_version(born), "01D80E28F195E7A5");
        for text in ["", "1D80E28F195E7A5", "01D80E28F195E7A5 ", "+1D80E28F195E7A5", "FFFFFFFFFFFFFFFF", "soon"] {
            assert_eq!(read_container_version(text), None, "{text}");
        }
    }

    #[test]
    fn a_container_goes_for_half_a_minute_and_its_days_are_counted_late() {
        let at = Timestamp::from_unix(1_000_000, 0);
        let deletion = Deletion { at, days: 7 };
        for (seconds, going, left) in
            [(0, true, 7), (29, true, 7), (30, false, 7), (420, false, 7), (1920, false, 6), (7 * DAY - 1, false, 0)]
        {
            let now = at.after_seconds(seconds);
            assert_eq!((deletion.is_going_on(now), deletion.days_left_of_container(now)), (going, left), "{seconds}");
        }
    }

    #[test]
    fn what_is_deleted_is_kept_for_its_days() {
        let at = Timestamp::from_unix(1_000_000, 0);
        let deletion = RetentionPolicy { versions: false, days: Some(7) }.deletion(at).unwrap();
        for (seconds, kept, left) in
            [(0, true, 7), (1, true, 6), (6 * DAY, true, 1), (7 * DAY - 1, true, 0), (7 * DAY, false, 0), (9 * DAY, false, 0)]
        {
            let now = at.after_seconds(seconds);
            assert_eq!((deletion.is_kept(now), deletion.days_left(now)), (kept, left), "{seconds} s");
        }
        assert_eq!(RetentionPolicy::default().deletion(at), None);
    }
}
