//! Find Blobs by Tags: the blobs of an account, or of one container, whose index tags match an expression.

use crate::operation::xml::Writer;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tags::Where;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::StorageError;
use crate::rules::listing;
use crate::rules::listing::{ListingFilter, Position};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::state::{ListInclude, ListedBlob};
use crate::services::blob::wire;
use std::sync::Arc;

/// How many blobs one request looks at before it answers with what it has and a marker.
const LOOKS: usize = 100_000;

pub(super) static FIND_BLOBS: Operation<Blobs> = within(
    "Find Blobs by Tags",
    ResourceKind::Service,
    &[Selector::Query("comp", "blobs")],
    RequiredPermission::object("f").account_sas_only(),
);

pub(super) static FIND_BLOBS_IN_CONTAINER: Operation<Blobs> = within(
    "Find Blobs by Tags in Container",
    ResourceKind::Container,
    &[Selector::Query("restype", "container"), Selector::Query("comp", "blobs")],
    RequiredPermission::object("f"),
);

const fn within(
    name: &'static str,
    shape: ResourceKind,
    signs: &'static [Selector],
    permit: RequiredPermission,
) -> Operation<Blobs> {
    operation!(
        run,
        OperationSpec {
            name,
            methods: &["GET"],
            resource: shape,
            selectors: signs,
            inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
            requires: permit,
            access: Access::Read,
            status: 200,
            ..OperationSpec::DEFAULT
        }
    )
}

input! { pub(super) Asked {
    search: String = Query "where",
    marker: Option<String> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    include: Option<String> = Query "include",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let scope = request.target.container_name();
    let search = Where::parse(&asked.search, scope.is_some())?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    check_include(asked.include.as_deref())?;
    let start = asked.marker.as_deref().map(place).transpose()?;
    let (from, first) = start.as_ref().map_or(("", ""), |(container, blob)| (container, blob));
    if scope.is_some() {
        blobs.container(&request)?;
    }
    let only = |name: &str| [scope, search.container()].into_iter().flatten().all(|only| only == name);

    let mut sieve = ListingFilter::new(max, LOOKS);
    let (mut found, mut next) = (Vec::new(), None);
    let containers = blobs.account(&request.account.name)?.resources.read();
    'containers: for (container, cell) in containers.range(Arc::<str>::from(from)..).filter(|(name, _)| only(name)) {
        let container_now = cell.read();
        let first = if **container == *from { first } else { "" };
        for (name, listed) in container_now.list_from(first, ListInclude::default(), request.now) {
            let blob = if let ListedBlob::Blob(VersionSelector::Base, blob) = listed {
                Some(blob).filter(|blob| blob.is_live(request.now))
            } else {
                None
            };
            match (sieve.sift(blob.is_some_and(|blob| search.finds(&blob.tags))), blob) {
                (Some(true), Some(blob)) => found.push((container.clone(), name.to_owned(), blob.clone())),
                (Some(_), _) => {}
                (None, _) => {
                    next = Some(Position::before(format!("{container}/{name}")));
                    break 'containers;
                }
            }
        }
    }

    let mut xml = Writer::new();
    xml.open_with("EnumerationResults", &[("ServiceEndpoint", &request.endpoint)]);
    xml.leaf_some("Marker", asked.marker.as_deref());
    xml.leaf("Where", &asked.search);
    xml.leaf_some("MaxResults", asked.maxresults.as_ref().map(|_| max.to_string()));
    xml.nest("Blobs", |xml| {
        for (container, name, blob) in &found {
            xml.open("Blob");
            wire::write_name(xml, "Name", name, request.version);
            xml.leaf("ContainerName", container);
            let tags = search.asked(&blob.tags);
            if request.version >= Version::V2020_04_08 {
                xml.nest("Tags", |xml| wire::write_tag_set(xml, &tags));
            } else {
                xml.leaf("TagValue", tags.iter().next().map_or("", |(_, value)| value));
            }
            xml.close("Blob");
        }
    });
    xml.leaf("NextMarker", next.map(|next| next.marker()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

/// Where a marker of this operation leads: a container, and a name in it.
fn place(marker: &str) -> Result<(String, String), StorageError> {
    let name = Position::read(marker)?.name;
    let (container, blob) = name
        .split_once('/')
        .ok_or_else(|| StorageError::invalid_query("marker", marker, "The value is not a marker that this operation gave."))?;
    Ok((container.to_owned(), blob.to_owned()))
}

/// Checks `include=`: versions add nothing yet.
fn check_include(text: Option<&str>) -> Result<(), StorageError> {
    let odd = |word: &&str| !["", "none", "versions"].contains(&word.to_ascii_lowercase().as_str());
    match text.unwrap_or_default().split(',').map(str::trim).find(odd) {
        Some(word) => Err(StorageError::invalid_query("include", word, "Invalid query parameter value.")),
        None => Ok(()),
    }
}
