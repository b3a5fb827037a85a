//! List Handles and Force Close Handles: the open handles of SMB clients.

use crate::operation::xml::Writer;
use crate::operation::{MaxResults, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::error::StorageError;
use crate::rules::listing;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::ops::spec::{READ, WRITE};
use crate::services::file::state::{Handle, NodePath, Share, Tree};

pub(super) static LIST_HANDLES: Operation<Files> = operation!(
    list,
    ListInput,
    OperationSpec { name: "List Handles", selectors: &[Selector::Query("comp", "listhandles")], ..READ }
);

pub(super) static FORCE_CLOSE_HANDLES: Operation<Files> = operation!(
    close,
    CloseInput,
    OperationSpec { name: "Force Close Handles", selectors: &[Selector::Query("comp", "forceclosehandles")], ..WRITE }
);

input! { pub(super) ListInput {
    // The id of the first handle on the page.
    marker: Option<u64> = Query "marker",
    max_results: MaxResults,
    recursive: Option<bool> = Header "x-ms-recursive",
    at: NodePath,
} }

input! { pub(super) CloseInput {
    handles: HandleSelection = Header "x-ms-handle-id",
    recursive: Option<bool> = Header "x-ms-recursive",
    at: NodePath,
} }

/// The handles to close.
#[derive(Clone, Copy, Debug)]
pub(super) enum HandleSelection {
    /// `*`
    All,
    One(u64),
}

from_text! {
    HandleSelection: |text: &str| match text {
        "*" => Some(HandleSelection::All),
        id => id.parse().ok().map(HandleSelection::One),
    };
}

async fn list(files: &Files, request: Request, input: ListInput) -> Result<Reply, StorageError> {
    let max = input.max_results.0.unwrap_or(listing::PAGE);
    let share = files.resource(&request)?.read();
    let node = share.admit_any(&input.at)?;
    let view = share.view(input.at.snapshot)?;
    // Nothing is open in a snapshot.
    let is_recursive = input.recursive == Some(true);
    let mut found = if view.snapshot.is_none() { share.handles_on(node.id, is_recursive) } else { Vec::new() };
    found.retain(|handle| input.marker.is_none_or(|first| handle.id >= first));

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
    xml.name("Path", &path, request.version >= Version::V2021_12_02);
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

async fn close(files: &Files, request: Request, input: CloseInput) -> Result<Reply, StorageError> {
    let close = |share: &mut Share| {
        let node = share.admit_any(&input.at)?;
        if input.at.snapshot.is_some() {
            return Ok(0);
        }
        let mut found = share.handles_on(node.id, input.recursive == Some(true));
        if let HandleSelection::One(id) = input.handles {
            found.retain(|handle| handle.id == id);
        }
        found.iter().for_each(|handle| share.close(handle, request.now));
        Ok(found.len())
    };
    let closed = files.write(&request, close).await?;
    Ok(Reply::new(request.spec.status)
        .with("x-ms-number-of-handles-closed", closed.to_string())
        .with("x-ms-number-of-handles-failed", "0"))
}
