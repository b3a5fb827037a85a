//! Undelete Blob: restores a deleted blob, its snapshots and versions within their retention period. It has no effect on a blob that
//! exists.

use crate::operation::{FromText, Operation, OperationSpec, Reply, Request, Selector};
use crate::rules::auth::permissions::{Authorization, SasScope};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::segments;
use crate::rules::lease::LeaseCheck;
use crate::rules::names;
use crate::rules::time::Timestamp;
use crate::rules::versions::Version;
use crate::rules::wire_name::WireName;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::Container;

pub(super) static UNDELETE_BLOB: Operation<Blobs> = operation!(
    undelete_blob,
    Input,
    OperationSpec {
        name: "Undelete Blob",
        // It creates the path that it restores.
        path_action: None,
        selectors: &[Selector::Query("comp", "undelete")],
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        ..WRITE
    }
);

input! { pub(super) Input {
    source: Option<UndeleteSource> = Header "x-ms-undelete-source",
} }

/// The deleted path of a hierarchical namespace, and the id of its deletion: `path?deletionid=id`.
#[derive(Debug)]
pub(super) struct UndeleteSource {
    /// `None` for the path of the request.
    path: Option<String>,
    deletion: Timestamp,
}

impl FromText for UndeleteSource {
    fn from_text(text: &str) -> Option<UndeleteSource> {
        let (path, query) = text.split_once('?')?;
        let (name, id) = query.split_once('=')?;
        let ticks = id.parse::<u64>().ok().filter(|_| name.eq_ignore_ascii_case("deletionid"))?;
        let deletion = Timestamp::from_ticks(ticks.checked_add(Timestamp::WINDOWS_EPOCH.ticks())?);
        let path = names::decode(path).ok()?;
        Some(UndeleteSource { path: Some(path).filter(|path| !path.is_empty()), deletion })
    }
}

/// Checks that the caller has rights to a deleted path other than that of the request, which is the one that its signature covers and
/// whose access control lists are checked. All clients name the same path twice.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
fn check_source(request: &Request, path: &str) -> Result<(), StorageError> {
    let is_same = segments(path).eq(segments(request.target.blob()?.0));
    let is_of_path = matches!(request.authorization, Authorization::Sas { scope: SasScope::Resource, .. });
    match !is_same && (is_of_path || request.principal.is_limited()) {
        true => Err(ErrorCode::AuthorizationPermissionMismatch
            .with_reason("only the whole account's rights restore a path as another one")),
        false => Ok(()),
    }
}

async fn undelete_blob(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    let undelete = |container: &mut Container| {
        let (name, _) = request.target.blob()?;
        if !container.is_hierarchical() {
            return container.undelete(name, request.now).map(|()| None);
        }
        let (path, deletion) = match &input.source {
            Some(source) => (source.path.as_deref(), Some(source.deletion)),
            None => (None, None),
        };
        let path = path.unwrap_or(name);
        check_source(&request, path)?;
        container.undelete_path(&request, path, deletion).map(Some)
    };
    let restored = blobs.write(&request, undelete).await?;
    let reply = Reply::new(request.spec.status);
    // The headers are those of recordings of 2021-06-08; one of 2020-08-04 has neither.
    Ok(match restored.filter(|_| request.version >= Version::V2020_10_02) {
        Some(blob) => reply
            .with("x-ms-creation-time", blob.created.rfc1123())
            .with_some("x-ms-resource-type", blob.path.as_ref().map(|path| path.kind().name())),
        None => reply,
    })
}
