//! Copy Blob. Within this server the bytes are shared and the copy is complete at once; from another server they arrive in the background,
//! and until then the copy is pending.

use crate::environment::Environment;
use crate::operation::{
    Access, Operation, OperationSpec, RemoteResponse, Reply, Request, ResourceKind, Selector, Source, SourceAuthorization,
    SourceConditions, SourceLocation, source_unavailable,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tier::{CurrentTier, RehydratePriority};
use crate::rules::conditions::{ConditionSupport, CurrentState, UnmetCondition};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::ranges::RequestedRange;
use crate::rules::time::Timestamp;
use crate::rules::{conditions, lease};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::copy_properties::{BlobCopy, Progress};
use crate::services::blob::remote_source::RemoteBlob;
use crate::services::blob::state::{Blob, Container};
use crate::services::blob::wire::NewBlobHeaders;
use crate::services::blob::{copy_properties, last_access, wire};
use crate::services::shared::remote_source::{ForwardedHeaders, NamedSource, RemoteSource, condition_error};
use crate::store::Store;
use crate::store::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

pub(super) static COPY_BLOB: Operation<Blobs> = operation!(
    copy_blob,
    Input,
    OperationSpec {
        name: "Copy Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::HasHeader("x-ms-copy-source")],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        conditions: ConditionSupport::CopyTarget,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
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
            let elsewhere = RemoteSource::open(&request, named).await.map_err(|error| condition_error(conditions, error))?;
            let described = elsewhere.described()?;
            input.new.check_tier_of(&described.empty())?;
            let total = elsewhere.answer.length().ok_or_else(unmeasured)?;
            let bytes = Arc::new(AtomicU64::new(0));
            let arrived = Arc::downgrade(&bytes);
            let copy = |_: &Body, _| BlobCopy { id, source, total, progress: Progress::Pending(bytes), incremental: None };
            let content = (described.empty(), described.headers.clone());
            let (container, blob) = create(blobs, &request, content, copy, |mut blob| {
                blob.metadata = described.metadata.clone();
                input.new.apply(blob, request.now)
            })
            .await?;
            let pending = PendingCopy {
                container: Arc::downgrade(&container),
                name: request.target.blob()?.0.into(),
                id,
                described,
                seal: input.seal,
                total,
                arrived,
                environment: request.environment.clone(),
                store: request.store.clone(),
            };
            request.sources.go_on(Box::pin(pending.receive(elsewhere.answer)));
            blob
        }
    };
    let reply = Reply::new(request.spec.status)
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", blob.copy.as_ref().map_or("success", |copy| copy.status()));
    Ok(wire::with_written(reply, &blob))
}

/// The blob of this server that is copied, after all checks of the request's conditions on it.
async fn original(blobs: &Blobs, request: &Request, input: &Input, source: &Source) -> Result<Arc<Blob>, StorageError> {
    let refuse = |error: StorageError| source.refused(request, error);
    let from = blobs.find(&source.account.name, source.target.container()?).map_err(refuse)?;
    let original = from.read().source(source, request.now).map_err(refuse)?;
    let stored = CurrentState { etag: original.etag(), modified: original.last_modified, tags: &original.tags };
    lease::check(original.lease(), LeaseCheck::IfPresent, input.source_lease, LeasedResource::Blob, request.now)?;
    conditions::check_source(&input.conditions.0, &stored).map_err(UnmetCondition::of_source)?;
    // The request has no key of the source.
    original.encryption.admits_reader(&Encryption::Service)?;
    last_access::keep(&from, &source.account, source.target.blob()?.0, &original, request.now).await;
    Ok(original)
}

/// Returns true if a copy would replace its source. An archived blob can only be copied to another name.
fn is_onto_itself(request: &Request, source: &Source) -> bool {
    source.account.name == request.account.name
        && source.target.container_name() == request.target.container_name()
        && source.target.object_name() == request.target.object_name()
}

fn unmeasured() -> StorageError {
    ErrorCode::CannotVerifyCopySource.with_message("The copy source does not say its length.").with_status(409)
}

/// The copy is sealed if its source is, unless the request says otherwise (recorded).
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
    let container = blobs.container(request)?;
    let retention = blobs.retention_policy(request)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(request)?;
            if claimed.current().is_some_and(|blob| blob.body.type_name() != body.type_name()) {
                return Err(ErrorCode::InvalidBlobType.into());
            }
            if claimed.current().is_some_and(|blob| blob.lease().duration(request.now) == Some("fixed")) {
                return Err(ErrorCode::InfiniteLeaseDurationRequired.into());
            }
            Ok(container.create(claimed, request.now, retention, |new| {
                let mut blob = finish(new.blob(body, headers));
                blob.copy = Some(Arc::new(copy(&blob.body, blob.last_modified)));
                blob
            }))
        })
        .await?;
    Ok((container, blob))
}

/// A copy that receives its bytes in the background. It ends when the destination is deleted, which it does not keep alive.
struct PendingCopy {
    container: Weak<Cell<Container>>,
    name: Arc<str>,
    id: [u8; 16],
    described: RemoteBlob,
    seal: Option<bool>,
    total: u64,
    arrived: Weak<AtomicU64>,
    environment: Arc<Environment>,
    store: Store,
}

impl PendingCopy {
    async fn receive(self, answer: RemoteResponse) {
        let mut filling = self.described.filling(&self.store, self.total, self.environment.now());
        let take = |piece: &[u8]| {
            filling.push(piece)?;
            let count = self.arrived.upgrade().ok_or_else(|| source_unavailable("the destination was deleted"))?;
            count.store(filling.received(), Ordering::Relaxed);
            Ok(())
        };
        let streamed = answer.stream(0..u64::MAX, self.total, take).await;
        let Some(container) = self.container.upgrade() else { return };
        let now = self.environment.now();
        let body = streamed.and_then(|()| match filling.received() == self.total {
            true => filling.finish(),
            false => Err(source_unavailable("the source is not as long as it said")),
        });
        let outcome = body.map(|body| sealed(body, self.seal)).map_err(|error| {
            tracing::debug!(target: "lazuli::copy", "{error}");
            "500 InternalServerError \"Copy failed when reading the source.\"".into()
        });
        // It has no effect if the copy was aborted or the blob was deleted in the meantime.
        _ = container.write(|container| container.end_copy(&self.name, self.id, now, outcome)).await;
    }
}
