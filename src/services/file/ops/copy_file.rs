//! Copy File. A file of this server shares its bytes, and the copy is complete at once; those of a blob or of another server come in the
//! background, and until they are there the copy is pending.

use crate::environment::Environment;
use crate::operation::{
    Access, FromRequest, Input, METADATA, Operation, OperationSpec, RemoteResponse, Reply, Request, ResourceKind, Selector,
    SourceAuthorization, source_unavailable,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix;
use crate::rules::file::posix::Posix;
use crate::rules::file::smb::{Attributes, Flags, NodeKind, Permission, Smb, SmbInput};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::ranges::RequestedRange;
use crate::services::file::files::{Files, Source};
use crate::services::file::node::{Body, ContentHeaders, File, FileCopy, Node, NodeId};
use crate::services::file::ops::create_file::check_size;
use crate::services::file::ops::put_range_from_url::SHOWN;
use crate::services::file::state::{Share, WantedNode};
use crate::services::file::wire;
use crate::services::shared::copying::Progress;
use crate::services::shared::remote_source::{NamedSource, RemoteSource, text};
use crate::store::Store;
use crate::store::cell::Cell;
use crate::store::sparse::{PageFilling, Sparse};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

pub(super) static COPY_FILE: Operation<Files> = operation!(
    run,
    OperationSpec {
        name: "Copy File",
        methods: &["PUT"],
        resource: ResourceKind::Path,
        selectors: &[Selector::HasHeader("x-ms-copy-source")],
        inputs: &[
            Input::Group(<Asked as FromRequest>::INPUTS),
            Input::Group(SHOWN),
            Input::Group(wire::SMB),
            Input::Group(wire::POSIX),
            Input::Group(wire::DOTS),
            Input::Group(wire::SOURCE_DOTS),
            Input::Group(METADATA)
        ],
        requires: RequiredPermission::object("cw"),
        access: Access::Write,
        lease: LeaseCheck::Required,
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    source: String = Header "x-ms-copy-source",
    permission_from: Option<String> = Header "x-ms-file-permission-copy-mode",
    ignore_readonly: Option<bool> = Header "x-ms-file-copy-ignore-readonly",
    set_archive: Option<bool> = Header "x-ms-file-copy-set-archive",
    mode_from: Option<String> = Header "x-ms-file-mode-copy-mode",
    owner_from: Option<String> = Header "x-ms-file-owner-copy-mode",
} }

impl Asked {
    /// What Unix knows of the source, as far as the copy gets it.
    fn posix(&self, source: Option<&Posix>) -> Result<Option<Posix>, StorageError> {
        let mode = from_source("x-ms-file-mode-copy-mode", self.mode_from.as_deref())?;
        let owner = from_source("x-ms-file-owner-copy-mode", self.owner_from.as_deref())?;
        let fresh = posix::PosixInput::default().over(None, posix::PosixFileType::File);
        Ok(source.filter(|_| mode || owner).map(|known| Posix {
            mode: if mode { known.mode.clone() } else { fresh.mode },
            owner: if owner { known.owner.clone() } else { fresh.owner },
            group: if owner { known.group.clone() } else { fresh.group },
        }))
    }
}

/// Whether the copy gets something from its source, and not from the request or by default.
fn from_source(header: &'static str, mode: Option<&str>) -> Result<bool, StorageError> {
    match mode {
        None => Ok(false),
        Some(mode) if mode.eq_ignore_ascii_case("override") => Ok(false),
        Some(mode) if mode.eq_ignore_ascii_case("source") => Ok(true),
        Some(mode) => Err(StorageError::invalid_header(header, mode)),
    }
}

/// What a copy begins with: what its source is, and the bytes or their number.
#[derive(Default)]
struct CopySource {
    content: Sparse,
    headers: ContentHeaders,
    metadata: Metadata,
    smb: Option<Smb>,
    posix: Option<Arc<Posix>>,
    permission: Option<Arc<str>>,
    /// The bytes that are still to come.
    coming: Option<RemoteResponse>,
}

impl CopySource {
    async fn find(files: &Files, request: &Request, url: &str) -> Result<CopySource, StorageError> {
        match files.source(request, url, SourceAuthorization::Caller)? {
            Some(source) => CopySource::here(&source),
            None => {
                let (headers, conditions) = (request.parse()?, Conditions::default());
                let named = NamedSource { url, range: RequestedRange::Whole, conditions: &conditions, headers: &headers };
                CopySource::elsewhere(RemoteSource::open(request, named).await?)
            }
        }
    }

    fn here(source: &Source) -> Result<CopySource, StorageError> {
        let node = &source.node;
        let file = node.file().ok_or(ErrorCode::ResourceTypeMismatch)?;
        Ok(CopySource {
            content: file.content.clone(),
            headers: file.headers.clone(),
            metadata: node.metadata.clone(),
            smb: Some(node.smb),
            posix: node.posix.clone(),
            permission: source.permission.clone(),
            coming: None,
        })
    }

    fn elsewhere(source: RemoteSource) -> Result<CopySource, StorageError> {
        let unmeasured =
            || ErrorCode::CannotVerifyCopySource.with_message("The copy source does not say its length.").with_status(409);
        let total = check_size(source.answer.length().ok_or_else(unmeasured)?)?;
        let told = &source.answer.headers;
        let one = |name: &str| text(told, name).filter(|text| !text.is_empty()).map(Box::from);
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
            coming: Some(source.answer),
        })
    }
}

async fn run(files: &Files, request: Request) -> Result<Reply, StorageError> {
    let asked = request.parse::<Asked>()?;
    let mut given = wire::given(&request)?;
    let copies_permission = from_source("x-ms-file-permission-copy-mode", asked.permission_from.as_deref())?;
    let posix = wire::given_posix(&request)?;
    let metadata = request.metadata()?;
    let original = CopySource::find(files, &request, &asked.source).await?;
    if copies_permission {
        given.permission = original.permission.map(|text| Permission::Is(text.to_string()));
    }
    let known = asked.posix(original.posix.as_deref())?;
    let id = request.environment.id();
    let arrived = Arc::new(AtomicU64::new(0));
    let total = original.content.len();
    let (is_pending, count) = (original.coming.is_some(), Arc::downgrade(&arrived));

    let share = files.share(&request)?;
    let node = share
        .write(|share| {
            let claimed = share.claim(&request, WantedNode::File, asked.ignore_readonly == Some(true))?;
            let permission = share.permission(&given, NodeKind::File, None)?;
            let fresh = SmbInput::default().make(NodeKind::File, permission, request.now)?;
            let mut smb = given.revise(NodeKind::File, fresh, original.smb, permission, request.now)?;
            // Recorded: a copy with attributes of its own has this one too. Those of its source stay as they are.
            let is_archived = asked.set_archive.unwrap_or(matches!(given.attributes, Some(Flags::Are(_))));
            if is_archived {
                smb.attributes = Attributes::archived(smb.attributes);
            }
            let posix = share.posix(posix, posix::PosixFileType::File, known.as_ref())?;
            Ok(share.create(claimed, request.now, |new| {
                let progress = if is_pending { Progress::Pending(arrived) } else { Progress::whole(total, new.stamp()) };
                let copied = FileCopy { id, source: wire::without_signature(&asked.source), total, progress };
                let (content, headers) = (original.content, original.headers);
                let file = File { content, headers, copy: Some(Arc::new(copied)), ..File::default() };
                let metadata = if metadata.is_empty() { original.metadata } else { metadata };
                Node { posix, ..new.node(Body::File(Box::new(file)), smb, metadata) }
            }))
        })
        .await?;
    if let Some(answer) = original.coming {
        let (share, environment, store) = (Arc::downgrade(&share), request.environment.clone(), request.store.clone());
        let coming = PendingCopy { share, node: node.id, id, total, count, environment, store };
        request.sources.go_on(Box::pin(coming.bring(answer)));
    }
    Ok(Reply::new(request.spec.status)
        .with_state(node.etag(), node.last_modified)
        .with("x-ms-copy-id", wire::guid(id))
        .with("x-ms-copy-status", if is_pending { "pending" } else { "success" }))
}

/// A copy whose bytes come in the background. It holds nothing of what it copies to: when that is gone, it ends.
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
    async fn bring(self, answer: RemoteResponse) {
        let (mut filling, mut came) = (PageFilling::new(&self.store, self.total, self.environment.now()), 0);
        let take = |piece: &[u8]| {
            filling.push(piece)?;
            came += piece.len() as u64;
            let count = self.count.upgrade().ok_or_else(|| source_unavailable("nobody waits for it any more"))?;
            count.store(came, Ordering::Relaxed);
            Ok(())
        };
        let streamed = answer.stream(0..u64::MAX, self.total, take).await;
        let Some(share) = self.share.upgrade() else { return };
        let whole = streamed.and_then(|()| match came == self.total {
            true => Ok(filling.finish()?),
            false => Err(source_unavailable("the source is not as long as it said")),
        });
        let whole = whole.map_err(|error| {
            tracing::debug!(target: "lazuli::copy", "{error}");
            "500 InternalServerError \"Copy failed when reading the source.\"".into()
        });
        // Whoever stopped it meanwhile, or deleted the file or its share, does not wait for this.
        let now = self.environment.now();
        _ = share.write(|share| share.end_copy(self.node, self.id, now, whole)).await;
    }
}
