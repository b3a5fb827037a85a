//! List Handles and Force Close Handles: what SMB clients have open, and an end to it.

use crate::operation::xml::Writer;
use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::versions::Version;
use crate::rules::{listing, names};
use crate::services::file::files::Files;
use crate::services::file::state::{Handle, Tree, WantedNode};
use crate::services::file::wire;
use crate::takes;
use std::sync::Arc;

pub(super) static LIST_HANDLES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "List Handles",
        methods: &["GET"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "listhandles")],
        inputs: &[Asked::FIELDS, wire::SNAPSHOT, wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "r", service: "r", public: AnonymousAccess::Never },
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, call| Box::pin(list(files, call)),
};

pub(super) static FORCE_CLOSE_HANDLES: Operation<Files> = Operation {
    spec: OperationSpec {
        name: "Force Close Handles",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("comp", "forceclosehandles")],
        inputs: &[Closing::FIELDS, wire::SNAPSHOT, wire::DOTS],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "w", service: "w", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |files, call| Box::pin(close(files, call)),
};

takes! { Asked {
    marker: Option<u64> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    recursive: Option<bool> = Header "x-ms-recursive",
} }

takes! { Closing {
    id: String = Header "x-ms-handle-id",
    recursive: Option<bool> = Header "x-ms-recursive",
} }

async fn list(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Asked::of(&call)?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let share = files.share(&call)?.read();
    let node = share.look_at(&call, WantedNode::Any)?;
    let view = share.view(&call)?;
    // Nothing is ever open in a snapshot. A marker is the id of the first handle of the next page.
    let mut found = if view.taken.is_none() { share.handles_on(node.id, asked.recursive == Some(true)) } else { Vec::new() };
    found.retain(|handle| asked.marker.is_none_or(|first| handle.id >= first));

    let mut xml = Writer::new();
    xml.open("EnumerationResults");
    xml.nest("Entries", |xml| found.iter().take(max).for_each(|handle| write(xml, handle, view.tree, &call)));
    xml.leaf("NextMarker", found.get(max).map(|next| next.id.to_string()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(call.spec.status, xml.finish()))
}

fn write(xml: &mut Writer, handle: &Handle, tree: &Tree, call: &OperationRequest) {
    let path = tree.path(handle.node);
    let parent = tree.node(handle.node).and_then(|node| node.places.first()).map_or(0, |place| place.parent.wire());
    xml.open("Handle").leaf("HandleId", handle.id.to_string());
    match names::encoded_xml(&path).filter(|_| call.version >= Version::V2021_12_02) {
        Some(encoded) => xml.leaf_with("Path", &[("Encoded", "true")], encoded),
        None => xml.leaf("Path", path),
    };
    xml.leaf("FileId", handle.node.wire().to_string()).leaf("ParentId", parent.to_string());
    xml.leaf("SessionId", handle.opener.session.to_string()).leaf("ClientIp", &handle.opener.address);
    if call.version >= Version::V2021_12_02 {
        xml.leaf("ClientName", &handle.opener.client);
    }
    xml.leaf("OpenTime", handle.opened.rfc1123());
    if call.version >= Version::V2022_11_02 {
        xml.nest("AccessRightList", |xml| handle.open.access.names().for_each(|name| _ = xml.leaf("AccessRight", name)));
    }
    xml.close("Handle");
}

async fn close(files: &Files, call: OperationRequest) -> Result<Reply, StorageError> {
    let asked = Closing::of(&call)?;
    let one = match asked.id.as_str() {
        "*" => None,
        text => Some(text.parse::<u64>().map_err(|_| StorageError::invalid_header("x-ms-handle-id", text))?),
    };
    let share = files.share(&call)?;
    let closed = share
        .write(|share| {
            let node = share.look_at(&call, WantedNode::Any)?;
            if share.view(&call)?.taken.is_some() {
                return Ok(0);
            }
            let found: Vec<Arc<Handle>> = share.handles_on(node.id, asked.recursive == Some(true));
            let chosen = found.iter().filter(|handle| one.is_none_or(|id| handle.id == id));
            Ok(chosen.map(|handle| share.close(handle, call.now)).count())
        })
        .await?;
    Ok(Reply::new(call.spec.status)
        .with("x-ms-number-of-handles-closed", closed.to_string())
        .with("x-ms-number-of-handles-failed", "0"))
}
