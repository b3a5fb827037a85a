//! Copy Blob. Within this server the bytes are shared and the copy is complete at once; from another server they arrive in the background,
//! and until then the copy is pending.

use crate::operation::{
    Operation, OperationSpec, Reply, Request, Selector, Source, SourceAuthorization, SourceConditions, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::blob::tier::{CurrentTier, RehydratePriority};
use crate::rules::conditions::{ConditionSupport, CurrentState, FailedCondition};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::ranges::RequestedRange;
use crate::rules::time::Timestamp;
use crate::rules::{conditions, lease};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::copy_properties::BlobCopy;
use crate::services::blob::ops::spec::WRITE;
use crate::services::blob::remote_source::RemoteBlob;
use crate::services::blob::state::{Blob, Container};
use crate::services::blob::wire::NewBlobHeaders;
use crate::services::blob::{copy_properties, last_access, wire};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::copying::{PendingCopy, Progress};
use crate::services::shared::remote_source::{ForwardedHeaders, NamedSource, RemoteSource, condition_error};
use crate::store::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub(super) static COPY_BLOB: Operation<Blobs> = operation!(
    copy_blob,
    Input,
    OperationSpec {
        name: "Copy Blob",
        selectors: &[Selector::HasHeader("x-ms-copy-source")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::BlobWrite], &[RoleAction::BlobAdd]]),
        conditions: ConditionSupport::CopyTarget,
        status: 202,
        ..WRITE
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-copy-source",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
    conditions: SourceConditions,
    forwarded: ForwardedHeaders,
    seal: Option<bool> = Header "x-ms-seal-blob",
    priority: Option<RehydratePriority> = Header "x-ms-rehydrate-priority",
    new: NewBlobHeaders,
} }

async fn copy_blob(blobs: &Blobs, request: Request, input: Input) -> Result<Reply, StorageError> {
    wire::check_unsupported_headers(&request)?;
    let found = request.sources.find(&request, &input.source, SourceAuthorization::Caller)?;
    let id = request.environment.id();
    let source = copy_properties::without_signature(&input.source);
    let blob = match found {
        SourceLocation::Local(found) => {
            let original = original(blobs, &request, &input, &found).await?;
            input.new.check_tier_of(&original.body)?;
            let priority = input.priority.unwrap_or_default();
            let tier = CurrentTier::copied(original.tier, input.new.tier(request.now), priority, request.now)?;
            if original.check_online(request.now).is_err() && is_onto_itself(&request, &found) {
                return Err(ErrorCode::BlobArchived.into());
            }
            let copy = |body: &Body, at| BlobCopy::whole(id, source, body.len(), at);
            let body = sealed(original.body.clone(), input.seal);
            create(blobs, &request, (body, original.headers.clone()), copy, |mut blob| {
                blob.metadata = original.metadata.clone();
                let mut blob = input.new.apply(blob, request.now);
                blob.tier = tier;
                blob
            })
            .await?
            .1
        }
        SourceLocation::Remote => {
            let conditions = &input.conditions.0;
            let named = NamedSource { url: &input.source, range: RequestedRange::Whole, conditions, headers: &input.forwarded };
            let remote = RemoteSource::open(&request, named).await.map_err(|error| condition_error(conditions, error))?;
            let described = RemoteBlob::read(&remote)?;
            input.new.check_tier_of(&described.empty())?;
            let total = remote.length()?;
            let bytes = Arc::new(AtomicU64::new(0));
            let arrived = Arc::downgrade(&bytes);
            let copy = |_: &Body, _| BlobCopy { id, source, total, progress: Progress::Pending(bytes), incremental: None };
            let content = (described.empty(), described.headers.clone());
            let (container, blob) = create(blobs, &request, content, copy, |mut blob| {
                blob.metadata = described.metadata.clone();
                input.new.apply(blob, request.now)
            })
            .await?;
            let environment = request.environment.clone();
            let body = described.filling(&request.store, total, environment.now());
            let name = Arc::from(request.target.blob()?.0);
            let end = move |container: &mut Container, now, outcome: Result<Body, Box<str>>| {
                container.end_copy(&name, id, now, outcome.map(|body| sealed(body, input.seal)))
            };
            let pending = PendingCopy { cell: Arc::downgrade(&container), total, arrived, environment };
            request.sources.run_in_background(Box::pin(pending.receive(remote.answer, body, end)));
            blob
        }
    };
    Ok(wire::copied(&blob, &request, id, blob.copy.as_ref().map_or("success", |copy| copy.status())))
}

/// The blob of this server that is copied, after all checks of the request's conditions on it.
async fn original(blobs: &Blobs, request: &Request, input: &Input, source: &Source) -> Result<Arc<Blob>, StorageError> {
    let refuse = |error: StorageError| source.refused(request, error);
    let from = blobs.find(&source.account.name, source.target.resource_name()?).map_err(refuse)?;
    let original = from.read().source(source, request.now).map_err(refuse)?;
    let stored = CurrentState { etag: original.etag(), modified: original.last_modified, tags: &original.tags };
    lease::check(original.lease(), LeaseCheck::IfPresent, input.source_lease, LeasedResource::Blob, request.now)?;
    conditions::check_source(&input.conditions.0, &stored).map_err(FailedCondition::of_source)?;
    // The request has no key of the source.
    original.encryption.admits_reader(&Encryption::Service)?;
    last_access::record(&from, &source.account, source.target.blob()?.0, &original, request.now).await;
    Ok(original)
}

/// Returns true if a copy would replace its source. An archived blob can only be copied to another name.
fn is_onto_itself(request: &Request, source: &Source) -> bool {
    source.account.name == request.account.name
        && source.target.container_name() == request.target.container_name()
        && source.target.object_name() == request.target.object_name()
}

/// The copy is sealed if its source is, unless the request sets it (recorded).
fn sealed(mut body: Body, requested: Option<bool>) -> Body {
    if let (Body::Append { sealed, .. }, Some(seal)) = (&mut body, requested) {
        *sealed = seal;
    }
    body
}

/// Creates the blob, complete or without its bytes.
async fn create(
    blobs: &Blobs,
    request: &Request,
    (body, headers): (Body, ContentHeaders),
    copy: impl FnOnce(&Body, Timestamp) -> BlobCopy,
    finish: impl FnOnce(Blob) -> Blob,
) -> Result<(Arc<Cell<Container>>, Arc<Blob>), StorageError> {
    let container = blobs.resource(request)?;
    let retention = blobs.retention_policy(request)?;
    let make = |container: &mut Container| {
        let claimed = container.claim(request)?;
        claimed.check_type(&body)?;
        if claimed.current().is_some_and(|blob| blob.lease().duration(request.now) == Some("fixed")) {
            return Err(ErrorCode::InfiniteLeaseDurationRequired.into());
        }
        container.create(claimed, request.now, retention, |new| {
            let mut blob = finish(new.blob(body, headers));
            blob.copy = Some(Arc::new(copy(&blob.body, blob.last_modified)));
            blob
        })
    };
    let blob = container.write(make).await?;
    Ok((container, blob))
}
