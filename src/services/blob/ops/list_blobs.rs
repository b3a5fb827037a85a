//! List Blobs: the blobs of a container in order of their names, in pages; with a delimiter, level by level.

use crate::operation::xml::Writer;
use crate::operation::{Marker, MaxResults, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::listing;
use crate::rules::listing::{Entry, Position};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::READ_CONTAINER;
use crate::services::blob::state::ListedBlob;
use crate::services::blob::wire;
use crate::services::blob::wire::Include;

pub(super) static LIST_BLOBS: Operation<Blobs> = operation!(
    list_blobs,
    Input,
    OperationSpec {
        name: "List Blobs",
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "list")],
        requires: RequiredPermission::container("l").or_anonymous(AnonymousAccess::Container),
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
    // It lists deleted paths in accounts with a hierarchical namespace.
    if input.show_only.is_some() {
        return Err(ErrorCode::UnsupportedQueryParameter.with_detail("QueryParameterName", "showonly"));
    }
    let (include, max) = (input.include, input.max.0.unwrap_or(listing::PAGE));
    let start = input.marker.0.clone().or_else(|| input.start_from.as_ref().map(Position::before));
    let prefix = input.prefix.as_deref().unwrap_or_default();
    let page = listing::PageRequest { prefix, delimiter: input.delimiter.as_deref(), start, max };
    // Exclusive. Versions before 2026-10-06 ignore it.
    let end = input.end_before.as_deref().filter(|_| request.version >= Version::V2026_10_06);
    let container = blobs.resource(&request)?.read();
    let page = listing::page(&page, |name, _| {
        let listed = container.list_from(name, include.also, request.now);
        listed.take_while(|(name, _)| end.is_none_or(|end| *name < end)).filter_map(|(name, listed)| match listed {
            ListedBlob::Blob(at, blob) if !include.shows(at, blob, request.now) => None,
            _ => Some((name, listed.time(), (name, listed))),
        })
    });

    #[cfg(feature = "arrow")]
    if input.accepts_arrow(request.version) {
        return Ok(arrow(request.spec.status, wire::arrow_list(page, include, &request)?));
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
        for entry in &page.entries {
            match entry {
                Entry::Prefix(prefix) => wire::write_prefix(xml, prefix, None, include, &request),
                Entry::Item((name, listed)) => wire::write_listed(xml, name, *listed, include, &request),
            }
        }
    });
    xml.leaf("NextMarker", page.next.map(|next| next.marker()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

#[cfg(feature = "arrow")]
fn arrow(status: u16, stream: Vec<u8>) -> Reply {
    let length = stream.len() as u64;
    let reply = Reply::new(status).with("content-type", ARROW);
    reply.stream(std::iter::once(Ok(stream.into())), Some(length))
}
