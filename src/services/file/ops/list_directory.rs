//! List Directories and Files: the entries of a directory in the order of their names, a page at a time.

use crate::operation::xml::Writer;
use crate::operation::{
    self, FieldLocation, Fields, FromField, FromRequest, Marker, MaxResults, Operation, OperationSpec, Reply, Request, Selector,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::folded;
use crate::rules::file::smb::NodeKind;
use crate::rules::listing;
use crate::rules::listing::Position;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::node::Node;
use crate::services::file::ops::spec::READ;
use crate::services::file::state::{NodePath, WantedNode};
use crate::services::shared::listing::included;

pub(super) static LIST_DIRECTORIES_AND_FILES: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "List Directories and Files",
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "list")],
        requires: RequiredPermission::container("l").actions(&[&[RoleAction::FileRead, RoleAction::FileReadBackup]]),
        ..READ
    }
);

input! { pub(super) Input {
    prefix: Option<String> = Query "prefix",
    marker: Marker,
    max_results: MaxResults,
    include: Include,
    at: NodePath,
} }

/// The optional parts of the response. `extended` are the ids of the directory and its entries: they are included on request
/// (`x-ms-file-extended-info: true`), and always from 2020-10-02 on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Include {
    extended: bool,
    timestamps: bool,
    etag: bool,
    attributes: bool,
    permission: bool,
}

impl FromRequest for Include {
    const INPUTS: &'static [operation::Input] =
        &[operation::Input::query("include"), operation::Input::header("x-ms-file-extended-info")];

    fn from_request(fields: &Fields<'_>) -> Result<Include, StorageError> {
        let name = "x-ms-file-extended-info";
        let extended = Option::<bool>::from_field(fields, FieldLocation::Header, name)? == Some(true);
        let words = included(fields.query("include"), &["timestamps", "etag", "attributes", "permissionkey"])?;
        let has = |word| words.contains(&word);
        Ok(Include {
            extended: extended || fields.version >= Version::V2020_10_02,
            timestamps: has("timestamps"),
            etag: has("etag"),
            attributes: has("attributes"),
            permission: has("permissionkey"),
        })
    }
}

async fn run(files: &Files, request: Request, input: Input) -> Result<Reply, StorageError> {
    let Input { marker: Marker(marker), max_results: MaxResults(max), include, at, .. } = &input;
    let page_size = max.unwrap_or(listing::PAGE);
    let share = files.resource(&request)?.read();
    let directory = share.admit(&request, at, WantedNode::Directory, FileAccess::Look)?;
    let view = share.view(at.snapshot)?;

    let prefix = folded(input.prefix.as_deref().unwrap_or_default());
    let start = marker.as_ref().map_or("", |start| &start.name);
    let from = if folded(start) > prefix { start } else { &prefix };
    let mut page = view.tree.list(directory.id, from).take_while(|(name, _)| folded(name).starts_with(&prefix));

    let mut xml = Writer::new();
    let (path, snapshot) = (at.path.text(), at.snapshot.map(Timestamp::iso).unwrap_or_default());
    let mut attributes = vec![("ServiceEndpoint", request.endpoint.as_str()), ("ShareName", request.target.resource_name()?)];
    if at.snapshot.is_some() {
        attributes.push(("ShareSnapshot", &snapshot));
    }
    attributes.push(("DirectoryPath", &path));
    xml.open_with("EnumerationResults", &attributes);
    xml.leaf_some("Prefix", input.prefix.as_deref());
    xml.leaf_some("Marker", marker.as_ref().map(Position::marker));
    xml.leaf_some("MaxResults", max.map(|max| max.to_string()));
    if include.extended {
        xml.leaf("DirectoryId", directory.id.wire().to_string());
    }
    xml.nest("Entries", |xml| page.by_ref().take(page_size).for_each(|(name, node)| write(xml, name, node, *include, &request)));
    xml.leaf("NextMarker", page.next().map(|(name, _)| Position::before(name).marker()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

fn write(xml: &mut Writer, written: &str, node: &Node, include: Include, request: &Request) {
    let element = match node.kind() {
        NodeKind::Directory => "Directory",
        NodeKind::File => "File",
    };
    xml.open(element);
    xml.name("Name", written, request.version >= Version::V2021_12_02);
    if include.extended {
        xml.leaf("FileId", node.id.wire().to_string());
    }
    let smb = &node.smb;
    xml.nest("Properties", |xml| {
        if node.kind() == NodeKind::File {
            xml.leaf("Content-Length", node.size().to_string());
        }
        if include.timestamps {
            xml.leaf("CreationTime", smb.created.iso()).leaf("LastAccessTime", smb.written.iso());
            xml.leaf("LastWriteTime", smb.written.iso()).leaf("ChangeTime", smb.changed.iso());
            xml.leaf("Last-Modified", node.last_modified.rfc1123());
        }
        if include.etag {
            xml.leaf("Etag", node.etag().quoted());
        }
    });
    if include.attributes {
        xml.leaf("Attributes", smb.attributes.to_string());
    }
    if include.permission {
        xml.leaf("PermissionKey", smb.permission.to_string());
    }
    xml.close(element);
}
