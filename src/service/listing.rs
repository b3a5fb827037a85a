//! Listings of an account's containers, queues or shares: in order of their names, a page at a time.

use super::directory::{Held, Named};
use crate::op::{Call, Field, Reply, xml::Writer};
use crate::rules::fault::Fault;
use crate::rules::listing::{self, Position};
use crate::takes;
use std::sync::Arc;

/// The fields that such a listing reads.
pub const FIELDS: &[Field] = Asked::FIELDS;

takes! { Asked {
    prefix: Option<String> = Query "prefix",
    marker: Option<String> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    include: Option<String> = Query "include",
} }

/// Answers a listing of what stands under these names. `plural` is the element around the entries ("Containers"), `known` the words
/// that `include` may have; `write` writes an entry, and is told the words that were given.
///
/// # Errors
/// 400 for a page size, a marker or a word of `include` that is none.
pub fn answer<S: Held>(
    call: &Call,
    named: &Named<S>,
    plural: &str,
    known: &'static [&'static str],
    mut write: impl FnMut(&mut Writer, &str, &S, &[&'static str]),
) -> Result<Reply, Fault> {
    let asked = Asked::of(call)?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let include = words(asked.include.as_deref(), known)?;
    let prefix = asked.prefix.as_deref().unwrap_or_default();
    let account = &call.account.name;
    let start = asked.marker.as_deref().map(|marker| Position::read_account(marker, account)).transpose()?;
    let from = start.as_ref().map(|start| start.name.as_str()).filter(|name| *name > prefix).unwrap_or(prefix);
    let mut page = named.range(Arc::<str>::from(from)..).take_while(|(name, _)| name.starts_with(prefix));

    let mut xml = Writer::new();
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &call.endpoint)]);
    xml.leaf_some("Prefix", asked.prefix.as_deref());
    xml.leaf_some("Marker", asked.marker.as_deref());
    xml.leaf_some("MaxResults", asked.maxresults.as_ref().map(|_| max.to_string()));
    xml.nest(plural, |xml| page.by_ref().take(max).for_each(|(name, cell)| write(xml, name, &cell.read(), &include)));
    xml.leaf("NextMarker", page.next().map(|(name, _)| Position::before(&**name).account_marker(account)).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(call.row.status, xml.finish()))
}

/// Reads `include=`: some of the words that the service knows, in any case.
fn words(text: Option<&str>, known: &'static [&'static str]) -> Result<Vec<&'static str>, Fault> {
    let given = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    let read = |word: &str| {
        let found = known.iter().find(|known| known.eq_ignore_ascii_case(word)).copied();
        found.ok_or_else(|| Fault::query("include", word, "Invalid query parameter value."))
    };
    given.map(read).collect()
}
