//! What an operation is: a specification and a handler, in a file of its own.
//!
//! Routing, authorization, admission, the log and the compatibility page read the specification. Only the list of its service names
//! an operation.

#[macro_use]
mod input;
mod body;
mod field;
mod groups;
mod headers;
pub mod odata;
mod query;
mod reply;
mod request;
mod service;
mod source;
mod spec;
mod structured;
mod target;
pub mod xml;

use crate::rules::error::StorageError;
pub use body::{Body, BodyRemainder, Received, Unread, digest};
pub use field::{Field, FieldLocation, Input};
pub use groups::*;
pub use headers::{header_text, header_value};
pub use input::{Fields, FromField, FromRequest, FromText};
pub use query::Query;
pub use reply::{Payload, Reply, ReplyFuture};
pub use request::{Parts, Request, Sources};
pub use service::{LockedService, NewTags, SavedState, Service, ServiceKind, WriterAtWork};
pub use source::{RemoteRequest, RemoteResponse, Source, SourceAccess, SourceAuthorization, SourceLocation, source_unavailable};
pub use spec::{
    Access, EncryptionCheck, NamespaceSupport, OperationSpec, ResourceKind, SELECTING_PARAMETERS, Secondary, Selector,
};
pub use structured::{BodyFraming, StructuredAnswer};
pub use target::{ResourcePath, STATE_PARAMETERS, Target};

/// One operation of a service whose state is `S`.
pub struct Operation<S: 'static> {
    /// Its declaration.
    pub spec: OperationSpec,
    /// Parses the input of a request, and returns the future that performs it. The body is not touched before the future runs.
    pub start: for<'a> fn(&'a S, Request) -> Result<ReplyFuture<'a>, StorageError>,
}

impl<S> Operation<S> {
    /// Starts the operation: parses all headers and query parameters, before the body is read.
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

/// The operations of one service: those of its own, in a module each, and after `+` those that it shares with other services.
macro_rules! operations {
    ($state:ty: $(+ $first:expr;)* $($module:ident { $($own:ident),* $(,)? } $(+ $shared:expr;)*)*) => {
        $(pub(super) mod $module;)*
        /// Every operation of the service.
        pub static ALL: &[&$crate::operation::Operation<$state>] = &[$(&$first,)* $($(&$module::$own,)* $(&$shared,)*)*];
    };
}
