//! The interface of the file service to the pipeline.

use crate::operation::{OperationSpec, ReplyFuture, Request, ResourcePath, Service, ServiceKind, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::ShareName;
use crate::rules::versions::Version;
use crate::services::file::files::Files;
use crate::services::file::ops;
use crate::services::file::state::parse_snapshot;
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

    /// Operations on a share itself have `restype=share`; every other path names a directory or a file, including the share's root.
    fn target(&self, resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let path = resource.path.strip_prefix('/').unwrap_or(resource.path);
        if path.is_empty() {
            return Ok(Target::Service);
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let (share, text) = (ShareName::parse(&names::decode(first)?)?, names::decode(rest)?);
        let snapshot = resource.query.get(SNAPSHOT).filter(|text| !text.is_empty());
        let snapshot = snapshot.map(|text| parse_snapshot(SNAPSHOT, text)).transpose()?;
        let is_share = resource.query.get("restype").is_some_and(|kind| kind.eq_ignore_ascii_case("share"));
        if text.is_empty() && is_share {
            return Ok(Target::Share { share, snapshot });
        }
        Ok(Target::Path { share, text, snapshot })
    }

    fn public_access(&self, _: &str, _: &Target) -> PublicAccess {
        PublicAccess::Private
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let share = self.find(account, target.container_name()?).ok()?.read();
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

/// The query parameter that names a snapshot of a share.
const SNAPSHOT: &str = "sharesnapshot";
