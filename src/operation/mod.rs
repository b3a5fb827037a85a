//! What an operation is: declared once, as a row of its service's table.
//!
//! Routing, authorization, the admission check, the log and the compatibility matrix all read the row. An operation is one row and
//! one handler, in one file of its own; nothing else in the house names it.

mod body;
mod input;
pub mod odata;
mod reply;
mod request;
mod service;
mod source;
mod structured;
pub mod xml;

use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::conditions;
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
pub use body::{Body, BodyRemainder, ConnectionLost, Received, UnreadBody};
pub use input::{Field, FieldLocation, FromField, FromText};
pub use reply::{Payload, Reply, Stream};
pub use request::{Parts, Query, Request, Target, header_text};
pub use service::{Service, ServiceKind};
pub use source::{
    RemoteRequest, RemoteResponse, Source, SourceAccess, SourceAuthorization, SourceLocation, Sources, source_unavailable,
};
use std::future::Future;
use std::pin::Pin;
pub use structured::{STRUCTURED, STRUCTURED_BODY};

/// What a handler gives back, when it is done.
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, StorageError>> + Send + 'a>>;

/// One operation of a service whose state is `S`.
pub struct Operation<S: 'static> {
    /// What is declared of it.
    pub spec: OperationSpec,
    /// What does it.
    pub run: for<'a> fn(&'a S, Request) -> ReplyFuture<'a>,
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
    pub inputs: &'static [&'static [Field]],
    /// Who may do it.
    pub requires: RequiredPermission,
    /// Whether the read-only secondary answers it.
    pub secondary: Secondary,
    /// Which conditional headers it heeds.
    pub conditions: ConditionSupport,
    /// How it respects a lease on what it touches.
    pub lease: LeaseCheck,
    /// The status of success.
    pub status: u16,
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
    /// The primary only: it writes.
    Refused,
    /// Both: it reads.
    Allowed,
    /// The secondary only: it asks how far the replication has come.
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

/// The query parameters that name a state of a blob instead of the blob as it is.
pub const STATE: &[Field] = &[
    Field { place: FieldLocation::Query, name: "snapshot", required: false },
    Field { place: FieldLocation::Query, name: "versionid", required: false },
];

/// The query parameter that names a version of a blob, for operations that take no snapshot.
pub const VERSION: &[Field] = &[Field { place: FieldLocation::Query, name: "versionid", required: false }];

/// The headers of customer-provided keys and encryption scopes, which operations on what they encrypt read.
pub const ENCRYPTED: &[Field] = &[
    Field { place: FieldLocation::Header, name: "x-ms-encryption-key", required: false },
    Field { place: FieldLocation::Header, name: "x-ms-encryption-key-sha256", required: false },
    Field { place: FieldLocation::Header, name: "x-ms-encryption-algorithm", required: false },
    Field { place: FieldLocation::Header, name: "x-ms-encryption-scope", required: false },
];

/// The metadata headers, declared by what their names begin with.
pub const METADATA: &[Field] = &[Field { place: FieldLocation::Header, name: "x-ms-meta-", required: false }];

/// The header that names the boundary of a batch's parts.
pub const CONTENT_TYPE: &[Field] = &[Field { place: FieldLocation::Header, name: "content-type", required: true }];

/// The checksums that a request gives for its body.
pub const CHECKSUMS: &[Field] = &[
    Field { place: FieldLocation::Header, name: "content-md5", required: false },
    Field { place: FieldLocation::Header, name: "x-ms-content-crc64", required: false },
];

/// The conditions on the source of a copy.
pub const SOURCE_CONDITIONS: &[Field] = &[
    Field { place: FieldLocation::Header, name: conditions::SOURCE.if_match, required: false },
    Field { place: FieldLocation::Header, name: conditions::SOURCE.if_none_match, required: false },
    Field { place: FieldLocation::Header, name: conditions::SOURCE.if_modified_since, required: false },
    Field { place: FieldLocation::Header, name: conditions::SOURCE.if_unmodified_since, required: false },
    Field { place: FieldLocation::Header, name: conditions::SOURCE.if_tags, required: false },
];

impl OperationSpec {
    /// Whether the operation reads this header or parameter.
    pub fn takes(&self, name: &str) -> bool {
        self.inputs.iter().any(|fields| fields.iter().any(|field| field.name == name))
    }

    /// Whether the operation refuses to go without this header or parameter.
    pub fn requires(&self, name: &str) -> bool {
        self.inputs.iter().any(|fields| fields.iter().any(|field| field.name == name && field.required))
    }
}

/// The query parameters that choose operations. A request with one that its row does not name is refused: `PUT ?comp=foo` must
/// never overwrite a blob.
pub const SELECTING_PARAMETERS: [&str; 4] = ["comp", "restype", "resource", "action"];

/// The operations of one service: a module each, and the rows that it holds.
#[macro_export]
macro_rules! ops {
    ($state:ty: $($module:ident { $($op:ident),* $(,)? })*) => {
        $(mod $module;)*
        /// Every operation of the service.
        pub static ALL: &[&$crate::operation::Operation<$state>] = &[$($(&$module::$op),*),*];
    };
}

/// A struct of request fields, its reader, and the list of their names, from one list. A field that only some builds read has its `#[cfg]`.
#[macro_export]
macro_rules! takes {
    ($(#[$doc:meta])* $name:ident { $($(#[$when:meta])* $field:ident: $kind:ty = $place:ident $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name { $($(#[$when])* pub(super) $field: $kind),* }

        impl $name {
            pub(super) const FIELDS: &'static [$crate::operation::Field] = &[$($(#[$when])* $crate::operation::Field {
                place: $crate::operation::FieldLocation::$place,
                name: $text,
                required: <$kind as $crate::operation::FromField>::REQUIRED,
            }),*];

            pub(super) fn of(request: &$crate::operation::Request) -> Result<$name, $crate::rules::error::StorageError> {
                Ok($name { $($(#[$when])* $field: $crate::operation::FromField::from_field(request, $crate::operation::FieldLocation::$place, $text)?),* })
            }
        }
    };
}
