//! Incremental Copy Blob: copies one snapshot after another of a page blob, each to a snapshot of the destination. The destination itself
//! is never read or written; its snapshots are read.

use crate::operation::{
    NamespaceSupport, Operation, OperationSpec, Reply, Request, Selector, SourceAuthorization, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::ConditionSupport;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::copy_properties::{BlobCopy, IncrementalCopy};
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::state::{Blob, Container, NewBlob};
use crate::services::blob::{copy_properties, wire};
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::content::Content;
use crate::store::sparse::{Change, Sparse};
use std::sync::Arc;

pub(super) static INCREMENTAL_COPY: Operation<Blobs> = operation!(
    incremental_copy,
    Input,
    OperationSpec {
        name: "Incremental Copy Blob",
        namespace: NamespaceSupport::Flat,
        selectors: &[Selector::Query("comp", "incrementalcopy")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        conditions: ConditionSupport::CopyTargetIfMatch,
        status: 202,
        ..WRITE
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-copy-source",
} }

async fn incremental_copy(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    // Nothing shows that two snapshots on another server are of the same blob.
    let SourceLocation::Local(source) = request.sources.find(&request, &input.source, SourceAuthorization::Caller)? else {
        return Err(ErrorCode::InvalidSourceBlobUrl.into());
    };
    let (name, version) = source.target.blob()?;
    let snapshot = version.snapshot().ok_or(ErrorCode::IncrementalCopySourceMustBeSnapshot)?;
    let refuse = |error: StorageError| source.refused(&request, error);
    let from = blobs.find(&source.account.name, source.target.resource_name()?).map_err(refuse)?.read();
    let original = from.source(&source, request.now).map_err(refuse)?;
    let Body::Page { content, sequence } = &original.body else { return Err(ErrorCode::InvalidSourceBlobType.into()) };
    original.encryption.admits_reader(&Encryption::Service)?;

    let id = request.environment.id();
    let of = [source.account.name.clone(), source.target.resource_name()?.to_owned(), name.to_owned()];
    let increment = IncrementalCopy { of, created: original.created, snapshot, destination: Timestamp::default() };
    let copied = |at| Some(Arc::new(BlobCopy::whole(id, copy_properties::without_signature(&input.source), content.len(), at)));
    let retention = blobs.retention_policy(&request)?;
    let describe = |blob: &mut Blob| {
        blob.headers = original.headers.clone();
        blob.metadata = original.metadata.clone();
        blob.copy = copied(blob.last_modified);
    };
    let make = |new: NewBlob| {
        let mut blob = new.blob(original.body.clone(), ContentHeaders::default());
        describe(&mut blob);
        blob
    };
    let advance = |blob: &mut Blob, last| {
        if let Body::Page { content: before, .. } = &blob.body {
            let content = advanced(before, content, last, blob.last_modified);
            blob.body = Body::Page { content, sequence: *sequence };
        }
        describe(blob);
    };
    let copy = |container: &mut Container| container.copy_increment(&request, retention, increment, make, advance);
    let begun = blobs.write(&request, copy).await?;
    // The answer reports the copy as pending, however soon it ends (recorded).
    Ok(wire::copied(&begun, &request, id, "pending"))
}

/// The pages after the last snapshot, with the changes up to this one written now, so that two snapshots of the copy differ in the same
/// pages as those of the source.
fn advanced(before: &Sparse, source: &Sparse, last: Timestamp, now: Timestamp) -> Sparse {
    let mut pages = before.clone();
    pages.resize(source.len());
    for change in source.changes(before, last, 0..source.len()) {
        match change {
            Change::Written(range) => pages.write(range.start, &Content::from_chunks(source.slice(range.clone())), now),
            Change::Cleared(range) => pages.clear_at(range, now),
        }
    }
    pages
}
