//! Ranges of bytes, each with a time: which parts of a file were cleared, and when.

use crate::rules::time::Timestamp;
use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Marked ranges. Cheap to clone. Stored as a list: start, end, when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64, Timestamp)>", into = "Vec<(u64, u64, Timestamp)>")]
pub struct Marks {
    /// The end and time of each range, by its start. They do not overlap.
    ranges: OrdMap<u64, (u64, Timestamp)>,
}

impl Marks {
    /// Marks a range with a time.
    pub fn mark(&mut self, range: Range<u64>, now: Timestamp) {
        self.unmark(&range);
        if range.start < range.end {
            self.ranges.insert(range.start, (range.end, now));
        }
    }

    /// Removes the marks of a range.
    pub fn unmark(&mut self, range: &Range<u64>) {
        let touched: Vec<(u64, u64, Timestamp)> = self.touching(range).collect();
        for (start, end, at) in touched {
            self.ranges.remove(&start);
            if start < range.start {
                self.ranges.insert(start, (range.start, at));
            }
            if end > range.end {
                self.ranges.insert(range.end, (end, at));
            }
        }
    }

    /// The ranges that were marked after a time, cut to `range`, in order.
    pub fn since(&self, time: Timestamp, range: &Range<u64>) -> Vec<Range<u64>> {
        let fresh = self.touching(range).filter(|(.., at)| *at > time);
        fresh.map(|(start, end, _)| start.max(range.start)..end.min(range.end)).collect()
    }

    /// All marked ranges and their times.
    pub fn iter(&self) -> impl Iterator<Item = (Range<u64>, Timestamp)> {
        self.ranges.iter().map(|(start, (end, at))| (*start..*end, *at))
    }

    fn touching(&self, range: &Range<u64>) -> impl Iterator<Item = (u64, u64, Timestamp)> + use<'_> {
        let (first, last) = (range.start, range.end.max(range.start));
        let before = self.ranges.range(..first).next_back().filter(move |(_, (end, _))| *end > first && last > first);
        let inside = self.ranges.range(first..last);
        before.into_iter().chain(inside).map(|(start, (end, at))| (*start, *end, *at))
    }
}

impl From<Marks> for Vec<(u64, u64, Timestamp)> {
    fn from(marks: Marks) -> Vec<(u64, u64, Timestamp)> {
        marks.iter().map(|(range, at)| (range.start, range.end, at)).collect()
    }
}

impl From<Vec<(u64, u64, Timestamp)>> for Marks {
    fn from(stored: Vec<(u64, u64, Timestamp)>) -> Marks {
        let mut marks = Marks::default();
        stored.into_iter().for_each(|(start, end, at)| marks.mark(start..end, at));
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: u64) -> Timestamp {
        Timestamp::default().after_seconds(second)
    }

    proptest! {
        /// The marks agree with a map that has one for every byte.
        #[test]
        fn are_as_those_of_single_bytes(acts in prop::collection::vec((any::<bool>(), 0u64..40, 0u64..20), 0..20), moment in 0u64..20, cut in (0u64..50, 0u64..30)) {
            let (mut marks, mut bytes) = (Marks::default(), [None; 64]);
            for (second, (mark, start, length)) in (1..).zip(acts) {
                let range = start..start + length;
                match mark {
                    true => marks.mark(range.clone(), at(second)),
                    false => marks.unmark(&range),
                }
                range.for_each(|byte| bytes[byte as usize] = mark.then_some(second));
            }
            let range = cut.0..(cut.0 + cut.1).min(64);
            let found: Vec<u64> = marks.since(at(moment), &range).into_iter().flatten().collect();
            let plain: Vec<u64> = range.filter(|byte| bytes[*byte as usize].is_some_and(|second| second > moment)).collect();
            prop_assert_eq!(found, plain);
        }
    }
}
