//! List Directories and Files: what is in a directory, in order of the names as they are found, a page at a time.

use crate::operation::xml::Writer;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::file::handle::FileAccess;
use crate::rules::file::path::folded;
use crate::rules::file::smb::NodeKind;
use crate::rules::listing::Position;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::{listing, names};
use crate::services::file::files::Files;
use crate::services::file::node::Node;
use crate::services::file::state::WantedNode;
use crate::services::file::wire;

pub(super) static LIST_DIRECTORIES_AND_FILES: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "List Directories and Files",
        methods: &["GET"],
        resource: ResourceKind::Path,
        selectors: &[Selector::Query("restype", "directory"), Selector::Query("comp", "list")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::SNAPSHOT), Input::Group(wire::DOTS)],
        requires: RequiredPermission::container("l"),
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    prefix: Option<String> = Query "prefix",
    marker: Option<String> = Query "marker",
    maxresults: Option<String> = Query "maxresults",
    include: Option<String> = Query "include",
    extended: Option<bool> = Header "x-ms-file-extended-info",
} }

/// `include=`, and whether the answer has the ids of the directory and its entries: on request (`x-ms-file-extended-info: true`), and
/// always from 2020-10-02 on, whatever the header says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Include {
    extended: bool,
    timestamps: bool,
    etag: bool,
    attributes: bool,
    permission: bool,
}

impl Include {
    fn read(asked: &Asked, version: Version) -> Result<Include, StorageError> {
        let extended = asked.extended == Some(true) || version >= Version::V2020_10_02;
        let mut include = Include { extended, ..Include::default() };
        let words = asked.include.as_deref().unwrap_or_default();
        for word in words.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.to_ascii_lowercase().as_str() {
                "timestamps" => include.timestamps = true,
                "etag" => include.etag = true,
                "attributes" => include.attributes = true,
                "permissionkey" => include.permission = true,
                _ => return Err(StorageError::invalid_query("include", word, "Invalid query parameter value.")),
            }
        }
        Ok(include)
    }
}

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let max = listing::maxresults(asked.maxresults.as_deref())?;
    let include = Include::read(&asked, request.version)?;
    let start = asked.marker.as_deref().map(Position::read).transpose()?;
    let share = files.share(&request)?.read();
    let directory = share.admit(&request, WantedNode::Directory, FileAccess::Look)?;
    let view = share.view(&request)?;

    let prefix = folded(asked.prefix.as_deref().unwrap_or_default());
    let start = start.map(|start| start.name).unwrap_or_default();
    let from = if folded(&start) > prefix { &start } else { &prefix };
    let mut page = view.tree.list(directory.id, from).take_while(|(name, _)| folded(name).starts_with(&prefix));

    let mut xml = Writer::new();
    let (path, taken) = (request.target.path()?.text(), view.taken.map(Timestamp::iso).unwrap_or_default());
    let mut attributes = vec![("ServiceEndpoint", request.endpoint.as_str()), ("ShareName", request.target.share()?)];
    if view.taken.is_some() {
        attributes.push(("ShareSnapshot", &taken));
    }
    attributes.push(("DirectoryPath", &path));
    xml.open_with("EnumerationResults", &attributes);
    xml.leaf_some("Prefix", asked.prefix.as_deref());
    xml.leaf_some("Marker", asked.marker.as_deref());
    xml.leaf_some("MaxResults", asked.maxresults.as_ref().map(|_| max.to_string()));
    if include.extended {
        xml.leaf("DirectoryId", directory.id.wire().to_string());
    }
    xml.nest("Entries", |xml| page.by_ref().take(max).for_each(|(name, node)| write(xml, name, node, include, &request)));
    xml.leaf("NextMarker", page.next().map(|(name, _)| Position::before(name).marker()).unwrap_or_default());
    xml.close("EnumerationResults");
    Ok(Reply::xml(request.spec.status, xml.finish()))
}

fn write(xml: &mut Writer, written: &str, node: &Node, include: Include, request: &Request) {
    let element = match node.sort() {
        NodeKind::Directory => "Directory",
        NodeKind::File => "File",
    };
    xml.open(element);
    match names::encoded_xml(written).filter(|_| request.version >= Version::V2021_12_02) {
        Some(encoded) => xml.leaf_with("Name", &[("Encoded", "true")], encoded),
        None => xml.leaf("Name", written),
    };
    if include.extended {
        xml.leaf("FileId", node.id.wire().to_string());
    }
    let smb = &node.smb;
    xml.nest("Properties", |xml| {
        if node.sort() == NodeKind::File {
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
