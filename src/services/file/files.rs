//! The shares of every account: from a call to a share.

use crate::operation::{Request, ServiceKind, SourceAuthorization, SourceLocation};
use crate::rules::copy_source;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::Timestamp;
use crate::services::file::node::Node;
use crate::services::file::state::Share;
use crate::services::shared::accounts::{Resource, ServiceAccounts};
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
    const TAKEN: ErrorCode = ErrorCode::ShareAlreadyExists;
    const GOING: ErrorCode = ErrorCode::ShareBeingDeleted;
    const STILL_GOING: &'static str = "The specified share is being deleted.";

    fn created(&self) -> Timestamp {
        Share::born(self)
    }

    fn restored(self, now: Timestamp) -> Share {
        Share::restored(self, now)
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
