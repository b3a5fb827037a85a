//! Sets of byte ranges.

use std::collections::BTreeMap;

/// Disjoint ranges of a file, adjacent ones joined: the end of each by its start.
#[derive(Debug, Default)]
pub struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Adds a range, and returns the joined range that contains it.
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

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The range that contains a byte.
    pub fn around(&self, at: u64) -> Option<(u64, u64)> {
        self.0.range(..=at).next_back().map(|(low, high)| (*low, *high)).filter(|(_, high)| *high > at)
    }

    /// Removes and returns the ranges of at least `least` bytes.
    pub fn take(&mut self, least: u64) -> Vec<(u64, u64)> {
        let all = std::mem::take(&mut self.0).into_iter();
        let (taken, left): (BTreeMap<u64, u64>, _) = all.partition(|(low, high)| high - low >= least);
        self.0 = left;
        taken.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_ranges_are_joined_in_any_order() {
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
        assert_eq!(ranges.add(11, 20), (11, 20), "a byte between two ranges keeps them apart");
        assert_eq!((ranges.around(9), ranges.around(10), ranges.around(19)), (Some((0, 10)), None, Some((11, 20))));
        assert_eq!(ranges.take(10), [(0, 10)]);
        assert_eq!(ranges.take(0), [(11, 20)]);
    }
}
