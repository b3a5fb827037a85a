//! The face that a service shows to the wire. Behind it, `http` does not know what a blob is.

use crate::operation::{OperationSpec, ReplyFuture, Request, ResourcePath, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::versions::Version;
use http::{HeaderMap, Method};
use std::pin::Pin;
use std::sync::Arc;

/// The four services of a storage account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServiceKind {
    /// Blob Storage.
    Blob,
    /// Queue Storage.
    Queue,
    /// Table Storage.
    Table,
    /// Azure Files.
    File,
}

impl ServiceKind {
    /// The name, as in «Blob service».
    pub const fn name(self) -> &'static str {
        match self {
            ServiceKind::Blob => "Blob",
            ServiceKind::Queue => "Queue",
            ServiceKind::Table => "Table",
            ServiceKind::File => "File",
        }
    }

    /// The label in a host name: `account.blob.localhost`.
    pub const fn label(self) -> &'static str {
        match self {
            ServiceKind::Blob => "blob",
            ServiceKind::Queue => "queue",
            ServiceKind::Table => "table",
            ServiceKind::File => "file",
        }
    }

    /// The letter in an account SAS's `ss`.
    pub const fn letter(self) -> char {
        match self {
            ServiceKind::Blob => 'b',
            ServiceKind::Queue => 'q',
            ServiceKind::Table => 't',
            ServiceKind::File => 'f',
        }
    }

    /// The `Server` header of its answers, as recorded.
    pub const fn server(self) -> &'static str {
        match self {
            ServiceKind::Blob => "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::Queue => "Windows-Azure-Queue/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::Table => "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::File => "Windows-Azure-File/1.0 Microsoft-HTTPAPI/2.0",
        }
    }
}

/// A service: its table of operations, and what the door must know of its resources before it lets anybody in.
pub trait Service: Send + Sync + std::fmt::Debug {
    /// Which of the four it is.
    fn kind(&self) -> ServiceKind;

    /// Its table of operations.
    fn operations(&self) -> Vec<&'static OperationSpec>;

    /// Does the operation at this place of the table.
    ///
    /// # Errors
    /// 400 for an input that is missing or malformed.
    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError>;

    /// What a path (percent-encoded, without the account, beginning with `/`) names.
    ///
    /// # Errors
    /// 400 for a path that can name nothing.
    fn target(&self, resource: &ResourcePath<'_>) -> Result<Target, StorageError>;

    /// What a path (as for [`Service::target`]) of an account's website names, if the service has websites.
    ///
    /// # Errors
    /// 400 for a path that can name nothing; 404 where there are no websites.
    fn website_target(&self, _path: &str) -> Result<Target, StorageError> {
        Err(ErrorCode::WebContentNotFound.into())
    }

    /// The method that a request means, where it is not the one that it was sent with.
    ///
    /// # Errors
    /// 400 for a request that says it in a way that there is not.
    fn method(&self, sent: &Method, _headers: &HeaderMap) -> Result<Method, StorageError> {
        Ok(sent.clone())
    }

    /// How public a container is.
    fn public_access(&self, account: &str, target: &Target) -> PublicAccess;

    /// The stored access policy of this id.
    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy>;

    /// The account's CORS rules.
    fn cors(&self, account: &str) -> Arc<[CorsRule]>;

    /// The version that requests follow which name none.
    fn default_version(&self, account: &str) -> Option<Version>;

    /// Forgets everything, as a fresh start would.
    ///
    /// # Errors
    /// 500 InternalError when the disk does not take it.
    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + '_>>;
}
