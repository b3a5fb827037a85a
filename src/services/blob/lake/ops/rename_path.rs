//! Rename a file, or a directory with all that it contains.

use crate::operation::{
    Input, Operation, OperationSpec, Reply, Request, Selector, SourceAccess, SourceAuthorization, SourceConditions,
    SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Caller;
use crate::rules::lake::path::Namespace;
use crate::rules::lake::rename::{RenameMode, RenameSource};
use crate::rules::lake::route::source_without_account;
use crate::rules::lease::LeaseId;
use crate::rules::names;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire::{Properties, RenameSteps};
use crate::services::blob::state::RenameRequest;
use crate::services::blob::wire;
use percent_encoding::utf8_percent_encode;

pub(super) static RENAME_PATH: Operation<Blobs> = operation!(
    rename_path,
    (RenameInput, RenameSteps),
    OperationSpec {
        name: "Rename Path",
        path_action: None,
        methods: &["PUT"],
        selectors: &[Selector::HasHeader(SOURCE)],
        requires: RequiredPermission::object("mcw").actions(&[&[RoleAction::BlobMove], &[RoleAction::BlobWrite]]),
        // The final path is known only with the state of the file system, and its conditions are checked there.
        conditions: ConditionSupport::Create,
        status: 201,
        ..WRITE
    }
);

const SOURCE: &str = "x-ms-rename-source";
/// The permissions on the source: to move it, or else to read and to delete it: a caller that may only delete it must not see its content.
const MOVES: [RequiredPermission; 2] = [
    RequiredPermission::object("m").actions(&[&[RoleAction::BlobMove]]),
    RequiredPermission::object("rd").all().actions(&[&[RoleAction::BlobRead, RoleAction::BlobDelete]]),
];

input! { pub(super) RenameInput {
    source: String = Header "x-ms-rename-source",
    mode: Mode,
    conditions: SourceConditions,
    lease_id: Option<LeaseId> = Header "x-ms-source-lease-id",
    properties: Properties,
} }

parsed_input! {
    /// What the rename does with an existing destination.
    pub(super) Mode(RenameMode) = [Input::query("mode")],
    |fields| RenameMode::read(fields.query("mode"))
}

async fn rename_path(
    blobs: &Blobs,
    request: Request,
    (input, RenameSteps): (RenameInput, RenameSteps),
) -> Result<Reply, StorageError> {
    request.check_no_content()?;
    let account = &request.account.name;
    let text = source_without_account(&input.source, account, |name| blobs.find(account, name).is_ok());
    let source = RenameSource::parse(text, Namespace::Hierarchical)?;
    let principal = source_caller(&request, &source)?;
    let rename = RenameRequest {
        mode: input.mode.0,
        file_system: source.file_system.clone(),
        source: source.path,
        conditions: input.conditions.0,
        lease_id: input.lease_id,
        principal,
        properties: input.properties.0,
        retention: blobs.retention_policy(&request)?,
    };
    let destination = blobs.resource(&request)?;
    let from = blobs.find(account, &source.file_system)?;
    let renamed = if from == destination {
        destination.write(|container| container.rename(&rename, &request)).await?
    } else {
        from.write_both(&destination, |from, container| container.rename_from(from, &rename, &request)).await?
    };
    Ok(wire::state(&renamed, &request))
}

/// Checks that the caller may move the source, by the signature in its URL or by the credential of the request. Returns whose access
/// control lists apply to it.
///
/// # Errors
/// 403 for a signature that does not permit it.
fn source_caller(request: &Request, source: &RenameSource) -> Result<Caller, StorageError> {
    if source.query.is_none() && request.authorization.is_unlimited() {
        return Ok(request.principal.clone());
    }
    let encoded = |text: &str| utf8_percent_encode(text, names::RESERVED).to_string();
    let own = || {
        let parameters = request.query.names().filter_map(|name| Some((name, request.query.get(name)?)));
        parameters.map(|(name, value)| format!("{name}={}", encoded(value))).collect::<Vec<_>>().join("&")
    };
    let query = source.query.clone().unwrap_or_else(own);
    let (file_system, path) = (&source.file_system, source.path.as_str());
    let path: Vec<String> = path.split('/').map(encoded).collect();
    let url = format!("{}{}/{}?{query}", request.endpoint, encoded(file_system), path.join("/"));
    let find = |requires| {
        let access = SourceAccess { header: SOURCE, requires, authorization: SourceAuthorization::Presented };
        request.sources.find_for(request, &url, access)
    };
    let [moves, reads_and_deletes] = MOVES;
    match find(moves).or_else(|_| find(reads_and_deletes))? {
        SourceLocation::Local(source) => Ok(source.principal),
        SourceLocation::Remote => Err(ErrorCode::InvalidSourceUri.into()),
    }
}
