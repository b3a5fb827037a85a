//! The shares of every account: from a call to a share.

use crate::operation::xml::Writer;
use crate::operation::{
    Access, OperationSpec, Request, ResourceKind, Selector, ServiceKind, SourceAuthorization, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::sas::Policy;
use crate::rules::copy_source;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::node::Node;
use crate::services::file::state::{Share, ShareView};
use crate::services::file::wire;
use crate::services::file::wire::ShareSnapshotQuery;
use crate::services::shared::accounts::{Resource, ServiceAccounts};
use crate::services::shared::described::{Described, HasMetadata, HasPolicies};
use crate::services::shared::listing::{Listed, ListedResource};
use crate::services::shared::resource_index::Restorable;
use crate::store::cell::Cell;
use std::sync::Arc;

/// The shares of all accounts of one server.
pub type Files = ServiceAccounts<Share>;

/// A file that a copy is made from, as it was when the copy began.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub node: Arc<Node>,
    /// Its security descriptor.
    pub permission: Option<Arc<str>>,
}

impl Resource for Share {
    const KIND: ServiceKind = ServiceKind::File;
    const MISSING: ErrorCode = ErrorCode::ShareNotFound;
}

impl Restorable for Share {
    const ALREADY_EXISTS: ErrorCode = ErrorCode::ShareAlreadyExists;
    const BEING_DELETED: ErrorCode = ErrorCode::ShareBeingDeleted;
    const BEING_DELETED_MESSAGE: &'static str = "The specified share is being deleted.";
    const DELETED_NAME: &'static str = "x-ms-deleted-share-name";
    const DELETED_VERSION: &'static str = "x-ms-deleted-share-version";
    const RESTORE_REPORTS_STATE: bool = true;

    fn created(&self) -> Timestamp {
        Share::born(self)
    }

    fn restored(self, now: Timestamp) -> Share {
        Share::restored(self, now)
    }
}

impl Described for Share {
    const RESTYPE: Option<Selector> = Some(Selector::Query("restype", "share"));
    const READ: OperationSpec =
        OperationSpec { resource: ResourceKind::Share, lease: LeaseCheck::IfPresent, ..OperationSpec::DEFAULT };
    const WRITE: OperationSpec = OperationSpec { access: Access::Write, ..Share::READ };

    fn find(files: &Files, request: &Request) -> Result<Arc<Cell<Share>>, StorageError> {
        files.share(request)
    }

    fn check(&self, request: &Request) -> Result<(), StorageError> {
        self.admit_self(request).map(drop)
    }

    fn last_modified(&self) -> Option<Timestamp> {
        Some(self.properties().last_modified)
    }
}

impl HasMetadata for Share {
    const READERS: RequiredPermission = RequiredPermission::container("r").account_sas_only();
    type View = ShareSnapshotQuery;

    fn metadata(&self, request: &Request, _: ShareSnapshotQuery) -> Result<(&Metadata, Option<Timestamp>), StorageError> {
        let properties = self.admit_self(request)?.about;
        Ok((&properties.metadata, Some(properties.last_modified)))
    }

    fn set_metadata(&mut self, metadata: Metadata, now: Timestamp) {
        self.revise(now, |properties| properties.metadata = metadata);
    }
}

impl HasPolicies for Share {
    const LETTERS: &'static str = "rcwdl";
    type Input = ();

    fn policies(&self) -> &[Policy] {
        &self.properties().policies
    }

    fn set_policies(&mut self, policies: Arc<[Policy]>, (): (), now: Timestamp) {
        self.revise(now, |properties| properties.policies = policies);
    }
}

impl Listed for Share {
    const PLURAL: &'static str = "Shares";
    const INCLUDE: &'static [&'static str] = &["metadata", "snapshots", "deleted"];

    fn write_entry(xml: &mut Writer, line: &ListedResource<'_, Share>, include: &[&str], request: &Request) {
        let metadata = include.contains(&"metadata");
        let mut write = |view: &ShareView<'_>| wire::write_share(xml, line, view, metadata, request);
        if include.contains(&"snapshots") && line.deleted.is_none() {
            line.state.snapshots().for_each(|view| write(&view));
        }
        write(&line.state.live());
    }
}

impl Files {
    /// The file that a copy is made from, by the URL of its source; `None` for what lies elsewhere.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for what is no URL of a file; CannotVerifyCopySource with the status of the source's own refusal.
    pub fn source(&self, request: &Request, url: &str, opens: SourceAuthorization) -> Result<Option<Source>, StorageError> {
        let SourceLocation::Here(source) = request.sources.find(request, url, opens)? else { return Ok(None) };
        let lost = |error: StorageError| match error.code() {
            ErrorCode::PendingCopyOperation => error,
            _ => copy_source::refused(request.version, &error),
        };
        let read = || {
            self.find(&source.account.name, source.target.share()?)?
                .read()
                .source(source.target.path()?, source.target.share_snapshot())
        };
        let (node, permission) = read().map_err(lost)?;
        Ok(Some(Source { node, permission }))
    }

    /// The share that a call is about.
    ///
    /// # Errors
    /// 404 ShareNotFound.
    pub fn share(&self, request: &Request) -> Result<Arc<Cell<Share>>, StorageError> {
        self.find(&request.account.name, request.target.share()?)
    }
}
