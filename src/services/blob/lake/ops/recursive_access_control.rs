//! Set Access Control Recursive: sets, modifies or removes entries of the access control lists of a directory and of all below it, in
//! pages.

use crate::operation::{Input, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::lake::acl::RecursiveChange;
use crate::rules::lake::path::PathKind;
use crate::rules::lease::LeaseCheck;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops::access_control::{check_letters_of, check_namespace};
use crate::services::blob::lake::ops::spec::WRITE;
use crate::services::blob::lake::wire;
use crate::services::blob::lake::wire::{Continuation, page_size};
use crate::services::blob::state::{AccessPage, AccessReport, Container};
use serde::Serialize;

pub(super) static SET_ACCESS_CONTROL_RECURSIVE: Operation<Blobs> = operation!(
    set_access_control_recursive,
    RecursiveInput,
    OperationSpec {
        name: "Set Path Access Control Recursive",
        path_action: Some(Action::GetStatus),
        selectors: &[Selector::Query("action", "setAccessControlRecursive")],
        requires: RequiredPermission::object("wp").service_sas("pe").actions(&[
            &[RoleAction::BlobModifyPermissions],
            &[RoleAction::BlobManageOwnership],
            &[RoleAction::BlobRunAsSuperUser]
        ]),
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        ..WRITE
    }
);

input! { pub(super) RecursiveInput {
    change: Change,
    max: MaxRecords,
    force: Option<bool> = Query "forceflag",
    continuation: Option<Continuation> = Query "continuation",
} }

parsed_input! {
    /// What happens to the access control lists.
    pub(super) Change(RecursiveChange) = [Input::query("mode"), Input::header("x-ms-acl")],
    |fields| RecursiveChange::read(fields.query("mode"), fields.header("x-ms-acl"))
}

/// The most paths of a page, and the default.
const MOST: usize = 2000;

parsed_input! {
    /// The most paths of a page (`maxRecords`).
    pub(super) MaxRecords(usize) = [Input::query("maxrecords")],
    |fields| page_size(fields, "maxrecords", MOST)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FailedEntry {
    error_message: &'static str,
    name: String,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    directories_successful: usize,
    failed_entries: Vec<FailedEntry>,
    failure_count: usize,
    files_successful: usize,
}

async fn set_access_control_recursive(blobs: &Blobs, request: Request, input: RecursiveInput) -> Result<Reply, StorageError> {
    check_namespace(&request)?;
    check_letters_of(&request, "p", "pe")?;
    let from = input.continuation.map(|continuation| continuation.0);
    let set = |container: &mut Container| {
        let force = input.force == Some(true);
        container.change_access(&request, AccessPage { change: &input.change.0, from: from.as_deref(), max: input.max.0, force })
    };
    let AccessReport { directories, files, failed, next } = blobs.write(&request, set).await?;
    let failed_entry = |(name, kind)| FailedEntry {
        error_message: ErrorCode::AuthorizationPermissionMismatch.message(),
        name,
        kind: if kind == PathKind::Directory { "DIRECTORY" } else { "FILE" },
    };
    let failed_entries: Vec<FailedEntry> = failed.into_iter().map(failed_entry).collect();
    let report = Report {
        directories_successful: directories,
        failure_count: failed_entries.len(),
        failed_entries,
        files_successful: files,
    };
    Ok(wire::json(&request, &report)?
        .with("x-ms-namespace-enabled", "true")
        .with_some("x-ms-continuation", next.map(|next| Continuation(next).to_string())))
}
