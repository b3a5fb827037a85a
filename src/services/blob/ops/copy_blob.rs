//! Copy Blob. Within this server the bytes are shared and the copy is complete at once; from another server they come in the background,
//! and until they are there the copy is pending.
use crate::environment::Environment;
use crate::operation::{
    Access, FromRequest, Input, Operation, OperationSpec, RemoteResponse, Reply, Request, ResourceKind, SOURCE_CONDITIONS,
    Selector, Source, SourceAuthorization, SourceLocation, source_unavailable,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::blob::tier::{CurrentTier, RehydratePriority, TierSupport};
use crate::rules::conditions::{ConditionSupport, CurrentState, UnmetCondition};
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::time::Timestamp;
use crate::rules::{conditions, lease};
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::copy_properties::{BlobCopy, Progress};
use crate::services::blob::remote_source::RemoteBlob;
use crate::services::blob::state::{Blob, Container};
use crate::services::blob::{copy_properties, last_access, wire};
use crate::services::shared::remote_source::{RemoteSource, named_if_unmet};
use crate::store::Store;
use crate::store::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

pub(super) static COPY_BLOB: Operation<Blobs> = operation!(
    run,
    OperationSpec {
        name: "Copy Blob",
        methods: &["PUT"],
        resource: ResourceKind::Blob,
        selectors: &[Selector::HasHeader("x-ms-copy-source")],
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(wire::NewBlobHeaders::INPUTS),
            Input::Group(SOURCE_CONDITIONS)
        ],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        conditions: ConditionSupport::CopyTarget,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    source: String = Header "x-ms-copy-source",
    source_lease: Option<lease::LeaseId> = Header "x-ms-source-lease-id",
    seal: Option<bool> = Header "x-ms-seal-blob",
    priority: Option<String> = Header "x-ms-rehydrate-priority",
} }

async fn run(blobs: &Blobs, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let mut given = wire::NewBlobHeaders::read(&request, TierSupport::Any)?;
    let priority = asked.priority.as_deref().map_or(Ok(RehydratePriority::default()), RehydratePriority::read)?;
    let found = request.sources.find(&request, &asked.source, SourceAuthorization::Caller)?;
    let id = request.environment.id();
    let source = copy_properties::without_signature(&asked.source);
    let blob = match found {
        SourceLocation::Here(found) => {
            let original = original(blobs, &request, &asked, &found).await?;
            given.check_tier(&original.body)?;
            given.tier = CurrentTier::copied(original.tier, given.tier, priority, request.now)?;
            if original.check_online(request.now).is_err() && is_onto_itself(&request, &found) {
                return Err(ErrorCode::BlobArchived.into());
            }
            let copy = |body: &Body, at| BlobCopy::whole(id, source, body.len(), at);
            let body = sealed(original.body.clone(), asked.seal);
            make(blobs, &request, given, body, copy, |mut blob| {
                blob.headers = original.headers.clone();
                blob.metadata = original.metadata.clone();
                blob
            })
            .await?
            .1
        }
        SourceLocation::Elsewhere => {
            let elsewhere =
                RemoteSource::open(&request, &asked.source, None).await.map_err(|error| named_if_unmet(&request, error))?;
            let described = elsewhere.described()?;
            given.check_tier(&described.empty())?;
            let total = elsewhere.answer.length().ok_or_else(unmeasured)?;
            let bytes = Arc::new(AtomicU64::new(0));
            let arrived = Arc::downgrade(&bytes);
            let copy = |_: &Body, _| BlobCopy { id, source, total, progress: Progress::Pending(bytes), incremental: None };
            let (container, blob) = make(blobs, &request, given, described.empty(), copy, |mut blob| {
                blob.headers = described.headers.clone();
                blob.metadata = described.metadata.clone();
                blob
            })
            .await?;
            let container = Arc::downgrade(&container);
            let name = request.target.blob()?.0.into();
            let coming = PendingCopy {
                container,
                name,
                id,
                described,
                seal: asked.seal,
                total,
                arrived,
                environment: request.environment.clone(),
                store: request.store.clone(),
            };
            request.sources.go_on(Box::pin(coming.bring(elsewhere.answer)));
            blob
        }
    };
    let reply = Reply::new(request.spec.status)
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", blob.copy.as_ref().map_or("success", |copy| copy.status()));
    Ok(wire::with_written(reply, &blob))
}

/// The blob of this server that is copied, once it is as the request wants it.
async fn original(blobs: &Blobs, request: &Request, asked: &Asked, source: &Source) -> Result<Arc<Blob>, StorageError> {
    let gone = |error: StorageError| source.refused(request, error);
    let from = blobs.find(&source.account.name, source.target.container()?).map_err(gone)?;
    let original = from.read().source(source, request.now).map_err(gone)?;
    let stored = CurrentState { etag: original.etag(), modified: original.last_modified, tags: &original.tags };
    lease::check(original.lease(), LeaseCheck::IfPresent, asked.source_lease, LeasedResource::Blob, request.now)?;
    let want = request.conditions_named(&conditions::SOURCE)?;
    conditions::check_source(&want, &stored).map_err(UnmetCondition::of_source)?;
    // A copy brings no key of its source's.
    original.encryption.admits_reader(&Encryption::Service)?;
    last_access::keep(&from, &source.account, source.target.blob()?.0, &original, request.now).await;
    Ok(original)
}

/// Whether a copy would take its source's place. What is archived leaves the archive under another name.
fn is_onto_itself(request: &Request, source: &Source) -> bool {
    source.account.name == request.account.name
        && source.target.container_name() == request.target.container_name()
        && source.target.object_name() == request.target.object_name()
}

fn unmeasured() -> StorageError {
    ErrorCode::CannotVerifyCopySource.with_message("The copy source does not say its length.").with_status(409)
}

/// Recorded: the copy is sealed as its source was, unless the request says how it shall be.
fn sealed(mut body: Body, asked: Option<bool>) -> Body {
    if let (Body::Append { sealed, .. }, Some(seal)) = (&mut body, asked) {
        *sealed = seal;
    }
    body
}

/// Makes the blob, whole or with all its bytes still to come.
async fn make(
    blobs: &Blobs,
    request: &Request,
    given: wire::NewBlobHeaders,
    body: Body,
    copy: impl FnOnce(&Body, Timestamp) -> BlobCopy,
    inherit: impl FnOnce(Blob) -> Blob,
) -> Result<(Arc<Cell<Container>>, Arc<Blob>), StorageError> {
    let container = blobs.container(request)?;
    let keeping = blobs.retention_policy(request)?;
    let blob = container
        .write(|container| {
            let claimed = container.claim(request)?;
            if claimed.current().is_some_and(|blob| blob.body.type_name() != body.type_name()) {
                return Err(ErrorCode::InvalidBlobType.into());
            }
            if claimed.current().is_some_and(|blob| blob.lease().duration(request.now) == Some("fixed")) {
                return Err(ErrorCode::InfiniteLeaseDurationRequired.into());
            }
            Ok(container.create(claimed, request.now, keeping, |new| {
                let mut blob = inherit(new.blob(body, ContentHeaders::default()));
                blob.copy = Some(Arc::new(copy(&blob.body, blob.last_modified)));
                given.apply(blob)
            }))
        })
        .await?;
    Ok((container, blob))
}

/// A copy whose bytes come in the background. It holds nothing of what it copies to: when that is gone, it ends.
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
    async fn bring(self, answer: RemoteResponse) {
        let mut filling = self.described.filling(&self.store, self.total, self.environment.now());
        let take = |piece: &[u8]| {
            filling.push(piece)?;
            let count = self.arrived.upgrade().ok_or_else(|| source_unavailable("nobody waits for it any more"))?;
            count.store(filling.came(), Ordering::Relaxed);
            Ok(())
        };
        let streamed = answer.stream(0..u64::MAX, self.total, take).await;
        let Some(container) = self.container.upgrade() else { return };
        let now = self.environment.now();
        let body = streamed.and_then(|()| match filling.came() == self.total {
            true => filling.finish(),
            false => Err(source_unavailable("the source is not as long as it said")),
        });
        let came = body.map(|body| sealed(body, self.seal)).map_err(|error| {
            tracing::debug!(target: "lazuli::copy", "{error}");
            "500 InternalServerError \"Copy failed when reading the source.\"".into()
        });
        // Whoever stopped it meanwhile, or deleted the blob or its container, does not wait for this.
        _ = container.write(|container| container.end_copy(&self.name, self.id, now, came)).await;
    }
}
