//! The resource that a request names, as the service parses it.

use crate::operation::{Query, ResourceKind};
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names::{BlobName, ContainerName, QueueName, ShareName, TableName};
use crate::rules::table::entity;
use crate::rules::time::Timestamp;

/// The parts of a request that a service parses a [`Target`] from.
#[derive(Clone, Copy, Debug)]
pub struct ResourcePath<'a> {
    /// The path of the URL without the account, percent-encoded; it begins with `/`.
    pub path: &'a str,
    pub query: &'a Query,
}

/// The resource that a request names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The service itself: `/`.
    Service,
    /// `/container`
    Container { container: ContainerName },
    /// `/container/blob`; with `snapshot=` or `versionid=`, a snapshot or a version of it.
    Blob { container: ContainerName, blob: BlobName, version: VersionSelector },
    /// `/queue`
    Queue { queue: QueueName },
    /// `/queue/messages`
    Messages { queue: QueueName },
    /// `/queue/messages/id`. The operation checks the id, because the error for a malformed one depends on the operation.
    Message { queue: QueueName, id: String },
    /// `/Tables`
    Tables,
    /// `/Tables('table')`
    Table { table: TableName },
    /// `/table()`
    Entities { table: TableName },
    /// `/table(PartitionKey='p',RowKey='r')`
    Entity { table: TableName, key: entity::Key },
    /// `/$batch`
    Batch,
    /// A resource of the account below the name of a table, as in `/table/$batch`: a client uses the URL of a table as that of the
    /// account. `keyed` is true for `/table/Tables('other')`.
    Misplaced { table: TableName, below: String, keyed: bool },
    /// `/share?restype=share`; with `sharesnapshot=`, a snapshot of it.
    Share { share: ShareName, snapshot: Option<Timestamp> },
    /// `/share/path`, or `/share` for its root directory. `text` is the path as the client wrote it, decoded: signatures cover it, and a
    /// header decides what dots at the end of its names mean.
    Path { share: ShareName, text: String, snapshot: Option<Timestamp> },
    /// A document of the account's website.
    Site { path: String },
}

/// The query parameters that name a snapshot or a version of a resource.
pub const STATE_PARAMETERS: [&str; 3] = ["snapshot", "versionid", "sharesnapshot"];

impl Target {
    pub fn kind(&self) -> ResourceKind {
        match self {
            Target::Service => ResourceKind::Service,
            Target::Container { .. } => ResourceKind::Container,
            Target::Blob { .. } => ResourceKind::Blob,
            Target::Queue { .. } => ResourceKind::Queue,
            Target::Messages { .. } => ResourceKind::Messages,
            Target::Message { .. } => ResourceKind::Message,
            Target::Tables => ResourceKind::Tables,
            Target::Table { .. } => ResourceKind::Table,
            Target::Entities { .. } | Target::Misplaced { keyed: false, .. } => ResourceKind::Entities,
            Target::Entity { .. } | Target::Misplaced { keyed: true, .. } => ResourceKind::Entity,
            Target::Batch => ResourceKind::Batch,
            Target::Share { .. } => ResourceKind::Share,
            Target::Path { .. } => ResourceKind::Path,
            Target::Site { .. } => ResourceKind::Site,
        }
    }

    /// The name of the container, queue, table or share that the target is or belongs to.
    pub fn container_name(&self) -> Option<&str> {
        match self {
            Target::Container { container } | Target::Blob { container, .. } => Some(container),
            Target::Queue { queue } | Target::Messages { queue } | Target::Message { queue, .. } => Some(queue),
            Target::Table { table }
            | Target::Entities { table }
            | Target::Entity { table, .. }
            | Target::Misplaced { table, .. } => Some(table),
            Target::Share { share, .. } | Target::Path { share, .. } => Some(share),
            Target::Service | Target::Tables | Target::Batch | Target::Site { .. } => None,
        }
    }

    /// The name of the blob or file, as a service SAS signs it.
    pub fn object_name(&self) -> Option<&str> {
        match self {
            Target::Blob { blob, .. } => Some(blob),
            Target::Path { text, .. } => Some(text).filter(|text| !text.is_empty()).map(String::as_str),
            _ => None,
        }
    }

    /// The name of the container, queue, table or share that it is or lies in.
    ///
    /// # Errors
    /// 500 InternalError for a target of another kind, like the functions below. Routing rules that out.
    pub fn resource_name(&self) -> Result<&str, StorageError> {
        self.container_name().ok_or_else(|| self.mismatch("resource"))
    }

    /// The blob and its snapshot or version.
    ///
    /// # Errors
    /// As [`Target::resource_name`].
    pub fn blob(&self) -> Result<(&str, VersionSelector), StorageError> {
        match self {
            Target::Blob { blob, version, .. } => Ok((blob, *version)),
            _ => Err(self.mismatch("blob")),
        }
    }

    /// The id of the message, as the client wrote it.
    ///
    /// # Errors
    /// As [`Target::resource_name`].
    pub fn message_id(&self) -> Result<&str, StorageError> {
        match self {
            Target::Message { id, .. } => Ok(id),
            _ => Err(self.mismatch("message")),
        }
    }

    /// The keys of the entity.
    ///
    /// # Errors
    /// As [`Target::resource_name`].
    pub fn entity_key(&self) -> Result<&entity::Key, StorageError> {
        match self {
            Target::Entity { key, .. } => Ok(key),
            _ => Err(self.mismatch("entity")),
        }
    }

    /// The share snapshot that the target names.
    pub fn share_snapshot(&self) -> Option<Timestamp> {
        match self {
            Target::Share { snapshot, .. } | Target::Path { snapshot, .. } => *snapshot,
            _ => None,
        }
    }

    /// The path of the directory or the file, as the client wrote it.
    ///
    /// # Errors
    /// As [`Target::resource_name`].
    pub fn path_text(&self) -> Result<&str, StorageError> {
        match self {
            Target::Path { text, .. } => Ok(text),
            _ => Err(self.mismatch("path")),
        }
    }

    /// The query parameters that name a snapshot or a version of a target of this kind.
    pub fn state_parameters(&self) -> &'static [&'static str] {
        match self {
            Target::Blob { .. } => &["snapshot", "versionid"],
            Target::Share { .. } | Target::Path { .. } => &["sharesnapshot"],
            _ => &[],
        }
    }

    fn mismatch(&self, wanted: &str) -> StorageError {
        ErrorCode::InternalError.with_reason(format!("the target of the request is no {wanted}: {self:?}"))
    }
}
