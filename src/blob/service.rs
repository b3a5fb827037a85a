//! The face of the blob service: its operations, what its paths name, and what the door must know of its containers.

use super::blobs::Blobs;
use super::ops;
use crate::op::{OperationRequest, OperationSpec, Query, ReplyFuture, ResourceKind, Service, ServiceKind, Target};
use crate::rules::{
    access::PublicAccess,
    cors::CorsRule,
    fault::{ErrorCode, StorageError},
    name::{self, ROOT},
    sas::Policy,
    version::Version,
    website,
};
use std::pin::Pin;
use std::sync::Arc;

impl Service for Blobs {
    fn kind(&self) -> ServiceKind {
        ServiceKind::Blob
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        ops::ALL.iter().map(|op| &op.spec).collect()
    }

    fn run(&self, row: usize, call: OperationRequest) -> ReplyFuture<'_> {
        match ops::ALL.get(row) {
            Some(op) => (op.run)(self, call),
            None => Box::pin(std::future::ready(Err(ErrorCode::NotImplemented.into()))),
        }
    }

    fn target(&self, path: &str, query: &Query) -> Result<Target, StorageError> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let target = |shape, container: &str, blob: String| Target { resource: shape, container: container.to_owned(), blob };
        if path.is_empty() {
            return Ok(target(ResourceKind::Service, "", String::new()));
        }
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        let first = name::decode(first)?;
        if !rest.is_empty() {
            name::container(&first)?;
            let blob = name::decode(rest)?;
            if first == ROOT {
                name::root_blob(&blob)?;
            } else {
                name::blob(&blob)?;
            }
            return Ok(target(ResourceKind::Blob, &first, blob));
        }
        // `/name` is a container when the query says so, and otherwise a blob of the root container.
        if query.get("restype").is_some() {
            name::container(&first)?;
            return Ok(target(ResourceKind::Container, &first, String::new()));
        }
        name::root_blob(&first)?;
        Ok(target(ResourceKind::Blob, ROOT, first))
    }

    fn website_target(&self, path: &str) -> Result<Target, StorageError> {
        let blob = name::decode(path.strip_prefix('/').unwrap_or(path))?;
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
