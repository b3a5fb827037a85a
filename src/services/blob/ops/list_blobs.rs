//! List Blobs: the blobs of a container in order of their names, a page at a time; with a delimiter, level by level.
use crate::operation::xml::Writer;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::listing;
use crate::rules::listing::{Entry, Position};
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::ListedBlob;
use crate::services::blob::wire;
use crate::services::blob::wire::Include;

pub(super) static LIST_BLOBS: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "List Blobs",
        methods: &["GET"],
        resource: ResourceKind::Container,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "list")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: RequiredPermission::container("l").or_anonymous(AnonymousAccess::Container),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    prefix: Option<String> = Query "prefix",
    delimiter: Option<String> = Query "delimiter",
    marker: Option<String> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    include: Option<String> = Query "include",
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
impl Asked {
    /// Whether the client reads lists as Arrow, which versions before 2026-10-06 do not know.
    fn accepts_arrow(&self, version: Version) -> bool {
        let mut types = self.accept.as_deref().unwrap_or_default().split(',');
        let is_arrow = |kind: &str| kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(ARROW);
        version >= Version::V2026_10_06 && types.any(is_arrow)
    }
}

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    // Deleted paths are listed so where namespaces are hierarchical.
    if asked.show_only.is_some() {
        return Err(ErrorCode::UnsupportedQueryParameter.with_detail("QueryParameterName", "showonly"));
    }
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let include = Include::read(asked.include.as_deref())?;
    let start = match (&asked.marker, &asked.start_from) {
        (Some(marker), _) => Some(Position::read(marker)?),
        (None, Some(name)) => Some(Position::before(name)),
        (None, None) => None,
    };
    let prefix = asked.prefix.as_deref().unwrap_or_default();
    let ask = listing::PageRequest { prefix, delimiter: asked.delimiter.as_deref(), start, max };
    // Exclusive. Versions before 2026-10-06 do not know it.
    let end = asked.end_before.as_deref().filter(|_| request.version >= Version::V2026_10_06);
    let container = blobs.container(&request)?.read();
    let page = listing::page(&ask, |name, _| {
        let listed = container.list_from(name, include.also, request.now);
        listed.take_while(|(name, _)| end.is_none_or(|end| *name < end)).filter_map(|(name, listed)| match listed {
            ListedBlob::Blob(at, blob) => include.shows(at, blob, request.now).then_some((name, at.time(), (name, listed))),
            ListedBlob::VersionsOnly(_) | ListedBlob::Uncommitted(_) => Some((name, Timestamp::NEVER, (name, listed))),
        })
    });

    #[cfg(feature = "arrow")]
    if asked.accepts_arrow(request.version) {
        return Ok(arrow(request.spec.status, wire::arrow_list(page, include, &request)?));
    }
    let mut xml = Writer::new();
    let url = format!("{}{}", request.endpoint, request.target.container()?);
    let container_name = if request.version >= Version::V2013_08_15 { request.target.container()? } else { &url };
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &request.endpoint), ("ContainerName", container_name)]);
    if asked.prefix.is_some() {
        wire::write_name(&mut xml, "Prefix", prefix, request.version);
    }
    xml.leaf_some("Marker", asked.marker.as_deref());
    xml.leaf_some("MaxResults", asked.maxresults.as_ref().map(|_| max.to_string()));
    xml.leaf_some("Delimiter", asked.delimiter.as_deref());
    xml.nest("Blobs", |xml| {
        for entry in &page.entries {
            match entry {
                Entry::Prefix(prefix) => {
                    xml.open("BlobPrefix");
                    wire::write_name(xml, "Name", prefix, request.version);
                    xml.close("BlobPrefix");
                }
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
