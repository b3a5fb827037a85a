//! List Filesystems: the file systems of an account in order of their names, in pages.

use crate::operation::{Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::wire;
use crate::services::blob::lake::wire::{Continuation, MaxResults};
use serde::Serialize;
use std::sync::Arc;

pub(super) static LIST_FILE_SYSTEMS: Operation<Blobs> = operation!(
    list_file_systems,
    Input,
    OperationSpec {
        name: "List Filesystems",
        methods: &["GET"],
        selectors: &[Selector::Query("resource", "account")],
        requires: RequiredPermission::service("l").account_sas_only().actions(&[&[RoleAction::ContainerRead]]),
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    prefix: Option<String> = Query "prefix",
    continuation: Option<Continuation> = Query "continuation",
    max: MaxResults,
} }

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FileSystem<'a> {
    etag: String,
    last_modified: String,
    name: &'a str,
}

#[derive(Serialize)]
struct FileSystems<'a> {
    filesystems: Vec<FileSystem<'a>>,
}

async fn list_file_systems(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let containers = blobs.account(&request.account.name)?.resources.read();
    let prefix = input.prefix.as_deref().unwrap_or_default();
    let from = input.continuation.as_ref().map_or(prefix, |continuation| continuation.0.as_str()).max(prefix);
    let mut found = containers.range(Arc::<str>::from(from)..).take_while(|(name, _)| name.starts_with(prefix));
    let filesystems = found.by_ref().take(input.max.0).map(|(name, cell)| {
        let container = cell.read();
        let last_modified = container.properties().last_modified.rfc1123();
        FileSystem { etag: container.etag().to_string(), last_modified, name }
    });
    let filesystems = filesystems.collect();
    let next = found.next().map(|(name, _)| Continuation(name.to_string()));
    Ok(wire::json(&request, &FileSystems { filesystems })?.with_some("x-ms-continuation", next.map(|next| next.to_string())))
}
