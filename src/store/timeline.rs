//! Entries along a line of time, each at its place and each with an end: which of those before a moment last still, and how many
//! come after it, in as many steps as the line is long in digits, however many have ended.
//!
//! A treap: a search tree by place that is also a heap by a number that follows from the place, and so is balanced whatever order the
//! entries come in. Its nodes are shared between versions as the maps of `imbl` are, and know what no map of that crate can tell:
//! how many entries are below, and when the last of them ends.

use crate::rules::time::Timestamp;
use std::sync::Arc;

/// Where an entry stands: at a moment, and there by its number. No two entries of a line have the same number.
pub type Place = (Timestamp, u64);

/// A line of entries. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Timeline<V> {
    root: Link<V>,
}

type Link<V> = Option<Arc<Node<V>>>;

#[derive(Clone, Debug)]
struct Node<V> {
    place: Place,
    /// From when on the entry does not count.
    end: Timestamp,
    value: V,
    /// The last end of this entry and those below.
    last: Timestamp,
    /// This entry and those below, counted.
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
    /// How many entries there are, ended or not.
    pub fn len(&self) -> usize {
        size(&self.root)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Adds an entry at a place that is free.
    pub fn insert(&mut self, place: Place, end: Timestamp, value: V) {
        insert(&mut self.root, Node { place, end, value, last: end, size: 1, left: None, right: None });
    }

    /// Takes out the entry at a place.
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

    /// How many entries stand after a moment.
    pub fn count_after(&self, moment: Timestamp) -> usize {
        let (mut count, mut next) = (0, self.root.as_deref());
        while let Some(node) = next {
            if node.place.0 > moment {
                count += 1 + size(&node.right);
                next = node.left.as_deref();
            } else {
                next = node.right.as_deref();
            }
        }
        count
    }

    /// The entries that stand at `now` or before and have not ended by then, in order.
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
    /// Which of two nodes stands above the other: chance, but always the same (the last steps of SplitMix64).
    fn weight(&self) -> u64 {
        let z = self.place.1.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Counts again after something changed below.
    fn sum_up(&mut self) {
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
            node.sum_up();
        }
        _ => {
            (new.left, new.right) = split(link.take(), new.place);
            new.sum_up();
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
    let gone = remove(if place < node.place { &mut node.left } else { &mut node.right }, place);
    node.sum_up();
    gone
}

/// What stands before a place, and the rest.
fn split<V: Clone>(link: Link<V>, at: Place) -> (Link<V>, Link<V>) {
    let Some(mut shared) = link else { return (None, None) };
    let node = Arc::make_mut(&mut shared);
    if node.place < at {
        let (before, after) = split(node.right.take(), at);
        node.right = before;
        node.sum_up();
        (Some(shared), after)
    } else {
        let (before, after) = split(node.left.take(), at);
        node.left = after;
        node.sum_up();
        (before, Some(shared))
    }
}

/// Two lines, one after the other.
fn merge<V: Clone>(before: Link<V>, after: Link<V>) -> Link<V> {
    match (before, after) {
        (None, rest) | (rest, None) => rest,
        (Some(mut before), Some(mut after)) => {
            if before.weight() >= after.weight() {
                let node = Arc::make_mut(&mut before);
                node.right = merge(node.right.take(), Some(after));
                node.sum_up();
                Some(before)
            } else {
                let node = Arc::make_mut(&mut after);
                node.left = merge(Some(before), node.left.take());
                node.sum_up();
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
        /// Whatever comes and goes, the line says what a plain map says that is walked from end to end; older versions stay as they were.
        #[test]
        fn says_what_a_plain_map_says(steps in prop::collection::vec((0u64..20, 0u64..20, any::<bool>()), 0..80), now in 0u64..20) {
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
                    prop_assert_eq!((line.len(), line.is_empty()), (plain.len(), plain.is_empty()));
                    prop_assert_eq!(line.first().map(|(place, _)| place), plain.keys().next().copied());
                    prop_assert_eq!(line.count_after(at(now)), plain.keys().filter(|place| place.0 > at(now)).count());
                    let lasting: Vec<Place> = line.lasting(at(now)).map(|(place, _)| place).collect();
                    let plainly = plain.iter().filter(|(place, end)| place.0 <= at(now) && **end > at(now));
                    prop_assert_eq!(lasting, plainly.map(|(place, _)| *place).collect::<Vec<_>>());
                }
            }
        }
    }

    /// A hundred thousand entries that have ended do not stand in the way of the one that has not, nor do those of later.
    #[test]
    fn what_has_ended_is_passed_over_at_once() {
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
        assert!(walked.as_millis() < 1000, "a thousand looks took {walked:?}: they walk over what has ended");
    }
}
