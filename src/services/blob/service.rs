//! The blob service: its operations, the targets of its paths, and the properties of containers that authorization reads.

use crate::operation::{OperationSpec, ReplyFuture, Request, ResourcePath, Service, ServiceKind, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::{BlobName, ContainerName, ROOT};
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

    fn target(&self, resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let path = resource.path.strip_prefix('/').unwrap_or(resource.path);
        if path.is_empty() {
            return Ok(Target::Service);
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let first = names::decode(first)?;
        let version = || VersionSelector::parse(resource.query.get("snapshot"), resource.query.get("versionid"));
        if !rest.is_empty() {
            let (container, blob) = (ContainerName::parse(&first)?, names::decode(rest)?);
            if first == ROOT {
                names::root_blob(&blob)?;
            }
            return Ok(Target::Blob { container, blob: BlobName::parse(&blob)?, version: version()? });
        }
        // `/name` is a container if the query has `restype`, and otherwise a blob of the root container.
        if resource.query.get("restype").is_some() {
            return Ok(Target::Container { container: ContainerName::parse(&first)? });
        }
        names::root_blob(&first)?;
        Ok(Target::Blob { container: ContainerName::parse(ROOT)?, blob: BlobName::parse(&first)?, version: version()? })
    }

    fn website_target(&self, path: &str) -> Result<Target, StorageError> {
        Ok(Target::Site { path: names::decode(path.strip_prefix('/').unwrap_or(path))? })
    }

    fn public_access(&self, account: &str, target: &Target) -> PublicAccess {
        target
            .container_name()
            .and_then(|name| self.find(account, name).ok())
            .map_or(PublicAccess::Private, |cell| cell.read().properties().access)
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let container = self.find(account, target.container_name()?).ok()?.read();
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
