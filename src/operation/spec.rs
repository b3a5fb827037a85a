//! The declaration of an operation.

use crate::operation::field::Input;
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::lease::LeaseCheck;

/// The declaration of an operation.
#[derive(Debug)]
pub struct OperationSpec {
    /// The reference's name: "Put Block List".
    pub name: &'static str,
    /// The HTTP methods: `GET` and `HEAD` if the reference allows both.
    pub methods: &'static [&'static str],
    /// The kind of resource that its path names.
    pub resource: ResourceKind,
    /// What distinguishes it from other operations on the same path.
    pub selectors: &'static [Selector],
    /// The query parameters and headers that it reads, beyond those that all operations read.
    pub inputs: &'static [Input],
    /// The permission that the caller needs.
    pub requires: RequiredPermission,
    /// Whether it reads or writes.
    pub access: Access,
    /// What it does with a path of a hierarchical namespace, for the check of access control lists. `None` for operations on other
    /// resources, and for handlers that check it themselves.
    pub path_action: Option<Action<'static>>,
    /// Which endpoints of an account answer it.
    pub secondary: Secondary,
    /// The conditional headers that it supports.
    pub conditions: ConditionSupport,
    /// How it checks the lease of its resource.
    pub lease: LeaseCheck,
    /// How it treats customer-provided keys and encryption scopes.
    pub encryption: EncryptionCheck,
    /// Which accounts support it.
    pub namespace: NamespaceSupport,
    /// The HTTP status of success.
    pub status: u16,
}

impl OperationSpec {
    /// The values that most operations share. The name is empty.
    pub const DEFAULT: OperationSpec = OperationSpec {
        name: "",
        methods: &[],
        resource: ResourceKind::Service,
        selectors: &[],
        inputs: &[],
        requires: RequiredPermission::owner(ResourceLevel::Service),
        access: Access::Read,
        path_action: None,
        secondary: Secondary::ByAccess,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        encryption: EncryptionCheck::None,
        namespace: NamespaceSupport::Any,
        status: 200,
    };
}

/// The accounts that support an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespaceSupport {
    /// All.
    Any,
    /// Those without a hierarchical namespace.
    Flat,
}

/// Whether an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// How an operation treats customer-provided keys and encryption scopes (`x-ms-encryption-…`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncryptionCheck {
    /// It reads and writes no encrypted content.
    None,
    /// A reader must send the key of the blob.
    Read,
    /// A writer must send the key or the scope of the blob; a new blob gets those of the request.
    Write,
    /// A writer need not send a key or a scope, but one that it sends must be the blob's.
    IfPresent,
}

/// The kinds of resources that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// The account's service itself: `/`.
    Service,
    /// A container: `/container`.
    Container,
    /// A blob: `/container/blob`.
    Blob,
    /// A queue: `/queue`.
    Queue,
    /// The messages of a queue: `/queue/messages`.
    Messages,
    /// A message: `/queue/messages/id`.
    Message,
    /// The list of tables: `/Tables`.
    Tables,
    /// A table in that list: `/Tables('table')`.
    Table,
    /// The entities of a table: `/table()`.
    Entities,
    /// An entity: `/table(PartitionKey='p',RowKey='r')`.
    Entity,
    /// An entity group transaction: `/$batch`.
    Batch,
    /// A share: `/share?restype=share`.
    Share,
    /// A directory or a file in a share: `/share/path`, or its root, `/share`.
    Path,
    /// A document of the account's website, at its web endpoint.
    Site,
    /// Any of them except `Site`: a preflight request is about a path, whatever it names.
    Any,
}

/// Which endpoints of an account answer an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secondary {
    /// Both answer reads, only the primary answers writes.
    ByAccess,
    /// Only the secondary: the operation reads the state of the replication.
    Only,
}

impl Secondary {
    /// The error of a write at the secondary endpoint: 403 InsufficientAccountPermissions.
    pub fn write_refused() -> StorageError {
        ErrorCode::InsufficientAccountPermissions.with_message("Write operations are not allowed.")
    }
}

/// A property of a request that distinguishes operations on the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A query parameter with this value, in any case.
    Query(&'static str, &'static str),
    /// A header with this value, in any case.
    Header(&'static str, &'static str),
    /// A header, whatever its value. An empty header counts as absent (see [`header_text`](crate::operation::header_text)).
    HasHeader(&'static str),
    /// The absence of a header, or an empty one.
    Lacks(&'static str),
}

impl OperationSpec {
    /// Whether the operation reads this header or parameter.
    pub fn reads(&self, name: &str) -> bool {
        Input::find(self.inputs, name).is_some()
    }

    /// Whether the operation requires this header or parameter.
    pub fn requires(&self, name: &str) -> bool {
        Input::find(self.inputs, name).is_some_and(|field| field.required)
    }

    /// Whether the secondary endpoint of an account answers it.
    pub fn is_answered_by_secondary(&self) -> bool {
        match self.secondary {
            Secondary::ByAccess => self.access == Access::Read,
            Secondary::Only => true,
        }
    }
}

/// The query parameters that select operations. A request with one that no selector of its operation names is refused, so that
/// `PUT ?comp=foo` does not overwrite a blob.
pub const SELECTING_PARAMETERS: [&str; 4] = ["comp", "restype", "resource", "action"];
