//! What an operation is: declared once, as a row of its service's table.
//!
//! Routing, authorization, the admission check, the log and the compatibility matrix all read the row. An operation is one row and
//! one handler, in one file of its own; nothing else in the house names it.

mod body;
mod groups;
mod headers;
#[macro_use]
mod input;
pub mod odata;
mod query;
mod reply;
mod request;
mod service;
mod source;
mod structured;
mod target;
pub mod xml;

use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::{conditions, encryption};
pub use body::{Body, BodyRemainder, ConnectionLost, Received, UnreadBody};
pub use groups::*;
pub use headers::header_text;
pub use input::{Field, FieldLocation, Fields, FromField, FromRequest, FromText, Input};
pub use query::Query;
pub use reply::{Payload, Reply, Stream};
pub use request::{Parts, Request, Sources};
pub use service::{Service, ServiceKind};
pub use source::{RemoteRequest, RemoteResponse, Source, SourceAccess, SourceAuthorization, SourceLocation, source_unavailable};
use std::future::Future;
use std::pin::Pin;
pub use structured::{BodyFraming, StructuredAnswer};
pub use target::{ResourcePath, Target};

/// What a handler gives back, when it is done.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, StorageError>> + Send + 'a>>;

/// One operation of a service whose state is `S`.
pub struct Operation<S: 'static> {
    /// What is declared of it.
    pub spec: OperationSpec,
    /// Parses the input of a request, and returns the future that performs it. The body is not touched before the future runs.
    pub start: for<'a> fn(&'a S, Request) -> Result<ReplyFuture<'a>, StorageError>,
}

impl<S> Operation<S> {
    /// Starts the operation: parses everything that the request says, before its body is asked for.
    ///
    /// # Errors
    /// 400 for a missing or malformed header or query parameter.
    pub fn start<'a>(&self, state: &'a S, mut request: Request) -> Result<ReplyFuture<'a>, StorageError> {
        request.parse_preconditions()?;
        (self.start)(state, request)
    }
}

/// An operation: its handler, the type of its input if it has one, and its specification.
///
/// The handler is an async function of the service's state, the [`Request`], and the parsed input.
macro_rules! operation {
    ($handler:expr, $spec:expr) => {
        $crate::operation::Operation { spec: $spec, start: |state, request| Ok(Box::pin($handler(state, request))) }
    };
    ($handler:expr, $input:ty, $spec:expr) => {
        $crate::operation::Operation {
            spec: $crate::operation::OperationSpec { inputs: <$input as $crate::operation::FromRequest>::INPUTS, ..$spec },
            start: |state, request| {
                let input: $input = request.parse()?;
                Ok(Box::pin($handler(state, request, input)))
            },
        }
    };
}

/// What is declared of an operation.
#[derive(Debug)]
pub struct OperationSpec {
    /// The reference's name: "Put Block List".
    pub name: &'static str,
    /// The methods it answers to; `GET` and `HEAD` where the reference allows both.
    pub methods: &'static [&'static str],
    /// What its path names.
    pub resource: ResourceKind,
    /// The marks that tell it from others on the same path.
    pub selectors: &'static [Selector],
    /// Query parameters and headers that it reads, beyond those that every operation reads.
    pub inputs: &'static [Input],
    /// Who may do it.
    pub requires: RequiredPermission,
    /// Whether it reads or writes.
    pub access: Access,
    /// Which endpoint of an account answers it.
    pub secondary: Secondary,
    /// Which conditional headers it heeds.
    pub conditions: ConditionSupport,
    /// How it respects a lease on what it touches.
    pub lease: LeaseCheck,
    /// How it treats customer-provided keys and encryption scopes.
    pub encryption: EncryptionCheck,
    /// The status of success.
    pub status: u16,
}

impl OperationSpec {
    /// What most operations have in common. The name is empty: each has its own.
    pub const DEFAULT: OperationSpec = OperationSpec {
        name: "",
        methods: &[],
        resource: ResourceKind::Service,
        selectors: &[],
        inputs: &[],
        requires: RequiredPermission::owner(ResourceLevel::Service),
        access: Access::Read,
        secondary: Secondary::ByAccess,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        encryption: EncryptionCheck::None,
        status: 200,
    };
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
    /// It touches no content that could be encrypted with one.
    None,
    /// A reader must show the key of the blob.
    Read,
    /// A writer must show the key or the scope of the blob, or gives it one.
    Write,
    /// A writer need not show the key or the scope of the blob, but one that it shows must be the blob's.
    IfPresent,
}

/// What a path names.
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
    /// What a table holds: `/table()`.
    Entities,
    /// An entity: `/table(PartitionKey='p',RowKey='r')`.
    Entity,
    /// An entity group transaction: `/$batch`.
    Batch,
    /// A share: `/share`, where the query says that the share itself is meant.
    Share,
    /// A directory or a file in a share: `/share/path`, or its root, `/share`.
    Path,
    /// A document of the account's website, at its web endpoint.
    Site,
    /// Any of them but a website's: a preflight request asks about a path, whatever is there.
    Any,
}

/// Which endpoint of an account answers an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secondary {
    /// Both answer reads, the primary alone answers writes.
    ByAccess,
    /// Both.
    Always,
    /// The secondary alone: the operation asks how far the replication has come.
    Only,
}

impl Secondary {
    /// What a write is told at the secondary endpoint: 403 InsufficientAccountPermissions.
    pub fn write_refused() -> StorageError {
        ErrorCode::InsufficientAccountPermissions.with_message("Write operations are not allowed.")
    }
}

/// A mark in a request that tells one operation from another on the same path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A query parameter with this value, in any case.
    Query(&'static str, &'static str),
    /// A query parameter, whatever its value.
    HasQuery(&'static str),
    /// A header with this value, in any case.
    Header(&'static str, &'static str),
    /// A header, whatever its value. An empty header counts as absent, as [`stated`] says.
    HasHeader(&'static str),
    /// The absence of a header, or an empty one.
    Lacks(&'static str),
}

impl OperationSpec {
    /// Every field that the operation reads: its inputs, and what its conditions, its lease and its encryption imply.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields = Input::fields(self.inputs);
        let plain = conditions::PLAIN;
        let dates = [plain.if_modified_since, plain.if_unmodified_since];
        let all = [plain.if_match, plain.if_none_match, plain.if_modified_since, plain.if_unmodified_since, plain.if_tags];
        let implied: &[&'static str] = match self.conditions {
            ConditionSupport::None => &[],
            ConditionSupport::Dates => &dates,
            _ => &all,
        };
        let lease = (self.lease != LeaseCheck::None).then_some("x-ms-lease-id");
        let encryption = encryption::PLAIN;
        let keys = [Some(encryption.key), Some(encryption.sha256), Some(encryption.algorithm), encryption.scope];
        let keys = keys.into_iter().flatten().filter(|_| self.encryption != EncryptionCheck::None);
        for name in implied.iter().copied().chain(lease).chain(keys) {
            if !fields.iter().any(|field| field.name == name) {
                fields.push(Field { location: FieldLocation::Header, name, required: false });
            }
        }
        fields
    }

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
            Secondary::Always | Secondary::Only => true,
        }
    }
}

/// The query parameters that choose operations. A request with one that its row does not name is refused: `PUT ?comp=foo` must
/// never overwrite a blob.
pub const SELECTING_PARAMETERS: [&str; 4] = ["comp", "restype", "resource", "action"];

/// The operations of one service: a module each, and the rows that it holds.
macro_rules! operations {
    ($state:ty: $($module:ident { $($op:ident),* $(,)? })*) => {
        $(mod $module;)*
        /// Every operation of the service.
        pub static ALL: &[&$crate::operation::Operation<$state>] = &[$($(&$module::$op),*),*];
    };
}
