//! The trait by which `http` uses a service. `http` knows nothing else of the services.

use crate::account::Account;
use crate::operation::{OperationSpec, ReplyFuture, Request, ResourcePath, Target};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::time::{TICKS_PER_SECOND, Timestamp};
use crate::rules::versions::Version;
pub use crate::store::cell::WriterAtWork;
use crate::store::changes::Changes;
use http::{HeaderMap, Method};
use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;

/// The services of a storage account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServiceKind {
    /// Blob Storage.
    Blob,
    /// Queue Storage.
    Queue,
    /// Table Storage.
    Table,
    /// Azure Files.
    File,
    /// Data Lake Storage Gen2: the other API of Blob Storage, at the same port.
    DataLake,
}

impl ServiceKind {
    /// The name, as in "Blob service".
    pub const fn name(self) -> &'static str {
        match self {
            ServiceKind::Blob => "Blob",
            ServiceKind::Queue => "Queue",
            ServiceKind::Table => "Table",
            ServiceKind::File => "File",
            ServiceKind::DataLake => "Data Lake",
        }
    }

    /// The service whose port it has.
    pub const fn at_port(self) -> ServiceKind {
        match self {
            ServiceKind::DataLake => ServiceKind::Blob,
            kind => kind,
        }
    }

    /// The label in a host name: `account.blob.localhost`.
    pub const fn label(self) -> &'static str {
        match self {
            ServiceKind::Blob => "blob",
            ServiceKind::Queue => "queue",
            ServiceKind::Table => "table",
            ServiceKind::File => "file",
            ServiceKind::DataLake => "dfs",
        }
    }

    /// The letter in an account SAS's `ss`.
    pub const fn letter(self) -> char {
        match self {
            ServiceKind::Blob | ServiceKind::DataLake => 'b',
            ServiceKind::Queue => 'q',
            ServiceKind::Table => 't',
            ServiceKind::File => 'f',
        }
    }

    /// The `Server` header of its responses (recordings).
    pub const fn server(self) -> &'static str {
        match self {
            ServiceKind::Blob => "Windows-Azure-Blob/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::Queue => "Windows-Azure-Queue/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::Table => "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::File => "Windows-Azure-File/1.0 Microsoft-HTTPAPI/2.0",
            ServiceKind::DataLake => "Windows-Azure-HDFS/1.0 Microsoft-HTTPAPI/2.0",
        }
    }
}

/// The state of a service at one moment.
pub type SavedState = Arc<dyn Any + Send + Sync>;

/// Where the entity tags of a restored resource continue. They are times, so those of the writes that the restore discards would come
/// again, for other content, if the clock is not later than the resource.
#[derive(Clone, Copy, Debug)]
pub struct NewTags {
    now: Timestamp,
    /// Another number at each restore.
    ahead: u64,
}

impl NewTags {
    /// `now` is the time after the restore.
    pub const fn new(now: Timestamp, random: u64) -> NewTags {
        NewTags { now, ahead: random % TICKS_PER_SECOND }
    }

    /// The time after which the tags of a resource continue; `None` if the clock decides.
    pub fn after(self, latest: Timestamp) -> Option<Timestamp> {
        (latest >= self.now).then(|| Timestamp::from_ticks(latest.ticks().saturating_add(self.ahead)))
    }
}

/// A service whose writers wait, so that its state is read and replaced at one moment.
pub trait LockedService {
    /// The state of the locked accounts.
    fn save(&self) -> SavedState;

    /// Prepares the way back to a state. Accounts that it lacks become empty if it is of all accounts, and else stay as
    /// they are.
    fn prepare(&mut self, saved: &SavedState, tags: NewTags);

    /// Writes the changes that lead to the prepared state.
    fn write(&self, to: &mut Changes<'_>);

    /// Publishes the prepared state, and lets writers continue.
    fn publish(self: Box<Self>);
}

/// A service: its operations, and what the pipeline needs to know of its resources before an operation starts.
pub trait Service: Send + Sync + std::fmt::Debug {
    fn kind(&self) -> ServiceKind;

    /// The specifications of its operations.
    fn operations(&self) -> Vec<&'static OperationSpec>;

    /// Starts the operation with this index in [`Service::operations`].
    ///
    /// # Errors
    /// 400 for an input that is missing or malformed.
    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError>;

    /// Parses the resource that a URL names.
    ///
    /// # Errors
    /// 400 for an invalid name.
    fn target(&self, resource: &ResourcePath<'_>) -> Result<Target, StorageError>;

    /// Parses the document that a path of an account's website names.
    ///
    /// # Errors
    /// 400 for an invalid path; 404 if the service has no websites.
    fn website_target(&self, _path: &str) -> Result<Target, StorageError> {
        Err(ErrorCode::WebContentNotFound.into())
    }

    /// The method of a request: the one that its method-override header names, or the one that it was sent with.
    ///
    /// # Errors
    /// 400 if the method-override header names an unknown method.
    fn method(&self, sent: &Method, _headers: &HeaderMap) -> Result<Method, StorageError> {
        Ok(sent.clone())
    }

    /// The public access level of a container.
    fn public_access(&self, account: &str, target: &Target) -> PublicAccess;

    /// The stored access policy with this id.
    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy>;

    /// The CORS rules that hold for an account: its own, or one that allows everything (`--cors all`).
    fn cors(&self, account: &Account) -> Arc<[CorsRule]>;

    /// The default version for requests that name none.
    fn default_version(&self, account: &str) -> Option<Version>;

    /// Locks out the writers of an account, or of all accounts.
    ///
    /// # Errors
    /// The lock of a writer that is at work. No other lock is held then.
    fn lock(&self, account: Option<&str>) -> Result<Box<dyn LockedService>, WriterAtWork>;

    /// The service as it was at a moment, in memory; `None` if the state is another service's.
    fn at(&self, saved: &SavedState) -> Option<Arc<dyn Service>>;

    /// The names of all accounts, including those that were made on their first use.
    fn account_names(&self) -> Vec<String>;

    /// How many containers, queues, tables or shares an account has, or all accounts.
    fn resource_count(&self, account: Option<&str>) -> usize;

    /// Deletes all data of an account, or of all accounts.
    ///
    /// # Errors
    /// 500 InternalError when the disk fails.
    fn reset<'a>(&'a self, account: Option<&'a str>) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + 'a>>;
}
