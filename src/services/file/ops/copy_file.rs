//! Copy File. A copy of a file on this server shares its bytes and completes at once. The bytes of a blob or of another server arrive in
//! the background, and the copy is pending until then.

use crate::operation::{Operation, OperationSpec, RemoteResponse, Reply, Request, Selector, SourceAuthorization};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::conditions::Conditions;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::posix::{Posix, PosixFileType, PosixInput};
use crate::rules::file::smb::{Attributes, AttributesInput, NodeKind, PermissionInput, Smb, SmbInput};
use crate::rules::metadata::Metadata;
use crate::rules::ranges::RequestedRange;
use crate::services::file::files::{Files, Source};
use crate::services::file::node::{Body, File, FileCopy};
use crate::services::file::ops::create_file::check_size;
use crate::services::file::ops::spec::WRITE_FILE;
use crate::services::file::state::{CurrentPath, Share};
use crate::services::file::wire::{self, NoSourceConditions, SourceTrailingDots};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::copying::{self, PartialContent, PendingCopy, Progress};
use crate::services::shared::remote_source::{ForwardedHeaders, NamedSource, RemoteSource};
use crate::store::sparse::{PageFilling, Sparse};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

pub(super) static COPY_FILE: Operation<Files> = operation!(
    run,
    Input,
    OperationSpec {
        name: "Copy File",
        selectors: &[Selector::HasHeader("x-ms-copy-source")],
        requires: RequiredPermission::object("cw").actions(&[&[RoleAction::FileWrite, RoleAction::FileWriteBackup]]),
        status: 202,
        ..WRITE_FILE
    }
);

input! { pub(super) Input {
    source: String = Header "x-ms-copy-source",
    permission_mode: Option<CopyMode> = Header "x-ms-file-permission-copy-mode",
    ignore_readonly: Option<bool> = Header "x-ms-file-copy-ignore-readonly",
    set_archive: Option<bool> = Header "x-ms-file-copy-set-archive",
    posix_mode: Option<CopyMode> = Header "x-ms-file-mode-copy-mode",
    posix_owner: Option<CopyMode> = Header "x-ms-file-owner-copy-mode",
    forwarded: ForwardedHeaders,
    _conditions: NoSourceConditions,
    smb: SmbInput,
    posix: PosixInput,
    at: CurrentPath,
    source_dots: SourceTrailingDots,
    metadata: Metadata,
} }

words! {
    /// Where a property of the copy comes from.
    pub(super) CopyMode {
        /// From the request, or from the default.
        Override = "override",
        Source = "source",
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
                let (range, conditions) = (RequestedRange::Whole, &Conditions::default());
                let named = NamedSource { url, range, conditions, headers: &input.forwarded };
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
        Ok(CopySource {
            content: Sparse::new(check_size(source.length()?)?),
            headers: source.content_headers(),
            metadata: source.answer.metadata()?,
            remote: Some(source.answer),
            ..CopySource::default()
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
    let bytes = Arc::new(AtomicU64::new(0));
    let (total, is_pending, arrived) = (source.content.len(), source.remote.is_some(), Arc::downgrade(&bytes));

    let create = |share: &mut Share| {
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
            let progress = if is_pending { Progress::Pending(bytes) } else { Progress::whole(total, new.last_modified()) };
            let copy = FileCopy { id, source: wire::without_signature(&input.source), total, progress };
            let (content, headers) = (source.content, source.headers);
            let file = File { content, headers, copy: Some(Arc::new(copy)), ..File::default() };
            let metadata = if input.metadata.is_empty() { source.metadata } else { input.metadata };
            new.node(Body::File(Box::new(file)), (smb, posix), metadata)
        }))
    };
    let share = files.resource(&request)?;
    let node = share.write(create).await?;
    if let Some(response) = source.remote {
        let environment = request.environment.clone();
        let content = PageFilling::new(&request.store, total, environment.now());
        let file = node.id;
        let end = move |share: &mut Share, now, outcome| share.end_copy(file, id, now, outcome);
        let pending = PendingCopy { cell: Arc::downgrade(&share), total, arrived, environment };
        request.sources.run_in_background(Box::pin(pending.receive(response, content, end)));
    }
    Ok(copying::started(wire::state(&node, &request), id, if is_pending { "pending" } else { "success" }))
}

impl PartialContent for PageFilling {
    type Content = Sparse;

    fn push(&mut self, piece: &[u8]) -> Result<(), StorageError> {
        Ok(PageFilling::push(self, piece)?)
    }

    fn finish(self) -> Result<Sparse, StorageError> {
        Ok(PageFilling::finish(self)?)
    }
}
