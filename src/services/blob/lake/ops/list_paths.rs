//! List Paths: what a directory contains, one level or all, in pages.

use crate::operation::{Operation, OperationSpec, Reply, Request};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Action;
use crate::rules::lake::path::{Namespace, Path};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::FILE_SYSTEM;
use crate::services::blob::lake::wire;
use crate::services::blob::lake::wire::{Continuation, JSON, MaxResults, Upn};
use crate::services::blob::state::{Blob, Container, WalkOptions, check_listed};
use serde::Serialize;

pub(super) static LIST_PATHS: Operation<Blobs> = operation!(
    list_paths,
    (Input, Upn),
    OperationSpec {
        name: "List Paths",
        methods: &["GET"],
        path_action: Some(Action::List),
        requires: RequiredPermission::container("l").actions(&[&[RoleAction::BlobRead]]),
        ..FILE_SYSTEM
    }
);

input! { pub(super) Input {
    recursive: bool = Query "recursive",
    directory: Option<String> = Query "directory",
    continuation: Option<Continuation> = Query "continuation",
    max: MaxResults,
    begin_from: Option<String> = Query "beginfrom",
} }

/// An entry of the list. The keys are in their order on the wire, and all values are texts (recorded).
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(rename = "EncryptionContext", skip_serializing_if = "Option::is_none")]
    encryption_context: Option<&'a str>,
    #[serde(rename = "EncryptionScope", skip_serializing_if = "Option::is_none")]
    encryption_scope: Option<&'a str>,
    #[serde(rename = "contentLength")]
    content_length: String,
    #[serde(rename = "creationTime")]
    creation_time: String,
    etag: String,
    #[serde(rename = "expiryTime")]
    expiry_time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(rename = "isDirectory", skip_serializing_if = "Option::is_none")]
    is_directory: Option<&'a str>,
    #[serde(rename = "lastModified")]
    last_modified: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permissions: Option<String>,
}

#[derive(Serialize)]
struct Paths<'a> {
    paths: Vec<Entry<'a>>,
}

async fn list_paths(blobs: &Blobs, request: Request, (input, Upn): (Input, Upn)) -> Result<Reply, StorageError> {
    let container = blobs.resource(&request)?.read();
    let directory = Path::parse(input.directory.as_deref().unwrap_or_default(), Namespace::Hierarchical)?;
    if !container.is_hierarchical() {
        return flat(&container, &request, &directory, &input);
    }
    container.check_access(&request.principal, Action::List, directory.as_str(), request.now)?;
    let (blob, id) = container.directory_at(&directory, request.now)?;
    let Some(id) = id else {
        let paths = vec![entry(directory.to_string(), &blob)];
        return Ok(wire::json(&request, &Paths { paths })?.with("content-type", JSON));
    };
    let from = input.continuation.map(|continuation| continuation.0).or(input.begin_from).unwrap_or_default();
    let options = WalkOptions { recursive: input.recursive, from: &from, prefix: "" };
    let mut walk = container.walk(directory.as_str(), id, options, request.now);
    let listed: Vec<_> = walk.by_ref().take(input.max.0).collect();
    if input.recursive {
        let first = listed.first().map_or(directory.as_str(), |(path, _)| path);
        container.check_reachable(&request.principal, directory.as_str(), first, request.now)?;
        check_listed(&request.principal, listed.iter().map(|(_, blob)| &***blob))?;
    }
    let paths = listed.into_iter().map(|(name, blob)| entry(name, blob)).collect();
    let relative = |name: String| name.get(directory.as_str().len()..).unwrap_or_default().trim_start_matches('/').to_owned();
    let next = walk.next().map(|(name, _)| Continuation(relative(name)).to_string());
    Ok(wire::json(&request, &Paths { paths })?.with("content-type", JSON).with_some("x-ms-continuation", next))
}

/// A page of a flat namespace. No continuation of it is stored, so that each page begins by reading the names before it.
fn flat(container: &Container, request: &Request, directory: &Path, input: &Input) -> Result<Reply, StorageError> {
    let paths = container.flat_paths(directory.as_str(), input.recursive, request.now);
    if paths.is_empty() && !directory.is_root() {
        container.directory_at(directory, request.now)?;
    }
    let from = input.continuation.as_ref().map(|continuation| continuation.0.as_str());
    let mut rest = paths.into_iter().skip_while(|(path, ..)| from.is_some_and(|from| path != from));
    let page = rest.by_ref().take(input.max.0).map(|(path, blob, is_directory)| match is_directory {
        true => Entry { is_directory: Some("true"), content_length: "0".to_owned(), ..entry(path, blob) },
        false => entry(path, blob),
    });
    let paths = page.collect();
    let next = rest.next().map(|(path, ..)| Continuation(path).to_string());
    Ok(wire::json(request, &Paths { paths })?.with("content-type", JSON).with_some("x-ms-continuation", next))
}

fn entry(name: String, blob: &Blob) -> Entry<'_> {
    let path = blob.path.as_deref();
    Entry {
        encryption_context: path.and_then(|path| path.encryption_context.as_deref()),
        encryption_scope: match &blob.encryption {
            Encryption::Scope(scope) => Some(scope),
            Encryption::Service | Encryption::Key(_) => None,
        },
        content_length: blob.size().to_string(),
        creation_time: blob.created.file_time().to_string(),
        etag: blob.etag().to_string(),
        expiry_time: blob.expires.map_or(0, |expires| expires.file_time()).to_string(),
        group: path.map(|path| &*path.group),
        is_directory: blob.directory().map(|_| "true"),
        last_modified: blob.last_modified.rfc1123(),
        name,
        owner: path.map(|path| &*path.owner),
        permissions: path.map(|path| path.acl.permissions_text()),
    }
}
