//! Get and Set Blob Tags: the index tags of a blob. They change neither its entity tag nor its Last-Modified.

use crate::operation::{Input, NamespaceSupport, Operation, OperationSpec, Reply, Request, Selector, StateQuery, VersionQuery};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::checksums::RequestChecksums;
use crate::rules::conditions;
use crate::rules::error::StorageError;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops::spec::{READ, WRITE};
use crate::services::blob::state::Blob;
use crate::services::blob::wire;

pub(super) static GET_BLOB_TAGS: Operation<Blobs> = operation!(
    get_blob_tags,
    (StateQuery, BlobConditions),
    OperationSpec {
        name: "Get Blob Tags",
        namespace: NamespaceSupport::Flat,
        selectors: &[Selector::Query("comp", "tags")],
        requires: RequiredPermission::object("t").actions(&[&[RoleAction::BlobTagsRead]]),
        ..READ
    }
);

pub(super) static SET_BLOB_TAGS: Operation<Blobs> = operation!(
    set_blob_tags,
    ((VersionQuery, BlobConditions), RequestChecksums),
    OperationSpec {
        name: "Set Blob Tags",
        namespace: NamespaceSupport::Flat,
        selectors: &[Selector::Query("comp", "tags")],
        requires: RequiredPermission::object("t").actions(&[&[RoleAction::BlobTagsWrite]]),
        status: 204,
        ..WRITE
    }
);

parsed_input! {
    /// Conditions on the blob that has the tags, from 2026-02-06 on. They are part of the request's conditions.
    pub(super) BlobConditions(()) = [Input::Headers(&[
        conditions::BLOB.if_match,
        conditions::BLOB.if_none_match,
        conditions::BLOB.if_modified_since,
        conditions::BLOB.if_unmodified_since,
    ])],
    |_| Ok(())
}

/// The largest document of tags, in bytes.
const LIMIT: u64 = 64 << 10;

async fn get_blob_tags(blobs: &Blobs, request: Request, _: (StateQuery, BlobConditions)) -> Result<Reply, StorageError> {
    let blob = blobs.resource(&request)?.read().admit(&request)?;
    Ok(Reply::xml(request.spec.status, wire::tags(&blob.tags)))
}

async fn set_blob_tags(
    blobs: &Blobs,
    mut request: Request,
    (_, checksums): ((VersionQuery, BlobConditions), RequestChecksums),
) -> Result<Reply, StorageError> {
    let (document, digests) = request.body.document(LIMIT, checksums.wanted(request.version)).await?;
    checksums.check(digests)?;
    let tags = wire::read_tags(&document)?;
    let set = |blob: &mut Blob| {
        blob.tags = tags;
        Ok(())
    };
    blobs.amend(&request, set).await?;
    Ok(Reply::new(request.spec.status))
}
