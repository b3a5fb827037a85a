//! Entries ordered by time, each with an end. Finding the entries before a time that have not ended, and counting those after it, takes
//! a logarithmic number of steps, however many entries have ended.
//!
//! The data structure is a treap: a search tree by place that is also a heap by a number derived from the place, and therefore balanced in
//! any order of insertion. Versions share nodes like the maps of `imbl`. Unlike those, a node has the number of entries below it and the
//! time at which the last of them ends.

use crate::rules::time::Timestamp;
use std::sync::Arc;

/// The key of an entry: a time and a number. No two entries of a timeline have the same number.
pub type Place = (Timestamp, u64);

/// Entries ordered by time. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Timeline<V> {
    root: Link<V>,
}

type Link<V> = Option<Arc<Node<V>>>;

#[derive(Clone, Debug)]
struct Node<V> {
    place: Place,
    /// When the entry ends.
    end: Timestamp,
    value: V,
    /// The latest end of this entry and those below.
    last: Timestamp,
    /// The number of entries: this one and those below.
    size: usize,
    left: Link<V>,
    right: Link<V>,
}

impl<V> Default for Timeline<V> {
    fn default() -> Timeline<V> {
        Timeline { root: None }
    }
}

impl<V: Clone> Timeline<V> {
    /// The number of entries, ended or not.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        size(&self.root)
    }

    /// Adds an entry. Its place must be free.
    pub fn insert(&mut self, place: Place, end: Timestamp, value: V) {
        insert(&mut self.root, Node { place, end, value, last: end, size: 1, left: None, right: None });
    }

    /// Removes and returns the entry at a place.
    pub fn remove(&mut self, place: Place) -> Option<V> {
        remove(&mut self.root, place)
    }

    /// The first entry, ended or not.
    pub fn first(&self) -> Option<(Place, &V)> {
        let mut node = self.root.as_deref()?;
        while let Some(left) = node.left.as_deref() {
            node = left;
        }
        Some((node.place, &node.value))
    }

    /// The number of entries after a time.
    pub fn count_after(&self, time: Timestamp) -> usize {
        let (mut count, mut next) = (0, self.root.as_deref());
        while let Some(node) = next {
            if node.place.0 > time {
                count += 1 + size(&node.right);
                next = node.left.as_deref();
            } else {
                next = node.right.as_deref();
            }
        }
        count
    }

    /// The entries at or before `now` that have not ended by then, in order.
    pub fn lasting(&self, now: Timestamp) -> impl Iterator<Item = (Place, &V)> {
        let mut open = Vec::new();
        let mut next = self.root.as_deref();
        std::iter::from_fn(move || {
            loop {
                while let Some(node) = next.filter(|node| node.last > now) {
                    open.push(node);
                    next = node.left.as_deref();
                }
                let node: &Node<V> = open.pop()?;
                if node.place.0 > now {
                    open.clear();
                    return None;
                }
                next = node.right.as_deref();
                if node.end > now {
                    return Some((node.place, &node.value));
                }
            }
        })
    }
}

impl<V> Node<V> {
    /// Decides which of two nodes is above the other: a hash of the number (the last steps of SplitMix64).
    fn weight(&self) -> u64 {
        let z = self.place.1.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Updates the sums after a change below.
    fn update(&mut self) {
        self.size = 1 + size(&self.left) + size(&self.right);
        let below = [&self.left, &self.right].into_iter().flatten();
        self.last = below.fold(self.end, |last, node| last.max(node.last));
    }
}

fn size<V>(link: &Link<V>) -> usize {
    link.as_ref().map_or(0, |node| node.size)
}

fn insert<V: Clone>(link: &mut Link<V>, mut new: Node<V>) {
    match link {
        Some(node) if node.weight() >= new.weight() => {
            let node = Arc::make_mut(node);
            insert(if new.place < node.place { &mut node.left } else { &mut node.right }, new);
            node.update();
        }
        _ => {
            (new.left, new.right) = split(link.take(), new.place);
            new.update();
            *link = Some(Arc::new(new));
        }
    }
}

fn remove<V: Clone>(link: &mut Link<V>, place: Place) -> Option<V> {
    let node = Arc::make_mut(link.as_mut()?);
    if node.place == place {
        let value = node.value.clone();
        *link = merge(node.left.take(), node.right.take());
        return Some(value);
    }
    let removed = remove(if place < node.place { &mut node.left } else { &mut node.right }, place);
    node.update();
    removed
}

/// Splits a tree into the entries before a place and the rest.
fn split<V: Clone>(link: Link<V>, at: Place) -> (Link<V>, Link<V>) {
    let Some(mut shared) = link else { return (None, None) };
    let node = Arc::make_mut(&mut shared);
    if node.place < at {
        let (before, after) = split(node.right.take(), at);
        node.right = before;
        node.update();
        (Some(shared), after)
    } else {
        let (before, after) = split(node.left.take(), at);
        node.left = after;
        node.update();
        (before, Some(shared))
    }
}

/// Joins two trees, one after the other.
fn merge<V: Clone>(before: Link<V>, after: Link<V>) -> Link<V> {
    match (before, after) {
        (None, rest) | (rest, None) => rest,
        (Some(mut before), Some(mut after)) => {
            if before.weight() >= after.weight() {
                let node = Arc::make_mut(&mut before);
                node.right = merge(node.right.take(), Some(after));
                node.update();
                Some(before)
            } else {
                let node = Arc::make_mut(&mut after);
                node.left = merge(Some(before), node.left.take());
                node.update();
                Some(after)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_unix(seconds as i64, 0)
    }

    fn depth<V>(link: &Link<V>) -> usize {
        link.as_ref().map_or(0, |node| 1 + depth(&node.left).max(depth(&node.right)))
    }

    proptest! {
        /// After any insertions and removals, a timeline agrees with a plain map; older versions are unchanged.
        #[test]
        fn agrees_with_a_plain_map(steps in prop::collection::vec((0u64..20, 0u64..20, any::<bool>()), 0..80), now in 0u64..20) {
            let mut line = Timeline::default();
            let mut plain: BTreeMap<Place, Timestamp> = BTreeMap::new();
            for (number, (moment, end, remove)) in steps.into_iter().enumerate() {
                let before = (line.clone(), plain.clone());
                let place = (at(moment), number as u64);
                let nearest = plain.range(place..).next().map(|(place, _)| *place).filter(|_| remove);
                match nearest {
                    Some(place) => {
                        prop_assert_eq!(line.remove(place), Some(place.1));
                        plain.remove(&place);
                    }
                    None => {
                        line.insert(place, at(end), place.1);
                        plain.insert(place, at(end));
                    }
                }
                prop_assert_eq!(line.remove((at(moment), u64::MAX)), None);
                for (line, plain) in [(&line, &plain), (&before.0, &before.1)] {
                    prop_assert_eq!(line.len(), plain.len());
                    prop_assert_eq!(line.first().map(|(place, _)| place), plain.keys().next().copied());
                    prop_assert_eq!(line.count_after(at(now)), plain.keys().filter(|place| place.0 > at(now)).count());
                    let lasting: Vec<Place> = line.lasting(at(now)).map(|(place, _)| place).collect();
                    let plainly = plain.iter().filter(|(place, end)| place.0 <= at(now) && **end > at(now));
                    prop_assert_eq!(lasting, plainly.map(|(place, _)| *place).collect::<Vec<_>>());
                }
            }
        }
    }

    /// A hundred thousand ended entries do not slow down finding one that has not ended, nor do later ones.
    #[test]
    fn ended_entries_are_skipped_at_once() {
        const MANY: u64 = 100_000;
        let mut line = Timeline::default();
        for number in 0..MANY {
            line.insert((at(number), number), at(MANY), number);
            line.insert((at(3 * MANY), MANY + number), Timestamp::NEVER, number);
        }
        line.insert((at(MANY), 2 * MANY), Timestamp::NEVER, 7);
        assert!(depth(&line.root) < 60, "{} deep", depth(&line.root));
        let now = at(2 * MANY);
        assert_eq!(line.count_after(now), MANY as usize);
        let begun = std::time::Instant::now();
        for _ in 0..1000 {
            assert_eq!(line.lasting(now).map(|(_, value)| *value).collect::<Vec<_>>(), [7]);
        }
        let walked = begun.elapsed();
        assert!(walked.as_millis() < 1000, "a thousand looks took {walked:?}: they visit ended entries");
    }
}
