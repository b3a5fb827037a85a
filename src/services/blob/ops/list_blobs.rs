//! List Blobs: the blobs of a container in order of their names, in pages; with a delimiter, level by level.

use crate::operation::xml::Writer;
use crate::operation::{Marker, MaxResults, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::listing;
use crate::rules::listing::{Entry, Position};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::READ_CONTAINER;
use crate::services::blob::state::{Container, ListedBlob, ListedPath, PathListing, check_listed};
use crate::services::blob::wire;
use crate::services::blob::wire::{Include, Line};
use std::borrow::Cow;

pub(super) static LIST_BLOBS: Operation<Blobs> = operation!(
    list_blobs,
    Input,
    OperationSpec {
        name: "List Blobs",
        path_action: Some(Action::List),
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "list")],
        requires: RequiredPermission::container("l").actions(&[&[RoleAction::BlobRead]]).or_anonymous(AnonymousAccess::Container),
        ..READ_CONTAINER
    }
);

input! { pub(super) Input {
    prefix: Option<String> = Query "prefix",
    delimiter: Option<String> = Query "delimiter",
    max: MaxResults,
    include: Include = Query "include",
    marker: Marker,
    start_from: Option<String> = Query "startfrom",
    show_only: Option<String> = Query "showonly",
    end_before: Option<String> = Query "endbefore",
    #[cfg(feature = "arrow")]
    accept: Option<String> = Header "accept",
} }

/// The media type of lists as Apache Arrow streams.
#[cfg(feature = "arrow")]
const ARROW: &str = "application/vnd.apache.arrow.stream";

#[cfg(feature = "arrow")]
impl Input {
    /// Returns true if the client accepts an Arrow stream, which versions before 2026-10-06 do not support.
    fn accepts_arrow(&self, version: Version) -> bool {
        let mut types = self.accept.as_deref().unwrap_or_default().split(',');
        let is_arrow = |kind: &str| kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(ARROW);
        version >= Version::V2026_10_06 && types.any(is_arrow)
    }
}

async fn list_blobs(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let start = input.marker.0.clone().or_else(|| input.start_from.as_ref().map(Position::before));
    let prefix = input.prefix.as_deref().unwrap_or_default();
    let container = blobs.resource(&request)?.read();
    let (lines, next) = match container.is_hierarchical() {
        true => hierarchical(&container, &request, &input, start.as_ref())?,
        false => flat(&container, &request, &input, start.clone())?,
    };

    #[cfg(feature = "arrow")]
    if input.accepts_arrow(request.version) {
        return Ok(arrow(request.spec.status, wire::arrow_list(&lines, next, input.include, &request)?));
    }
    let mut xml = Writer::new();
    let url = format!("{}{}", request.endpoint, request.target.resource_name()?);
    let container_name = if request.version >= Version::V2013_08_15 { request.target.resource_name()? } else { &url };
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &request.endpoint), ("ContainerName", container_name)]);
    if input.prefix.is_some() {
        xml.name("Prefix", prefix, wire::encodes_names(request.version));
    }
    xml.leaf_some("Marker", input.marker.0.as_ref().map(Position::marker));
    xml.leaf_some("MaxResults", input.max.0.map(|max| max.to_string()));
    xml.leaf_some("Delimiter", input.delimiter.as_deref());
    xml.nest("Blobs", |xml| {
        for line in &lines {
            match line {
                Line::Prefix(prefix, directory) => wire::write_prefix(xml, prefix, *directory, input.include, &request),
                Line::Blob(name, listed) => wire::write_listed(xml, name, *listed, input.include, &request),
            }
        }
    });
    xml.leaf("NextMarker", next.map(|next| next.marker()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

/// The lines of a page, and the position of the next one.
type Lines<'a> = (Vec<Line<'a>>, Option<Position>);

/// A page of the names of a flat namespace.
fn flat<'a>(
    container: &'a Container,
    request: &Request,
    input: &Input,
    start: Option<Position>,
) -> Result<Lines<'a>, StorageError> {
    // It lists deleted paths of a hierarchical namespace.
    if input.show_only.is_some() {
        return Err(ErrorCode::UnsupportedQueryParameter.with_detail("QueryParameterName", "showonly"));
    }
    let prefix = input.prefix.as_deref().unwrap_or_default();
    let max = input.max.0.unwrap_or(listing::PAGE);
    let page = listing::PageRequest { prefix, delimiter: input.delimiter.as_deref(), start, max };
    // Exclusive. Versions before 2026-10-06 ignore it.
    let end = input.end_before.as_deref().filter(|_| request.version >= Version::V2026_10_06);
    let page = listing::page(&page, |name, _| {
        let listed = container.list_from(name, input.include.also, request.now);
        listed.take_while(|(name, _)| end.is_none_or(|end| *name < end)).filter_map(|(name, listed)| match listed {
            ListedBlob::Blob(at, blob) if !input.include.shows(at, blob, request.now) => None,
            _ => Some((name, listed.time(), (name, listed))),
        })
    });
    let line = |entry| match entry {
        Entry::Prefix(prefix) => Line::Prefix(prefix, None),
        Entry::Item((name, listed)) => Line::Blob(Cow::Borrowed(name), listed),
    };
    Ok((page.entries.into_iter().map(line).collect(), page.next))
}

/// A page of the paths of a hierarchical namespace: files and directories, or with `showonly=deleted` those that can be restored.
fn hierarchical<'a>(
    container: &'a Container,
    request: &Request,
    input: &'a Input,
    start: Option<&'a Position>,
) -> Result<Lines<'a>, StorageError> {
    let delimiter = input.delimiter.as_deref().unwrap_or_default();
    if !matches!(delimiter, "" | "/") {
        return Err(StorageError::invalid_query(
            "delimiter",
            delimiter,
            "A hierarchical namespace has no other delimiter than /.",
        ));
    }
    let only_deleted = match input.show_only.as_deref() {
        None => false,
        Some(text) if text.eq_ignore_ascii_case("deleted") => true,
        Some(text) => return Err(StorageError::invalid_query("showonly", text, "Invalid query parameter value.")),
    };
    let listing = PathListing {
        prefix: input.prefix.as_deref().unwrap_or_default(),
        recursive: delimiter.is_empty(),
        current: !only_deleted,
        deleted: only_deleted || input.include.deleted,
        uncommitted: !only_deleted && input.include.also.uncommitted,
        start,
    };
    let (directory, _) = listing.prefix.rsplit_once('/').unwrap_or_default();
    container.check_access(&request.principal, Action::List, directory, request.now)?;
    let end = input.end_before.as_deref().filter(|_| request.version >= Version::V2026_10_06);
    let paths = container.list_paths(listing, request.now).take_while(|(name, ..)| end.is_none_or(|end| name.as_str() < end));
    // A deleted path comes whatever the directory is that it was in.
    let is_deleted = |listed: &ListedBlob<'_>| matches!(listed, ListedBlob::Blob(at, _) if *at != VersionSelector::Base);
    let reach = |name: &str| container.check_reachable(&request.principal, directory, name, request.now);
    let mut paths = paths.filter(|(name, listed)| !is_deleted(listed) || reach(name).is_ok());
    let line = |(name, listed): ListedPath<'a>| match listed {
        ListedBlob::Blob(VersionSelector::Base, blob) if !listing.recursive && blob.directory().is_some() => {
            Line::Prefix(format!("{name}/"), Some(blob))
        }
        _ => Line::Blob(Cow::Owned(name), listed),
    };
    let listed: Vec<ListedPath<'a>> = paths.by_ref().take(input.max.0.unwrap_or(listing::PAGE).max(1)).collect();
    if listing.recursive && listing.current {
        let blobs = listed.iter().filter_map(|(_, listed)| match listed {
            ListedBlob::Blob(_, blob) => Some(&***blob),
            ListedBlob::VersionsOnly(_) | ListedBlob::Uncommitted(_) => None,
        });
        check_listed(&request.principal, blobs)?;
    }
    listed.iter().filter(|(_, listed)| !is_deleted(listed)).try_for_each(|(name, _)| reach(name))?;
    let lines = listed.into_iter().map(line).collect();
    Ok((lines, paths.next().map(|(name, listed)| Position { time: listed.time(), name })))
}

#[cfg(feature = "arrow")]
fn arrow(status: u16, stream: Vec<u8>) -> Reply {
    let length = stream.len() as u64;
    let reply = Reply::new(status).with("content-type", ARROW);
    reply.stream(std::iter::once(Ok(stream.into())), Some(length))
}
