//! The shares of every account: from a request to a share.

use crate::operation::{Request, ServiceKind, SourceAuthorization, SourceLocation};
use crate::rules::copy_source;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path::{Path, TrailingDots};
use crate::rules::time::Timestamp;
use crate::services::file::node::Node;
use crate::services::file::state::{NodePath, Share, parse_snapshot};
use crate::services::shared::accounts::{Resource, ServiceAccounts};
use crate::services::shared::resource_index::Restorable;
use crate::store::cell::Cell;
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
    const MISSING: ErrorCode = ErrorCode::ShareNotFound;
}

impl Restorable for Share {
    const TAKEN: ErrorCode = ErrorCode::ShareAlreadyExists;
    const GOING: ErrorCode = ErrorCode::ShareBeingDeleted;
    const STILL_GOING: &'static str = "The specified share is being deleted.";

    fn created(&self) -> Timestamp {
        Share::created(self)
    }

    fn restored(self, now: Timestamp) -> Share {
        Share::restored(self, now)
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
        let SourceLocation::Here(source) = request.sources.find(request, url, authorization)? else { return Ok(None) };
        let refused = |error: StorageError| match error.code() {
            ErrorCode::PendingCopyOperation => error,
            _ => copy_source::refused(request.version, &error),
        };
        let read = || {
            let path = Path::parse(&source.target.blob, dots)?;
            let snapshot = source.snapshot.as_deref().filter(|text| !text.is_empty());
            let snapshot = snapshot.map(|text| parse_snapshot("sharesnapshot", text)).transpose()?;
            let share = self.find(&source.account.name, &source.target.container)?.read();
            share.source(&NodePath { path, snapshot })
        };
        let (node, permission) = read().map_err(refused)?;
        Ok(Some(Source { node, permission }))
    }

    /// The share that the request addresses.
    ///
    /// # Errors
    /// 404 ShareNotFound.
    pub fn share(&self, request: &Request) -> Result<Arc<Cell<Share>>, StorageError> {
        self.find(&request.account.name, request.container())
    }
}
