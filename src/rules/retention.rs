//! Retention of blobs that are overwritten or deleted: as versions, or as deleted states for a number of days.
//!
//! No timer ends the retention: every request compares its end with the current time.

use crate::rules::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Seconds in a day.
const DAY: u64 = 24 * 60 * 60;

/// What an account retains of its blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Whether the state before a write or a deletion is retained as a version.
    pub versions: bool,
    /// The number of days for which a deleted state is retained, if it is.
    pub days: Option<u32>,
}

impl RetentionPolicy {
    /// The deletion of a state now, if deleted states are retained.
    pub fn deletion(self, now: Timestamp) -> Option<Deletion> {
        self.days.map(|days| Deletion { at: now, days })
    }
}

/// When something was deleted, and how long it is retained.
/// Stored in this form: fields and variants keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    pub at: Timestamp,
    pub days: u32,
}

impl Deletion {
    /// Returns true before the end of the retention.
    pub fn is_kept(self, now: Timestamp) -> bool {
        now < self.end()
    }

    /// The remaining days, rounded down.
    pub fn days_left(self, now: Timestamp) -> u64 {
        now.seconds_apart(self.end().max(now)) / DAY
    }

    /// The remaining days of a container: after seven minutes seven of seven, after half an hour six (recorded).
    pub fn days_left_of_container(self, now: Timestamp) -> u64 {
        const GRACE: u64 = 15 * 60;
        now.seconds_apart(self.end().after_seconds(GRACE).max(now)) / DAY
    }

    /// Returns true while the deletion of a container goes on, which takes half a minute (recorded). Meanwhile no other container can have
    /// its name.
    pub fn is_going_on(self, now: Timestamp) -> bool {
        const SECONDS: u64 = 30;
        now < self.at.after_seconds(SECONDS)
    }

    /// The end of the retention.
    pub fn end(self) -> Timestamp {
        self.at.after_seconds(u64::from(self.days) * DAY)
    }
}

/// The version of a deleted container, by which it differs from others of its name: its creation time as a file time of Windows
/// (recorded).
pub fn container_version(created: Timestamp) -> String {
    format!("{:016X}", created.file_time())
}

/// Parses the version of a deleted container.
pub fn read_container_version(text: &str) -> Option<Timestamp> {
    let ticks = u64::from_str_radix(text, 16).ok()?.checked_add(Timestamp::WINDOWS_EPOCH.ticks())?;
    Some(Timestamp::from_ticks(ticks)).filter(|created| container_version(*created).eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_containers_version_is_its_birth() {
        let created = read_container_version("01D80E28F195E7A5").unwrap();
        assert_eq!(created.iso(), "2022-01-20T18:10:02.2043557Z");
        assert_eq!(container_version(created), "01D80E28F195E7A5");
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
