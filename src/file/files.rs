//! The shares of every account: from a call to a share.

use super::node::Node;
use super::state::{Share, dots, read_snapshot};
use crate::op::{Call, Found, Kind, Opens};
use crate::rules::copy_source;
use crate::rules::fault::{Code, Fault};
use crate::rules::file_name::Path;
use crate::rules::time::Timestamp;
use crate::service::directory::{Directory, Held};
use crate::service::named::Restorable;
use crate::store::cell::Cell;
use std::sync::Arc;

/// The shares of all accounts of one server.
pub type Files = Directory<Share>;

/// A file that a copy is made from, as it was when the copy began.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file.
    pub node: Arc<Node>,
    /// Its security descriptor.
    pub permission: Option<Arc<str>>,
}

impl Held for Share {
    const KIND: Kind = Kind::File;
    const MISSING: Code = Code::ShareNotFound;
}

impl Restorable for Share {
    const TAKEN: Code = Code::ShareAlreadyExists;
    const GOING: Code = Code::ShareBeingDeleted;
    const STILL_GOING: &'static str = "The specified share is being deleted.";

    fn born(&self) -> Timestamp {
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
    pub fn source(&self, call: &Call, url: &str, opens: Opens) -> Result<Option<Source>, Fault> {
        let Found::Here(source) = call.sources.find(call, url, opens)? else { return Ok(None) };
        let lost = |fault: Fault| match fault.code() {
            Code::PendingCopyOperation => fault,
            _ => copy_source::refused(call.version, &fault),
        };
        let read = || {
            let path = Path::parse(&source.target.blob, dots(call, "x-ms-source-allow-trailing-dot")?)?;
            let taken = source.snapshot.as_deref().filter(|text| !text.is_empty());
            let taken = taken.map(|text| read_snapshot("sharesnapshot", text)).transpose()?;
            self.find(&source.account.name, &source.target.container)?.read().source(&path, taken)
        };
        let (node, permission) = read().map_err(lost)?;
        Ok(Some(Source { node, permission }))
    }

    /// The share that a call is about.
    ///
    /// # Errors
    /// 404 ShareNotFound.
    pub fn share(&self, call: &Call) -> Result<Arc<Cell<Share>>, Fault> {
        self.find(&call.account.name, call.container())
    }
}
