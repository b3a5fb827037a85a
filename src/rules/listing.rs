//! Pages of listings: the entries of a page, and where the next one starts.
//!
//! Entries are in the order of the bytes of their names. With a delimiter, all names that are equal up to its first occurrence after the
//! prefix become one entry. A page does not read such names: it seeks past them, so that its cost depends only on its own entries.
//!
//! A page that is not the last has a marker, which is the position of the first item of the next page. The server stores nothing for it:
//! items that are created or deleted between two pages may be listed or not, and no others are skipped or repeated.

use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The most entries of a page, and the default.
pub const PAGE: usize = 5000;

/// Parses `maxresults`: [`PAGE`] if it is absent or larger.
///
/// # Errors
/// 400 OutOfRangeInput for less than one; 400 InvalidQueryParameterValue unless it is a number.
pub fn maxresults(text: Option<&str>) -> Result<usize, StorageError> {
    let Some(text) = text else { return Ok(PAGE) };
    match text.parse::<i64>() {
        Ok(number) if number < 1 => Err(ErrorCode::OutOfRangeInput.with_reason(format!("maxresults={number}"))),
        Ok(number) => Ok(usize::try_from(number).map_or(PAGE, |number| number.min(PAGE))),
        Err(_) => Err(StorageError::invalid_query("maxresults", text, "The value is not a number.")),
    }
}

/// The position of an item in a listing: its name, then its time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub name: String,
    /// The time of a snapshot or version, or [`Timestamp::NEVER`] for the blob itself, which is the last of its name.
    pub time: Timestamp,
}

impl Position {
    /// The position before all items of this name, and of all names that begin with it.
    pub fn before(name: impl Into<String>) -> Position {
        Position { name: name.into(), time: Timestamp::from_ticks(0) }
    }

    /// The marker of a blob listing, in the form of the real service: `2!68!…`, base64 of the name and the time, each with its length in
    /// bytes. Padding is `-`.
    pub fn marker(&self) -> String {
        let (name, time) = (&self.name, self.time.iso());
        let plain = format!("{:06}!{name}!{:06}!{time}!", name.len(), time.len());
        let base64 = STANDARD.encode(plain).replace('=', "-");
        format!("2!{}!{base64}", base64.len())
    }

    /// Parses the marker of a blob listing.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue.
    pub fn read(marker: &str) -> Result<Position, StorageError> {
        Position::parse(marker).filter(|position| position.marker() == marker).ok_or_else(|| not_a_marker(marker))
    }

    fn parse(marker: &str) -> Option<Position> {
        let (_, base64) = marker.strip_prefix("2!")?.split_once('!')?;
        let plain = String::from_utf8(STANDARD.decode(base64.replace('-', "=")).ok()?).ok()?;
        let (length, rest) = plain.split_once('!')?;
        let (name, rest) = rest.split_at_checked(length.parse().ok()?)?;
        let (_, time) = rest.strip_prefix('!')?.strip_suffix('!')?.split_once('!')?;
        Some(Position { name: name.to_owned(), time: Timestamp::parse_iso(time)? })
    }

    /// The marker of a listing of an account's containers, queues or shares, in the form of the real service: `/account/name`. `with_time`
    /// adds the time, for a page that ends between resources of the same name, of which some are deleted.
    pub fn account_marker(&self, account: &str, with_time: bool) -> String {
        let time = if with_time { format!("/{}", self.time.iso()) } else { String::new() };
        format!("/{account}/{}{time}", self.name)
    }

    /// Parses the marker of a listing of an account's containers, queues or shares.
    ///
    /// # Errors
    /// 400 InvalidQueryParameterValue.
    pub fn read_account(marker: &str, account: &str) -> Result<Position, StorageError> {
        let rest = marker.strip_prefix('/').and_then(|rest| rest.strip_prefix(account)).and_then(|rest| rest.strip_prefix('/'));
        let position = rest.and_then(|rest| match rest.split_once('/') {
            None => Some(Position::before(rest)),
            Some((name, time)) => Some(Position { name: name.to_owned(), time: Timestamp::parse_iso(time)? }),
        });
        position.ok_or_else(|| not_a_marker(marker))
    }
}

fn not_a_marker(marker: &str) -> StorageError {
    StorageError::invalid_query("marker", marker, "The value is not a marker that this service gave.")
}

/// The options of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest<'a> {
    /// The prefix of the names; empty for all.
    pub prefix: &'a str,
    /// The text up to which names are grouped: one or more characters.
    pub delimiter: Option<&'a str>,
    /// The position of the first item; `None` for the first page.
    pub start: Option<Position>,
    /// The most entries of the page; 0 means one.
    pub max: usize,
}

/// One line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<T> {
    Item(T),
    /// All items whose names have this prefix, which ends with the delimiter.
    Prefix(String),
}

/// A page of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries, in order.
    pub entries: Vec<Entry<T>>,
    /// The position of the first item of the next page; `None` if this is the last.
    pub next: Option<Position>,
}

/// Builds a page from items in the order of name and time.
///
/// `seek` returns the items from a name and a time on. It may start at the first item of that name, because items before the time are
/// skipped. It is called once for the page and once for each group of names.
pub fn page<'a, T, I>(request: &PageRequest<'_>, mut seek: impl FnMut(&str, Timestamp) -> I) -> Page<T>
where
    I: Iterator<Item = (&'a str, Timestamp, T)>,
{
    let mut entries = Vec::new();
    let mut from = match &request.start {
        Some(start) if start.name.as_str() >= request.prefix => start.clone(),
        _ => Position::before(request.prefix),
    };
    let mut items = seek(&from.name, from.time);
    while let Some((name, time, item)) = items.next() {
        if (name, time) < (from.name.as_str(), from.time) {
            continue;
        }
        if !name.starts_with(request.prefix) {
            break;
        }
        if entries.len() >= request.max.max(1) {
            return Page { entries, next: Some(Position { name: name.to_owned(), time }) };
        }
        match group(name, request) {
            None => entries.push(Entry::Item(item)),
            Some(prefix) => {
                entries.push(Entry::Prefix(prefix.to_owned()));
                let Some(beyond) = beyond(prefix) else { break };
                from = Position::before(beyond);
                items = seek(&from.name, from.time);
            }
        }
    }
    Page { entries, next: None }
}

/// The prefix of a name by which it is grouped with others; it ends with the delimiter.
fn group<'n>(name: &'n str, request: &PageRequest<'_>) -> Option<&'n str> {
    let delimiter = request.delimiter.filter(|delimiter| !delimiter.is_empty())?;
    let at = name.get(request.prefix.len()..)?.find(delimiter)?;
    name.get(..request.prefix.len() + at + delimiter.len())
}

/// The least text that is greater than all texts with this prefix, if there is one.
///
/// It is the prefix with the next character in the place of the last one. In UTF-8, bytes have the same order as characters.
fn beyond(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        if let Some(raised) = (last..=char::MAX).nth(1) {
            text.push(raised);
            return Some(text);
        }
    }
    None
}

/// Selects the items of a page of a search: a number of matching items, after a limited number of examined ones.
#[derive(Clone, Debug)]
pub struct ListingFilter {
    most_matches: usize,
    most_examined: usize,
}

impl ListingFilter {
    pub fn new(most_matches: usize, most_examined: usize) -> ListingFilter {
        ListingFilter { most_matches, most_examined }
    }

    /// Returns true if the page includes the next item, and `None` if that is the first of the next page.
    pub fn sift(&mut self, matches: bool) -> Option<bool> {
        self.most_examined = self.most_examined.checked_sub(1)?;
        if matches {
            self.most_matches = self.most_matches.checked_sub(1)?;
        }
        Some(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed, TestRunner};
    use std::cell::Cell;
    use std::collections::{BTreeMap, BTreeSet};
    use std::hash::{BuildHasher, Hasher, RandomState};
    use std::ops::Bound;

    #[test]
    fn a_search_ends_when_it_is_full_or_tired() {
        let run = |room, looks, items: &[bool]| {
            let mut sieve = ListingFilter::new(room, looks);
            items.iter().map(|matches| sieve.sift(*matches)).collect::<Vec<_>>()
        };
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(run(1, 9, &[false, true, false, true]), [no, yes, no, None], "the next page begins with a match");
        assert_eq!(run(9, 2, &[false, false, false]), [no, no, None]);
        assert_eq!(run(2, 3, &[true, true, false]), [yes, yes, no]);
    }

    type Items = BTreeSet<(String, u64)>;

    /// A page of these items; a `lax` seek starts at the name's first item.
    fn page_of<'a>(items: &'a Items, request: &PageRequest<'_>, lax: bool) -> Page<(&'a str, u64)> {
        page(request, |name, at| {
            let from = (name.to_owned(), if lax { 0 } else { at.ticks() });
            items.range(from..).map(|(name, at)| (name.as_str(), Timestamp::from_ticks(*at), (name.as_str(), *at)))
        })
    }

    /// The complete listing, built in the simplest way.
    fn naive<'a>(items: &'a Items, prefix: &str, delimiter: Option<&str>) -> Vec<Entry<(&'a str, u64)>> {
        let mut entries = Vec::new();
        for (name, at) in items {
            let Some(rest) = name.strip_prefix(prefix) else { continue };
            let entry = match delimiter.and_then(|delimiter| rest.split_once(delimiter).map(|(head, _)| (head, delimiter))) {
                Some((head, delimiter)) => Entry::Prefix(format!("{prefix}{head}{delimiter}")),
                None => Entry::Item((name.as_str(), *at)),
            };
            if entries.last() != Some(&entry) {
                entries.push(entry);
            }
        }
        entries
    }

    fn text(most: usize) -> impl Strategy<Value = String> {
        let part = prop::sample::select(vec!["a", "b", "/", "//", "-", "!", "é", "狗", "\u{D7FF}", "\u{FFFF}", "\u{10FFFF}"]);
        prop::collection::vec(part, 0..=most).prop_map(|parts| parts.concat())
    }

    fn listing() -> impl Strategy<Value = (Items, String, Option<&'static str>)> {
        let items = prop::collection::btree_set((text(5), prop::sample::select(vec![0, 1, 7, Timestamp::NEVER.ticks()])), 0..40);
        let delimiters = vec!["/", "//", "-", "a/", "é", "狗", "\u{D7FF}", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}"];
        (items, text(2), prop::option::of(prop::sample::select(delimiters)))
    }

    /// Runs a property with a seed that is printed when it fails.
    fn property<S: Strategy>(strategy: &S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
        let seed = RandomState::new().build_hasher().finish();
        println!("seed {seed}");
        let config = Config { cases: 500, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() };
        TestRunner::new(config).run(strategy, test).unwrap();
    }

    #[test]
    fn pages_of_every_size_make_the_whole() {
        property(&(listing(), any::<bool>()), |((items, prefix, delimiter), lax)| {
            let whole = naive(&items, &prefix, delimiter);
            for max in 0..=whole.len() + 1 {
                let (mut entries, mut start) = (Vec::new(), None);
                loop {
                    let page = page_of(&items, &PageRequest { prefix: &prefix, delimiter, start, max }, lax);
                    prop_assert!(page.entries.len() <= max.max(1));
                    prop_assert!(page.next.is_none() || page.entries.len() == max.max(1), "only the last page may be short");
                    entries.extend(page.entries);
                    let Some(next) = page.next else { break };
                    start = Some(Position::read(&next.marker()).unwrap());
                }
                prop_assert_eq!(&entries, &whole);
            }
            Ok(())
        });
    }

    #[test]
    fn items_that_remain_are_listed_once_whatever_else_is_deleted() {
        let going = prop::collection::vec(any::<prop::sample::Index>(), 0..20);
        property(&(listing(), going, 1..4usize), |((mut items, prefix, delimiter), going, max)| {
            let (mut going, mut start) = (going.into_iter(), None);
            let mut seen = BTreeMap::<_, usize>::new();
            loop {
                let page = page_of(&items, &PageRequest { prefix: &prefix, delimiter, start, max }, false);
                for entry in &page.entries {
                    *seen.entry(format!("{entry:?}")).or_default() += 1;
                }
                let next = page.next;
                for index in going.by_ref().take(2) {
                    let left: Vec<_> = items.iter().cloned().collect();
                    if !left.is_empty() {
                        items.remove(index.get(&left));
                    }
                }
                let Some(next) = next else { break };
                start = Some(next);
            }
            prop_assert!(seen.values().all(|times| *times == 1), "{seen:?}");
            for entry in naive(&items, &prefix, delimiter) {
                prop_assert!(seen.contains_key(&format!("{entry:?}")), "{entry:?} was skipped");
            }
            Ok(())
        });
    }

    #[test]
    fn a_prefix_costs_one_step_whatever_it_holds() {
        let items: Items = (0..50_000).map(|n| (format!("{}/{n:05}", n / 5000), 0)).chain([("x".into(), 0)]).collect();
        let steps = Cell::new(0);
        let request = PageRequest { prefix: "", delimiter: Some("/"), start: None, max: PAGE };
        let page = page(&request, |name, at| {
            let from = Bound::Included((name.to_owned(), at.ticks()));
            let items = items.range((from, Bound::Unbounded)).inspect(|_| steps.set(steps.get() + 1));
            items.map(|(name, at)| (name.as_str(), Timestamp::from_ticks(*at), ()))
        });
        assert_eq!((page.entries.len(), page.next), (11, None));
        assert_eq!(steps.get(), 11);
    }

    #[test]
    fn markers_are_those_of_the_real_service() {
        for (name, marker) in [
            ("prefix1-blob2", "2!76!MDAwMDEzIXByZWZpeDEtYmxvYjIhMDAwMDI4ITk5OTktMTItMzFUMjM6NTk6NTkuOTk5OTk5OVoh"),
            ("bloba3", "2!68!MDAwMDA2IWJsb2JhMyEwMDAwMjghOTk5OS0xMi0zMVQyMzo1OTo1OS45OTk5OTk5WiE-"),
            ("blob_a3", "2!68!MDAwMDA3IWJsb2JfYTMhMDAwMDI4ITk5OTktMTItMzFUMjM6NTk6NTkuOTk5OTk5OVoh"),
        ] {
            let position = Position { name: name.into(), time: Timestamp::NEVER };
            assert_eq!(position.marker(), marker);
            assert_eq!(Position::read(marker), Ok(position));
        }
        let container = Position::before("listcontainer244a81a2f");
        assert_eq!(container.account_marker("storagename", false), "/storagename/listcontainer244a81a2f");
        assert_eq!(Position::read_account("/storagename/listcontainer244a81a2f", "storagename"), Ok(container));
    }

    #[test]
    fn what_is_not_a_marker_is_refused() {
        let forged = |plain: &str| format!("2!{}!{}", STANDARD.encode(plain).len(), STANDARD.encode(plain).replace('=', "-"));
        for marker in [
            "",
            "foo",
            "2!",
            "2!4!",
            "2!4!????",
            "2!67!MDAwMDA2IWJsb2JhMyEwMDAwMjghOTk5OS0xMi0zMVQyMzo1OTo1OS45OTk5OTk5WiE-",
            "3!68!MDAwMDA2IWJsb2JhMyEwMDAwMjghOTk5OS0xMi0zMVQyMzo1OTo1OS45OTk5OTk5WiE-",
            &forged("000003!a!000028!9999-12-31T23:59:59.9999999Z!"),
            &forged("000001!é!000028!9999-12-31T23:59:59.9999999Z!"),
            &forged("000001!a!000005!never!"),
            &forged("000001!a!000028!9999-12-31T23:59:59.9999999Z!!"),
        ] {
            let error = Position::read(marker).unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidQueryParameterValue, "{marker}");
            assert_eq!(error.details().first(), Some(&("QueryParameterName", "marker".to_owned())));
        }
        for marker in ["", "name", "/other/name", "/account", "/accountname"] {
            assert!(Position::read_account(marker, "account").is_err(), "{marker}");
        }
    }

    #[test]
    fn snapshots_come_before_their_blob_and_may_be_parted() {
        let items: Items =
            [("a", 5), ("a", 9), ("a", Timestamp::NEVER.ticks()), ("b", 3)].map(|(name, at)| (name.to_owned(), at)).into();
        let request = |start| PageRequest { prefix: "", delimiter: None, start, max: 2 };
        let first = page_of(&items, &request(None), true);
        assert_eq!(first.entries, [Entry::Item(("a", 5)), Entry::Item(("a", 9))]);
        assert_eq!(first.next, Some(Position { name: "a".into(), time: Timestamp::NEVER }));
        let second = page_of(&items, &request(first.next), true);
        assert_eq!(second.entries, [Entry::Item(("a", Timestamp::NEVER.ticks())), Entry::Item(("b", 3))]);
        assert_eq!(second.next, None);
    }

    #[test]
    fn beyond_a_prefix() {
        for (prefix, beyond_it) in [
            ("a/", Some("a0")),
            ("aé", Some("aê")),
            ("a\u{7F}", Some("a\u{80}")),
            ("a\u{D7FF}", Some("a\u{E000}")),
            ("a\u{10FFFF}\u{10FFFF}", Some("b")),
            ("\u{10FFFF}", None),
            ("", None),
        ] {
            assert_eq!(beyond(prefix).as_deref(), beyond_it, "{prefix:?}");
        }
    }

    #[test]
    fn maxresults_is_bounded() {
        for (text, wanted) in
            [(None, 5000), (Some("1"), 1), (Some("5000"), 5000), (Some("5001"), 5000), (Some("9000000000"), 5000)]
        {
            assert_eq!(maxresults(text), Ok(wanted), "{text:?}");
        }
        for (text, code) in [
            ("0", ErrorCode::OutOfRangeInput),
            ("-1", ErrorCode::OutOfRangeInput),
            ("", ErrorCode::InvalidQueryParameterValue),
            ("ten", ErrorCode::InvalidQueryParameterValue),
            ("1.5", ErrorCode::InvalidQueryParameterValue),
        ] {
            assert_eq!(maxresults(Some(text)).unwrap_err().code(), code, "{text}");
        }
    }
}
