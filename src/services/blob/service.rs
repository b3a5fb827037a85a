//! The blob service: its operations, the targets of its paths, and the properties of containers that authorization reads.

use crate::operation::{OperationSpec, Query, ReplyFuture, Request, ResourceKind, Service, ServiceKind, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::website;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::ROOT;
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::ops;
use std::pin::Pin;
use std::sync::Arc;

impl Service for Blobs {
    fn kind(&self) -> ServiceKind {
        ServiceKind::Blob
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        ops::ALL.iter().map(|op| &op.spec).collect()
    }

    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError> {
        let operation = ops::ALL.get(index).ok_or(ErrorCode::NotImplemented)?;
        operation.start(self, request)
    }

    fn target(&self, path: &str, query: &Query) -> Result<Target, StorageError> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let target = |shape, container: &str, blob: String| Target { resource: shape, container: container.to_owned(), blob };
        if path.is_empty() {
            return Ok(target(ResourceKind::Service, "", String::new()));
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let first = names::decode(first)?;
        if !rest.is_empty() {
            names::container(&first)?;
            let blob = names::decode(rest)?;
            if first == ROOT {
                names::root_blob(&blob)?;
            } else {
                names::blob(&blob)?;
            }
            return Ok(target(ResourceKind::Blob, &first, blob));
        }
        // `/name` is a container when the query says so, and otherwise a blob of the root container.
        if query.get("restype").is_some() {
            names::container(&first)?;
            return Ok(target(ResourceKind::Container, &first, String::new()));
        }
        names::root_blob(&first)?;
        Ok(target(ResourceKind::Blob, ROOT, first))
    }

    fn website_target(&self, path: &str) -> Result<Target, StorageError> {
        let blob = names::decode(path.strip_prefix('/').unwrap_or(path))?;
        Ok(Target { resource: ResourceKind::Site, container: website::CONTAINER.to_owned(), blob })
    }

    fn public_access(&self, account: &str, target: &Target) -> PublicAccess {
        self.find(account, &target.container).map_or(PublicAccess::Private, |cell| cell.read().properties().access)
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let container = self.find(account, &target.container).ok()?.read();
        container.properties().policies.iter().find(|policy| policy.id == id).cloned()
    }

    fn cors(&self, account: &str) -> Arc<[CorsRule]> {
        self.account(account).map_or_else(|_| Arc::default(), |account| account.properties.read().cors.clone())
    }

    fn default_version(&self, account: &str) -> Option<Version> {
        self.account(account).ok()?.properties.read().default_version
    }

    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + '_>> {
        Box::pin(self.clear())
    }
}
