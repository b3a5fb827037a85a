//! Lists of an account's containers, queues and shares, in the order of their names, a page at a time.

use crate::operation::xml::Writer;
use crate::operation::{Fields, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::listing;
use crate::rules::listing::{Entry, PageRequest, Position};
use crate::rules::metadata::Metadata;
use crate::rules::retention::{self, Deletion};
use crate::rules::time::Timestamp;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::resource::Resource;
use crate::services::shared::resource_index::{Deleted, ResourceIndex};
use std::marker::PhantomData;
use std::sync::Arc;

/// A container, queue or share, as an entry of the list of its account.
pub trait Listed: Resource {
    /// The element around the entries.
    const PLURAL: &'static str;
    /// The words of `include`. With `deleted`, deleted resources that are retained are listed too, before the current one of their name
    /// and in the order of their creation; with `system`, those of [`Listed::SYSTEM`].
    const INCLUDE: &'static [&'static str];
    /// The names of resources that the service itself creates.
    const SYSTEM: &'static [&'static str] = &[];

    /// Reads `maxresults`.
    ///
    /// # Errors
    /// 400 for anything but a positive number.
    fn page_size(text: Option<&str>) -> Result<usize, StorageError> {
        listing::maxresults(text)
    }

    fn write_entry(xml: &mut Writer, line: &ListedResource<'_, Self>, include: &[&str], request: &Request);
}

/// An entry of a list.
#[derive(Debug)]
pub struct ListedResource<'a, S> {
    pub name: &'a str,
    pub state: Arc<S>,
    /// When it was created, and its deletion, if it is deleted.
    pub deleted: Option<(Timestamp, Deletion)>,
}

impl<S: Resource> ListedResource<'_, S> {
    /// Writes the name and, of a deleted resource, the version that restores it.
    pub fn write_name(&self, xml: &mut Writer) {
        xml.leaf("Name", self.name);
        if let Some((created, _)) = self.deleted {
            xml.leaf("Deleted", "true").leaf("Version", retention::container_version(created));
        }
    }

    /// Writes the last properties: of a deleted resource, when it was deleted and for how long it is retained.
    pub fn write_deletion(&self, xml: &mut Writer, now: Timestamp) {
        if let Some((_, deletion)) = self.deleted {
            xml.leaf("DeletedTime", deletion.at.rfc1123());
            xml.leaf("RemainingRetentionDays", deletion.days_left_of_container(now).to_string());
        }
    }
}

/// Writes metadata as the elements of a list.
pub fn write_metadata(xml: &mut Writer, metadata: &Metadata) {
    xml.nest("Metadata", |xml| metadata.iter().for_each(|(name, value)| _ = xml.leaf(name, value)));
}

/// Declares the operation that lists them.
pub const fn operation<S: Listed>(name: &'static str) -> Operation<ServiceAccounts<S>> {
    operation!(
        list,
        ListInput::<S>,
        OperationSpec {
            name,
            methods: &["GET"],
            resource: ResourceKind::Service,
            selectors: &[Selector::Query("comp", "list")],
            requires: RequiredPermission::service("l").account_sas_only().actions(S::ACTIONS.read),
            ..OperationSpec::DEFAULT
        }
    )
}

struct ListInput<S> {
    prefix: Option<String>,
    marker: Option<String>,
    /// Whether the client limits the page.
    limited: bool,
    max: usize,
    include: Vec<&'static str>,
    start: Option<Position>,
    resource: PhantomData<fn() -> S>,
}

impl<S: Listed> FromRequest for ListInput<S> {
    const INPUTS: &'static [Input] =
        &[Input::query("prefix"), Input::query("marker"), Input::query("maxresults"), Input::query("include")];

    fn from_request(fields: &Fields<'_>) -> Result<ListInput<S>, StorageError> {
        let (marker, max) = (fields.query("marker"), fields.query("maxresults"));
        Ok(ListInput {
            prefix: fields.query("prefix").map(str::to_owned),
            marker: marker.map(str::to_owned),
            limited: max.is_some(),
            max: S::page_size(max)?,
            include: included(fields.query("include"), S::INCLUDE)?,
            start: marker.map(|marker| Position::read_account(marker, &fields.account.name)).transpose()?,
            resource: PhantomData,
        })
    }
}

async fn list<S: Listed>(accounts: &ServiceAccounts<S>, request: Request, input: ListInput<S>) -> Result<Reply, StorageError> {
    let index = accounts.account(&request.account.name)?.resources.read();
    let ListInput { prefix, marker, start, limited, max, include, .. } = input;
    let (deleted, system) = (include.contains(&"deleted"), include.contains(&"system"));
    let page_request = PageRequest { prefix: prefix.as_deref().unwrap_or_default(), delimiter: None, start, max };
    let page = listing::page(&page_request, |from, _| {
        let lines = lines(&index, from, deleted.then_some(request.now));
        lines.filter(|(name, ..)| system || !S::SYSTEM.contains(name))
    });
    let shown = || page.entries.iter().filter_map(|entry| if let Entry::Item(line) = entry { Some(line) } else { None });
    let last = shown().next_back().map(|line| line.name);
    let next = page.next.as_ref().map(|next| next.account_marker(&request.account.name, last == Some(&next.name)));

    let mut xml = Writer::new();
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &request.endpoint)]);
    xml.leaf_some("Prefix", prefix.as_deref());
    xml.leaf_some("Marker", marker.as_deref());
    xml.leaf_some("MaxResults", limited.then(|| max.to_string()));
    xml.nest(S::PLURAL, |xml| shown().for_each(|line| S::write_entry(xml, line, &include, &request)));
    xml.leaf("NextMarker", next.unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

/// The resources from a name on, in order, with those that are deleted and retained at this moment. Of one name, the current one is last.
fn lines<'a, S: Resource>(
    index: &'a ResourceIndex<S>,
    from: &str,
    deleted: Option<Timestamp>,
) -> impl Iterator<Item = (&'a str, Timestamp, ListedResource<'a, S>)> + use<'a, S> {
    let live = index.range(Arc::<str>::from(from)..);
    let mut live = live
        .map(|(name, cell)| (&**name, Timestamp::NEVER, ListedResource { name, state: cell.read(), deleted: None }))
        .peekable();
    let mut deleted = deleted.map(|now| index.deleted_from(from, now)).into_iter().flatten().map(deleted_line).peekable();
    std::iter::from_fn(move || match (live.peek(), deleted.peek()) {
        (Some((live, ..)), Some((name, ..))) if name <= live => deleted.next(),
        (None, Some(_)) => deleted.next(),
        _ => live.next(),
    })
}

fn deleted_line<'a, S: Resource>(
    (name, created, deleted): (&'a str, Timestamp, &'a Deleted<S>),
) -> (&'a str, Timestamp, ListedResource<'a, S>) {
    (name, created, ListedResource { name, state: deleted.state(), deleted: Some((created, deleted.deletion)) })
}

/// Reads `include`: words in any letter case.
///
/// # Errors
/// 400 InvalidQueryParameterValue for an unknown word.
pub fn included(text: Option<&str>, known: &'static [&'static str]) -> Result<Vec<&'static str>, StorageError> {
    let given = text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    let read = |word: &str| {
        let found = known.iter().find(|known| known.eq_ignore_ascii_case(word)).copied();
        found.ok_or_else(|| StorageError::invalid_query("include", word, "Invalid query parameter value."))
    };
    given.map(read).collect()
}
