//! Copy File. A copy of a file on this server shares its bytes and completes at once. The bytes of a blob or of another server arrive in
//! the background, and the copy is pending until then.

use crate::environment::Environment;
use crate::operation::{
    Access, FromText, Operation, OperationSpec, RemoteResponse, Reply, Request, ResourceKind, Selector, SourceAuthorization,
    source_unavailable,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix::{Posix, PosixFileType, PosixInput};
use crate::rules::file::smb::{Attributes, AttributesInput, NodeKind, PermissionInput, Smb, SmbInput};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::ranges::RequestedRange;
use crate::services::file::files::{Files, Source};
use crate::services::file::node::{Body, ContentHeaders, File, FileCopy, NodeId};
use crate::services::file::ops::create_file::check_size;
use crate::services::file::state::{CurrentPath, Share};
use crate::services::file::wire::{self, CopySourceAuthorization, SourceTrailingDots, word};
use crate::services::shared::copying::Progress;
use crate::services::shared::remote_source::{NamedSource, RemoteSource, text};
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::sparse::{PageFilling, Sparse};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

pub(super) static COPY_FILE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Copy File",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::HasHeader("x-ms-copy-source")],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-copy-source",
    permission_mode: Option<CopyMode> = Header "x-ms-file-permission-copy-mode",
    ignore_readonly: Option<bool> = Header "x-ms-file-copy-ignore-readonly",
    set_archive: Option<bool> = Header "x-ms-file-copy-set-archive",
    posix_mode: Option<CopyMode> = Header "x-ms-file-mode-copy-mode",
    posix_owner: Option<CopyMode> = Header "x-ms-file-owner-copy-mode",
    _authorization: CopySourceAuthorization,
    smb: SmbInput,
    posix: PosixInput,
    at: CurrentPath,
    source_dots: SourceTrailingDots,
    metadata: Metadata,
} }

/// Where a property of the copy comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CopyMode {
    /// From the request, or from the default.
    Override,
    Source,
}

impl FromText for CopyMode {
    fn from_text(text: &str) -> Option<CopyMode> {
        word(text, &[("override", CopyMode::Override), ("source", CopyMode::Source)])
    }
}

impl Input {
    /// The POSIX properties that the copy inherits from its source.
    fn inherited_posix(&self, source: Option<&Posix>) -> Option<Posix> {
        let mode = self.posix_mode == Some(CopyMode::Source);
        let owner = self.posix_owner == Some(CopyMode::Source);
        let default = Posix::of_new(PosixFileType::File);
        source.filter(|_| mode || owner).map(|source| Posix {
            mode: if mode { source.mode.clone() } else { default.mode },
            owner: if owner { source.owner.clone() } else { default.owner },
            group: if owner { source.group.clone() } else { default.group },
        })
    }
}

/// The source of a copy: its properties, and its bytes or their number.
#[derive(Default)]
struct CopySource {
    content: Sparse,
    headers: ContentHeaders,
    metadata: Metadata,
    smb: Option<Smb>,
    posix: Option<Arc<Posix>>,
    permission: Option<Arc<str>>,
    /// The response whose body has the bytes of a remote source.
    remote: Option<RemoteResponse>,
}

impl CopySource {
    async fn find(files: &Files, request: &Request, input: &Input) -> Result<CopySource, StorageError> {
        let url = &input.source;
        match files.source(request, url, SourceAuthorization::Caller, input.source_dots.0)? {
            Some(source) => CopySource::local(&source),
            None => {
                let (headers, conditions) = (request.parse()?, Conditions::default());
                let named = NamedSource { url, range: RequestedRange::Whole, conditions: &conditions, headers: &headers };
                CopySource::remote(RemoteSource::open(request, named).await?)
            }
        }
    }

    fn local(source: &Source) -> Result<CopySource, StorageError> {
        let node = &source.node;
        let file = node.file().ok_or(ErrorCode::ResourceTypeMismatch)?;
        Ok(CopySource {
            content: file.content.clone(),
            headers: file.headers.clone(),
            metadata: node.metadata.clone(),
            smb: Some(node.smb),
            posix: node.posix.clone(),
            permission: source.permission.clone(),
            remote: None,
        })
    }

    fn remote(source: RemoteSource) -> Result<CopySource, StorageError> {
        let unmeasured =
            || ErrorCode::CannotVerifyCopySource.with_message("The copy source does not say its length.").with_status(409);
        let total = check_size(source.answer.length().ok_or_else(unmeasured)?)?;
        let headers = &source.answer.headers;
        let one = |name: &str| text(headers, name).filter(|text| !text.is_empty()).map(Box::from);
        Ok(CopySource {
            content: Sparse::new(total),
            headers: ContentHeaders {
                content_type: one("content-type"),
                encoding: one("content-encoding"),
                language: one("content-language"),
                cache_control: one("cache-control"),
                md5: one("content-md5"),
                disposition: one("content-disposition"),
            },
            metadata: source.answer.metadata()?,
            smb: None,
            posix: None,
            permission: None,
            remote: Some(source.answer),
        })
    }
}

async fn run(files: &Files, request: Request, mut input: Input) -> Result<Reply, StorageError> {
    let source = CopySource::find(files, &request, &input).await?;
    if input.permission_mode == Some(CopyMode::Source) {
        input.smb.permission = source.permission.as_deref().map(|text| PermissionInput::Descriptor(text.to_owned()));
    }
    let inherited = input.inherited_posix(source.posix.as_deref());
    let id = request.environment.id();
    let arrived = Arc::new(AtomicU64::new(0));
    let total = source.content.len();
    let (is_pending, count) = (source.remote.is_some(), Arc::downgrade(&arrived));

    let share = files.share(&request)?;
    let node = share
        .write(|share| {
            let claimed = share.claim(&request, &input.at, input.ignore_readonly == Some(true))?;
            let permission = share.permission(&input.smb, NodeKind::File, None)?;
            let default = SmbInput::default().create(NodeKind::File, permission, request.now)?;
            let mut smb = input.smb.apply(NodeKind::File, default, source.smb, permission, request.now)?;
            // A copy whose request sets the attributes also has `Archive`; the attributes of a source stay unchanged (recorded).
            let is_archived = input.set_archive.unwrap_or(matches!(input.smb.attributes, Some(AttributesInput::Set(_))));
            if is_archived {
                smb.attributes = Attributes::with_archive(smb.attributes);
            }
            let posix = share.posix(input.posix, PosixFileType::File, inherited.as_ref())?;
            Ok(share.create(claimed, request.now, |new| {
                let progress = if is_pending { Progress::Pending(arrived) } else { Progress::whole(total, new.last_modified()) };
                let copy = FileCopy { id, source: wire::without_signature(&input.source), total, progress };
                let (content, headers) = (source.content, source.headers);
                let file = File { content, headers, copy: Some(Arc::new(copy)), ..File::default() };
                let metadata = if input.metadata.is_empty() { source.metadata } else { input.metadata };
                new.node(Body::File(Box::new(file)), (smb, posix), metadata)
            }))
        })
        .await?;
    if let Some(response) = source.remote {
        let (share, environment, store) = (Arc::downgrade(&share), request.environment.clone(), request.store.clone());
        let copy = PendingCopy { share, node: node.id, id, total, count, environment, store };
        request.sources.run_in_background(Box::pin(copy.receive(response)));
    }
    Ok(wire::state(&node, &request)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", if is_pending { "pending" } else { "success" }))
}

/// A copy whose bytes arrive in the background. It ends when its target is deleted, to which it holds only weak references.
struct PendingCopy {
    share: Weak<Cell<Share>>,
    node: NodeId,
    id: [u8; 16],
    total: u64,
    count: Weak<AtomicU64>,
    environment: Arc<Environment>,
    store: Store,
}

impl PendingCopy {
    async fn receive(self, response: RemoteResponse) {
        let (mut filling, mut received) = (PageFilling::new(&self.store, self.total, self.environment.now()), 0);
        let take = |piece: &[u8]| {
            filling.push(piece)?;
            received += piece.len() as u64;
            let count = self.count.upgrade().ok_or_else(|| source_unavailable("the copy was aborted or its file was deleted"))?;
            count.store(received, Ordering::Relaxed);
            Ok(())
        };
        let streamed = response.stream(0..u64::MAX, self.total, take).await;
        let Some(share) = self.share.upgrade() else { return };
        let outcome = streamed.and_then(|()| match received == self.total {
            true => Ok(filling.finish()?),
            false => Err(source_unavailable("the length of the source is not the one that its server reported")),
        });
        let outcome = outcome.map_err(|error| {
            tracing::debug!(target: "lazuli::copy", "{error}");
            "500 InternalServerError \"Copy failed when reading the source.\"".into()
        });
        // This fails if the copy was aborted or the file was deleted in the meantime.
        let now = self.environment.now();
        _ = share.write(|share| share.end_copy(self.node, self.id, now, outcome)).await;
    }
}
