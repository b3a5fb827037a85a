//! Find Blobs by Tags: the blobs of an account, or of one container, whose index tags match an expression.

use crate::operation::xml::Writer;
use crate::operation::{
    FieldLocation, Fields, FromField, Marker, MaxResults, NamespaceSupport, Operation, OperationSpec, Reply, Request,
    ResourceKind, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::tags::Where;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::StorageError;
use crate::rules::listing;
use crate::rules::listing::{ListingFilter, Position};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::READ_CONTAINER;
use crate::services::blob::state::{ListInclude, ListedBlob};
use crate::services::blob::wire;
use crate::services::shared::listing::included;
use std::sync::Arc;

/// The blobs that one request examines before it answers with the blobs found so far and a marker.
const MAX_EXAMINED: usize = 100_000;

pub(super) static FIND_BLOBS: Operation<Blobs> = operation!(
    find_blobs,
    Input,
    OperationSpec {
        name: "Find Blobs by Tags",
        namespace: NamespaceSupport::Flat,
        methods: &["GET"],
        selectors: &[Selector::Query("comp", "blobs")],
        requires: RequiredPermission::object("f").account_sas_only().actions(&[&[RoleAction::BlobFilter]]),
        ..OperationSpec::DEFAULT
    }
);

pub(super) static FIND_BLOBS_IN_CONTAINER: Operation<Blobs> = operation!(
    find_blobs,
    Input,
    OperationSpec {
        name: "Find Blobs by Tags in Container",
        namespace: NamespaceSupport::Flat,
        selectors: &[Selector::Query("restype", "container"), Selector::Query("comp", "blobs")],
        requires: RequiredPermission::object("f").actions(&[&[RoleAction::BlobFilter]]),
        ..READ_CONTAINER
    }
);

input! { pub(super) Input {
    expression: Expression = Query "where",
    max: MaxResults,
    _include: Option<Include> = Query "include",
    marker: Marker,
} }

/// The words of `include`. None has an effect: versions are never found.
#[derive(Debug)]
pub(super) struct Include;

impl FromField for Option<Include> {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Option<Include>, StorageError> {
        included(fields.text(location, name), &["none", "versions"]).map(|_| Some(Include))
    }
}

/// The expression that the tags must match, and its text.
#[derive(Clone, Debug)]
pub(super) struct Expression(Where, String);

impl FromField for Expression {
    const REQUIRED: bool = true;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Expression, StorageError> {
        let text = String::from_field(fields, location, name)?;
        let in_container = fields.spec.resource == ResourceKind::Container;
        Ok(Expression(Where::parse(&text, in_container)?, text))
    }
}

async fn find_blobs(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let Expression(search, expression) = &input.expression;
    let scope = request.target.container_name();
    let (max, marker) = (input.max.0.unwrap_or(listing::PAGE), input.marker.0);
    let (from, first) = marker.as_ref().map_or(Ok(("", "")), start_of)?;
    if scope.is_some() {
        blobs.resource(&request)?;
    }
    let only = |name: &str| [scope, search.container()].into_iter().flatten().all(|only| only == name);

    let mut filter = ListingFilter::new(max, MAX_EXAMINED);
    let (mut found, mut next) = (Vec::new(), None);
    let containers = blobs.account(&request.account.name)?.resources.read();
    'containers: for (container, cell) in containers.range(Arc::<str>::from(from)..).filter(|(name, _)| only(name)) {
        let state = cell.read();
        let first = if **container == *from { first } else { "" };
        for (name, listed) in state.list_from(first, ListInclude::default(), request.now) {
            let blob = if let ListedBlob::Blob(VersionSelector::Base, blob) = listed {
                Some(blob).filter(|blob| blob.is_live(request.now))
            } else {
                None
            };
            match (filter.sift(blob.is_some_and(|blob| search.finds(&blob.tags))), blob) {
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
    xml.leaf_some("Marker", marker.as_ref().map(Position::marker));
    xml.leaf("Where", expression);
    xml.leaf_some("MaxResults", input.max.0.map(|max| max.to_string()));
    xml.nest("Blobs", |xml| {
        for (container, name, blob) in &found {
            xml.open("Blob");
            xml.name("Name", name, wire::encodes_names(request.version));
            xml.leaf("ContainerName", container);
            let tags = search.named(&blob.tags);
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

/// Where a page starts: a container, and a name in it.
fn start_of(marker: &Position) -> Result<(&str, &str), StorageError> {
    let reason = "The value is not a marker that this operation gave.";
    marker.name.split_once('/').ok_or_else(|| StorageError::invalid_query("marker", marker.marker(), reason))
}
