//! The targets of the paths of the Data Lake API, and what else it has of its own.

use crate::account::Account;
use crate::operation::{
    LockedService, OperationSpec, ReplyFuture, Request, ResourcePath, SavedState, Service, ServiceKind, Target, WriterAtWork,
};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::path::{Namespace, Path};
use crate::rules::names;
use crate::rules::names::{BlobName, ContainerName};
use crate::rules::versions::Version;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::lake::ops;
use crate::services::shared::checkpoint;
use crate::services::shared::service::split_path;
use http::{HeaderMap, Method};
use std::pin::Pin;
use std::sync::Arc;

/// The header by which clients that cannot send PATCH name it.
const METHOD_OVERRIDE: &str = "x-http-method-override";

/// The Data Lake API of the blobs of all accounts.
#[derive(Debug)]
pub struct DataLake(Arc<Blobs>);

impl DataLake {
    /// Serves these blobs.
    pub fn new(blobs: Arc<Blobs>) -> DataLake {
        DataLake(blobs)
    }
}

impl Service for DataLake {
    fn kind(&self) -> ServiceKind {
        ServiceKind::DataLake
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        ops::ALL.iter().map(|operation| &operation.spec).collect()
    }

    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError> {
        let operation = ops::ALL.get(index).ok_or(ErrorCode::NotImplemented)?;
        operation.start(&self.0, request)
    }

    /// `/` is the account, `/filesystem?resource=filesystem` a file system, and everything else a path: `/filesystem/` is its root
    /// directory.
    fn target(&self, resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        let Some((first, rest)) = split_path(resource.path) else { return Ok(Target::Service) };
        let container = ContainerName::parse(&names::decode(first)?)?;
        let path = Path::parse(&names::decode(rest)?, Namespace::Hierarchical)?;
        let is_file_system = resource.query.get("resource").is_some_and(|kind| kind.eq_ignore_ascii_case("filesystem"));
        match is_file_system && path.is_root() {
            true => Ok(Target::Container { container }),
            false => Ok(Target::Blob { container, blob: BlobName::of_path(&path), version: VersionSelector::Base }),
        }
    }

    fn method(&self, sent: &Method, headers: &HeaderMap) -> Result<Method, StorageError> {
        let named = headers.get(METHOD_OVERRIDE).filter(|_| *sent == Method::PUT);
        Ok(match named {
            Some(method) if method.as_bytes().eq_ignore_ascii_case(b"PATCH") => Method::PATCH,
            _ => sent.clone(),
        })
    }

    fn public_access(&self, account: &str, target: &Target) -> PublicAccess {
        self.0.public_access(account, target)
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        self.0.policy(account, target, id)
    }

    fn cors(&self, account: &Account) -> Arc<[CorsRule]> {
        self.0.cors(account)
    }

    fn default_version(&self, account: &str) -> Option<Version> {
        self.0.default_version(account)
    }

    fn lock(&self, account: Option<&str>) -> Result<Box<dyn LockedService>, WriterAtWork> {
        self.0.lock(account)
    }

    fn at(&self, saved: &SavedState) -> Option<Arc<dyn Service>> {
        Some(Arc::new(DataLake(Arc::new(checkpoint::accounts_at(saved)?))))
    }

    fn account_names(&self) -> Vec<String> {
        self.0.account_names()
    }

    fn resource_count(&self, account: Option<&str>) -> usize {
        self.0.resource_count(account)
    }

    fn reset<'a>(&'a self, account: Option<&'a str>) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + 'a>> {
        self.0.reset(account)
    }
}
