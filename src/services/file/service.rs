//! The interface of the file service to the pipeline.

use crate::operation::{OperationSpec, Query, ReplyFuture, Request, ResourceKind, Service, ServiceKind, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::file::path;
use crate::rules::names;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::ops;
use std::pin::Pin;
use std::sync::Arc;

impl Service for Files {
    fn kind(&self) -> ServiceKind {
        ServiceKind::File
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        ops::ALL.iter().map(|op| &op.spec).collect()
    }

    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError> {
        let operation = ops::ALL.get(index).ok_or(ErrorCode::NotImplemented)?;
        operation.start(self, request)
    }

    /// Only the share's own operations say `restype=share`; every other path is that of a directory or a file, the share's root among
    /// them. What a path below a share may be is for the operation to say, which knows what becomes of dots.
    fn target(&self, path: &str, query: &Query) -> Result<Target, StorageError> {
        let path = path.strip_prefix('/').unwrap_or(path);
        if path.is_empty() {
            return Ok(Target { resource: ResourceKind::Service, container: String::new(), blob: String::new() });
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let (share, blob) = (names::decode(first)?, names::decode(rest)?);
        path::share(&share)?;
        let own = blob.is_empty() && query.get("restype").is_some_and(|kind| kind.eq_ignore_ascii_case("share"));
        Ok(Target { resource: if own { ResourceKind::Share } else { ResourceKind::Path }, container: share, blob })
    }

    fn public_access(&self, _: &str, _: &Target) -> PublicAccess {
        PublicAccess::Private
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let share = self.find(account, &target.container).ok()?.read();
        share.properties().policies.iter().find(|policy| policy.id == id).cloned()
    }

    fn cors(&self, account: &str) -> Arc<[CorsRule]> {
        self.account(account).map_or_else(|_| Arc::default(), |account| account.properties.read().cors.clone())
    }

    fn default_version(&self, _: &str) -> Option<Version> {
        None
    }

    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + '_>> {
        Box::pin(self.clear())
    }
}
