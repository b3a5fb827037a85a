//! Listings of an account's containers, queues or shares: in order of their names, a page at a time.

use crate::operation::xml::Writer;
use crate::operation::{FromRequest, Input, Reply, Request};
use crate::rules::error::StorageError;
use crate::rules::listing;
use crate::rules::listing::{Entry, Position};
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::{Resource, ResourceIndex};
use crate::services::shared::resource_index::Deleted;
use std::sync::Arc;

/// The fields that such a listing reads.
pub const INPUTS: &[Input] = <Asked as FromRequest>::INPUTS;

input! { pub(super) Asked {
    prefix: Option<String> = Query "prefix",
    marker: Option<String> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    include: Option<String> = Query "include",
} }

/// A line of such a listing.
#[derive(Debug)]
pub struct ListedResource<'a, S> {
    /// The name.
    pub name: &'a str,
    /// What has it, or had it.
    pub state: Arc<S>,
    /// When it was born and when it was deleted, if it was.
    pub deleted: Option<(Timestamp, Deletion)>,
}

/// Answers a listing of what stands under these names. `plural` is the element around the entries ("Containers"), `known` the words
/// that `include` may have; `write` writes an entry, and is told the words that were given.
///
/// # Errors
/// 400 for a page size, a marker or a word of `include` that is none.
pub fn answer<S: Resource>(
    request: &Request,
    named: &ResourceIndex<S>,
    plural: &str,
    known: &'static [&'static str],
    mut write: impl FnMut(&mut Writer, &str, &S, &[&'static str]),
) -> Result<Reply, StorageError> {
    answer_lines(request, named, plural, known, &[], |xml, line, include| write(xml, line.name, &line.state, include))
}

/// As [`answer`], where `include=deleted` shows what was deleted and is kept, among the others of its name in order of birth; and
/// names that are the `system`'s own are shown only where they are asked for.
///
/// # Errors
/// As [`answer`].
pub fn answer_lines<S: Resource>(
    request: &Request,
    named: &ResourceIndex<S>,
    plural: &str,
    known: &'static [&'static str],
    system: &[&str],
    mut write: impl FnMut(&mut Writer, &ListedResource<'_, S>, &[&'static str]),
) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let include = words(asked.include.as_deref(), known)?;
    let prefix = asked.prefix.as_deref().unwrap_or_default();
    let account = &request.account.name;
    let start = asked.marker.as_deref().map(|marker| Position::read_account(marker, account)).transpose()?;
    let (deleted, whole) = (include.contains(&"deleted"), include.contains(&"system"));
    let ask = listing::PageRequest { prefix, delimiter: None, start, max };
    let page = listing::page(&ask, |from, _| {
        let lines = lines(named, from, deleted.then_some(request.now));
        lines.filter(|(name, ..)| whole || !system.contains(name))
    });
    let shown = || page.entries.iter().filter_map(|entry| if let Entry::Item(line) = entry { Some(line) } else { None });
    let last = shown().next_back().map(|line| line.name);
    let next = page.next.as_ref().map(|next| next.account_marker(account, last == Some(&next.name)));

    let mut xml = Writer::new();
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &request.endpoint)]);
    xml.leaf_some("Prefix", asked.prefix.as_deref());
    xml.leaf_some("Marker", asked.marker.as_deref());
    xml.leaf_some("MaxResults", asked.maxresults.as_ref().map(|_| max.to_string()));
    xml.nest(plural, |xml| shown().for_each(|line| write(xml, line, &include)));
    xml.leaf("NextMarker", next.unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

/// The names from one on, in order, with what was deleted and is still kept at this moment; of one name, what is there comes last.
fn lines<'a, S: Resource>(
    named: &'a ResourceIndex<S>,
    from: &str,
    deleted: Option<Timestamp>,
) -> impl Iterator<Item = (&'a str, Timestamp, ListedResource<'a, S>)> + use<'a, S> {
    let live = named.range(Arc::<str>::from(from)..);
    let mut live = live
        .map(|(name, cell)| (&**name, Timestamp::NEVER, ListedResource { name, state: cell.read(), deleted: None }))
        .peekable();
    let mut gone = deleted.map(|now| named.deleted_from(from, now)).into_iter().flatten().map(gone_line).peekable();
    std::iter::from_fn(move || match (live.peek(), gone.peek()) {
        (Some((there, ..)), Some((was, ..))) if was <= there => gone.next(),
        (None, Some(_)) => gone.next(),
        _ => live.next(),
    })
}

fn gone_line<'a, S: Resource>(
    (name, born, kept): (&'a str, Timestamp, &'a Deleted<S>),
) -> (&'a str, Timestamp, ListedResource<'a, S>) {
    (name, born, ListedResource { name, state: kept.state(), deleted: Some((born, kept.deletion)) })
}

/// Reads `include=`: some of the words that the service knows, in any case.
fn words(text: Option<&str>, known: &'static [&'static str]) -> Result<Vec<&'static str>, StorageError> {
    let given = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    let read = |word: &str| {
        let found = known.iter().find(|known| known.eq_ignore_ascii_case(word)).copied();
        found.ok_or_else(|| StorageError::invalid_query("include", word, "Invalid query parameter value."))
    };
    given.map(read).collect()
}
