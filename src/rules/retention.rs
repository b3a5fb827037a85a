//! What is kept of a blob that is overwritten or deleted: versions, or, for so many days, the deleted state itself.
//!
//! What is kept for days is never swept by a timer: it is there as long as whoever looks comes in time.

use super::time::Timestamp;

/// Seconds in a day.
const DAY: u64 = 24 * 60 * 60;

/// What an account keeps of its blobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keeping {
    /// Whether the state before a write or a delete is kept as a version.
    pub versions: bool,
    /// For how many days a deleted state is kept; `None`: not at all.
    pub days: Option<u32>,
}

impl Keeping {
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

    fn end(self) -> Timestamp {
        self.at.after_seconds(u64::from(self.days) * DAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_deleted_is_kept_for_its_days() {
        let at = Timestamp::from_unix(1_000_000, 0);
        let deletion = Keeping { versions: false, days: Some(7) }.deletion(at).unwrap();
        for (seconds, kept, left) in
            [(0, true, 7), (1, true, 6), (6 * DAY, true, 1), (7 * DAY - 1, true, 0), (7 * DAY, false, 0), (9 * DAY, false, 0)]
        {
            let now = at.after_seconds(seconds);
            assert_eq!((deletion.is_kept(now), deletion.days_left(now)), (kept, left), "{seconds} s");
        }
        assert_eq!(Keeping::default().deletion(at), None);
    }
}
