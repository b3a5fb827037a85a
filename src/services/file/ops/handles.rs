//! List Handles and Force Close Handles: what SMB clients have open, and an end to it.

use crate::operation::xml::Writer;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::versions::Version;
use crate::rules::{listing, names};
use crate::services::file::files::Files;
use crate::services::file::state::{Handle, Tree, WantedNode};
use crate::services::file::wire;
use std::sync::Arc;

pub(super) static LIST_HANDLES: Operation<Files> = operation!(
    list,
    OperationSpec {
        name: "List Handles",
        methods: &["GET"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "listhandles")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("r"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static FORCE_CLOSE_HANDLES: Operation<Files> = operation!(
    close,
    OperationSpec {
        name: "Force Close Handles",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "forceclosehandles")],
        inputs: &[Input::Group(<Closing as FromRequest>::INPUTS), Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::object("w"),
        access: Access::Write,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    marker: Option<u64> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    recursive: Option<bool> = Header "x-ms-recursive",
} }

input! { pub(super) Closing {
    id: String = Header "x-ms-handle-id",
    recursive: Option<bool> = Header "x-ms-recursive",
} }

async fn list(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let share = files.share(&request)?.read();
    let node = share.look_at(&request, WantedNode::Any)?;
    let view = share.view(&request)?;
    // Nothing is ever open in a snapshot. A marker is the id of the first handle of the next page.
    let mut found = if view.taken.is_none() { share.handles_on(node.id, asked.recursive == Some(true)) } else { Vec::new() };
    found.retain(|handle| asked.marker.is_none_or(|first| handle.id >= first));

    let mut xml = Writer::new();
    xml.open("EnumerationResults");
    xml.nest("Entries", |xml| found.iter().take(max).for_each(|handle| write(xml, handle, view.tree, &request)));
    xml.leaf("NextMarker", found.get(max).map(|next| next.id.to_string()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

fn write(xml: &mut Writer, handle: &Handle, tree: &Tree, request: &Request) {
    let path = tree.path(handle.node);
    let parent = tree.node(handle.node).and_then(|node| node.places.first()).map_or(0, |place| place.parent.wire());
    xml.open("Handle").leaf("HandleId", handle.id.to_string());
    match names::encoded_xml(&path).filter(|_| request.version >= Version::V2021_12_02) {
        Some(encoded) => xml.leaf_with("Path", &[("Encoded", "true")], encoded),
        None => xml.leaf("Path", path),
    };
    xml.leaf("FileId", handle.node.wire().to_string()).leaf("ParentId", parent.to_string());
    xml.leaf("SessionId", handle.opener.session.to_string()).leaf("ClientIp", &handle.opener.address);
    if request.version >= Version::V2021_12_02 {
        xml.leaf("ClientName", &handle.opener.client);
    }
    xml.leaf("OpenTime", handle.opened.rfc1123());
    if request.version >= Version::V2022_11_02 {
        xml.nest("AccessRightList", |xml| handle.open.access.names().for_each(|name| _ = xml.leaf("AccessRight", name)));
    }
    xml.close("Handle");
}

async fn close(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Closing>()?;
    let one = match asked.id.as_str() {
        "*" => None,
        text => Some(text.parse::<u64>().map_err(|_| StorageError::invalid_header("x-ms-handle-id", text))?),
    };
    let share = files.share(&request)?;
    let closed = share
        .write(|share| {
            let node = share.look_at(&request, WantedNode::Any)?;
            if share.view(&request)?.taken.is_some() {
                return Ok(0);
            }
            let found: Vec<Arc<Handle>> = share.handles_on(node.id, asked.recursive == Some(true));
            let chosen = found.iter().filter(|handle| one.is_none_or(|id| handle.id == id));
            Ok(chosen.map(|handle| share.close(handle, request.now)).count())
        })
        .await?;
    Ok(Reply::new(request.spec.status)
        .with("x-ms-number-of-handles-closed", closed.to_string())
        .with("x-ms-number-of-handles-failed", "0"))
}
