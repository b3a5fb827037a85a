//! The shares of every account: from a request to a share.

use crate::operation::xml::Writer;
use crate::operation::{
    Access, OperationSpec, Request, ResourceKind, Selector, ServiceKind, SourceAuthorization, SourceLocation,
};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::ServiceActions;
use crate::rules::auth::sas::Policy;
use crate::rules::copy_source;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::lease::LeaseCheck;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::node::Node;
use crate::services::file::state::{NodePath, Share, ShareSnapshotQuery, ShareView};
use crate::services::file::wire;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::described::{Described, HasMetadata, HasPolicies};
use crate::services::shared::listing::{Listed, ListedResource};
use crate::services::shared::resource::Resource;
use crate::services::shared::resource_index::Restorable;
use std::sync::Arc;

/// The shares of all accounts of one server.
pub type Files = ServiceAccounts<Share>;

/// The source file of a copy, as it was when the copy began.
#[derive(Clone, Debug)]
pub struct Source {
    pub node: Arc<Node>,
    /// The security descriptor.
    pub permission: Option<Arc<str>>,
}

impl Resource for Share {
    const KIND: ServiceKind = ServiceKind::File;
    const ACTIONS: ServiceActions = ServiceActions::FILE;
    const MISSING: ErrorCode = ErrorCode::ShareNotFound;

    fn latest(&mut self) -> Option<&mut Timestamp> {
        Some(&mut self.latest)
    }
}

impl Restorable for Share {
    const ALREADY_EXISTS: ErrorCode = ErrorCode::ShareAlreadyExists;
    const BEING_DELETED: ErrorCode = ErrorCode::ShareBeingDeleted;
    const BEING_DELETED_MESSAGE: &'static str = "The specified share is being deleted.";
    const DELETED_NAME: &'static str = "x-ms-deleted-share-name";
    const DELETED_VERSION: &'static str = "x-ms-deleted-share-version";
    const RESTORE_REPORTS_STATE: bool = true;

    fn created(&self) -> Timestamp {
        Share::created(self)
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

    fn check(&self, request: &Request) -> Result<(), StorageError> {
        self.admit_share(request, None).map(drop)
    }

    fn last_modified(&self) -> Option<Timestamp> {
        Some(self.properties().last_modified)
    }
}

impl HasMetadata for Share {
    const READERS: RequiredPermission = RequiredPermission::container("r").account_sas_only();
    type View = ShareSnapshotQuery;

    fn metadata(
        &self,
        request: &Request,
        ShareSnapshotQuery(snapshot): ShareSnapshotQuery,
    ) -> Result<(&Metadata, Option<Timestamp>), StorageError> {
        let properties = self.admit_share(request, snapshot)?.properties;
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
        write(&line.state.current());
    }
}

impl Files {
    /// The source file of a copy, by its URL; `None` for a source on another server or in another service.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for a URL that is not a file's; CannotVerifyCopySource with the status of the source's own refusal.
    pub fn source(
        &self,
        request: &Request,
        url: &str,
        authorization: SourceAuthorization,
        dots: TrailingDots,
    ) -> Result<Option<Source>, StorageError> {
        let SourceLocation::Local(source) = request.sources.find(request, url, authorization)? else { return Ok(None) };
        let refused = |error: StorageError| match error.code() {
            ErrorCode::PendingCopyOperation => error,
            _ => copy_source::refused(request.version, &error),
        };
        let read = || {
            let path = Path::parse(source.target.path_text()?, dots)?;
            let share = self.find(&source.account.name, source.target.resource_name()?)?.read();
            share.source(&NodePath { path, snapshot: source.target.share_snapshot() })
        };
        let (node, permission) = read().map_err(refused)?;
        Ok(Some(Source { node, permission }))
    }
}
