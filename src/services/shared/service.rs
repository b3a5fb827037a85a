//! The implementation of [`Service`] that the four services share.

use crate::account::Account;
use crate::operation::{
    LockedService, Operation, OperationSpec, ReplyFuture, Request, ResourcePath, SavedState, Service, ServiceKind, Target,
    WriterAtWork,
};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use crate::services::shared::accounts::ServiceAccounts;
use crate::services::shared::checkpoint;
use crate::services::shared::described::HasPolicies;
use http::{HeaderMap, Method};
use std::pin::Pin;
use std::sync::Arc;

/// The resource of a service, with what distinguishes the service from the other three.
pub trait ServiceResource: HasPolicies + std::fmt::Debug {
    /// The operations of the service.
    fn operations() -> &'static [&'static Operation<ServiceAccounts<Self>>];

    /// As [`Service::target`].
    ///
    /// # Errors
    /// 400 for an invalid name.
    fn target(path: &ResourcePath<'_>) -> Result<Target, StorageError>;

    /// As [`Service::website_target`].
    ///
    /// # Errors
    /// 404 if the service has no websites.
    fn website_target(_path: &str) -> Result<Target, StorageError> {
        Err(ErrorCode::WebContentNotFound.into())
    }

    /// As [`Service::method`].
    ///
    /// # Errors
    /// 400 for an unknown method.
    fn method(sent: &Method, _headers: &HeaderMap) -> Result<Method, StorageError> {
        Ok(sent.clone())
    }

    /// Starts an operation.
    ///
    /// # Errors
    /// 400 for an input that is missing or malformed.
    fn start<'a>(
        accounts: &'a ServiceAccounts<Self>,
        operation: &Operation<ServiceAccounts<Self>>,
        request: Request,
    ) -> Result<ReplyFuture<'a>, StorageError> {
        operation.start(accounts, request)
    }

    /// The public access level. Only containers have one.
    fn public_access(&self) -> PublicAccess {
        PublicAccess::Private
    }
}

impl<S: ServiceResource> Service for ServiceAccounts<S> {
    fn kind(&self) -> ServiceKind {
        S::KIND
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        S::operations().iter().map(|operation| &operation.spec).collect()
    }

    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError> {
        S::start(self, S::operations().get(index).ok_or(ErrorCode::NotImplemented)?, request)
    }

    fn target(&self, path: &ResourcePath<'_>) -> Result<Target, StorageError> {
        S::target(path)
    }

    fn website_target(&self, path: &str) -> Result<Target, StorageError> {
        S::website_target(path)
    }

    fn method(&self, sent: &Method, headers: &HeaderMap) -> Result<Method, StorageError> {
        S::method(sent, headers)
    }

    fn public_access(&self, account: &str, target: &Target) -> PublicAccess {
        let name = target.container_name();
        name.and_then(|name| self.find(account, name).ok()).map_or(PublicAccess::Private, |cell| cell.read().public_access())
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let resource = self.find(account, target.container_name()?).ok()?.read();
        resource.policies().iter().find(|policy| policy.id == id).cloned()
    }

    fn cors(&self, account: &Account) -> Arc<[CorsRule]> {
        if account.any_origin {
            return [CorsRule::allow_all()].into();
        }
        self.existing(&account.name).map_or_else(Arc::default, |account| account.properties.read().cors.clone())
    }

    fn default_version(&self, account: &str) -> Option<Version> {
        self.existing(account)?.properties.read().default_version
    }

    fn lock(&self, account: Option<&str>) -> Result<Box<dyn LockedService>, WriterAtWork> {
        checkpoint::lock(self, account)
    }

    fn at(&self, saved: &SavedState) -> Option<Arc<dyn Service>> {
        Some(Arc::new(checkpoint::accounts_at::<S>(saved)?))
    }

    fn account_names(&self) -> Vec<String> {
        self.chosen(None).into_iter().map(|(name, _)| name).collect()
    }

    fn resource_count(&self, account: Option<&str>) -> usize {
        self.count(account)
    }

    fn reset<'a>(&'a self, account: Option<&'a str>) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + 'a>> {
        Box::pin(self.clear(account))
    }
}

/// The first name in a path, percent-encoded, and the rest behind its slash; `None` for the path of the service itself.
pub fn split_path(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix('/').unwrap_or(path);
    (!path.is_empty()).then(|| path.split_once('/').unwrap_or((path, "")))
}
