//! The targets of the paths of the Table service, and what else it has of its own as a service.

use crate::operation::{Operation, ReplyFuture, Request, ResourcePath, Target, header_text};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::shared::service::ServiceResource;
use crate::services::table::ops;
use crate::services::table::path::{BATCH, target};
use crate::services::table::state::Table;
use crate::services::table::tables::Tables;
use http::{HeaderMap, Method};

impl ServiceResource for Table {
    fn operations() -> &'static [&'static Operation<Tables>] {
        ops::ALL
    }

    fn start<'a>(tables: &'a Tables, operation: &Operation<Tables>, request: Request) -> Result<ReplyFuture<'a>, StorageError> {
        match &request.target {
            Target::Misplaced { below, keyed, .. } => Err(misplaced(tables, &request, below, *keyed)),
            _ => operation.start(tables, request),
        }
    }

    fn target(resource: &ResourcePath<'_>) -> Result<Target, StorageError> {
        target(resource.path)
    }

    /// A POST may carry another method in `X-HTTP-Method`, for clients and proxies that do not support that method.
    fn method(sent: &Method, headers: &HeaderMap) -> Result<Method, StorageError> {
        let Some(method) = header_text(headers, "x-http-method") else { return Ok(sent.clone()) };
        let method = method.trim().to_ascii_uppercase();
        match method.as_str() {
            _ if method.contains(',') => Err(ErrorCode::XMethodIncorrectCount.into()),
            "MERGE" | "PATCH" | "PUT" | "DELETE" if *sent == Method::POST => {
                Method::from_bytes(method.as_bytes()).map_err(|_| ErrorCode::XMethodIncorrectValue.into())
            }
            "MERGE" | "PATCH" | "PUT" | "DELETE" => Err(ErrorCode::XMethodNotUsingPost.into()),
            _ => Err(ErrorCode::XMethodIncorrectValue.into()),
        }
    }
}

/// The error for a path such as `/table/$batch`, from a client that uses the URL of a table as that of the account. The codes are those
/// that the live tests of the official Python library expect.
fn misplaced(tables: &Tables, request: &Request, below: &str, keyed: bool) -> StorageError {
    if request.method == Method::POST && below.eq_ignore_ascii_case(BATCH) {
        return ErrorCode::MediaTypeNotSupported.into();
    }
    match tables.resource(request) {
        Err(error) => error,
        Ok(_) if keyed => ErrorCode::InvalidInput.with_message(format!(
            "The number of keys specified in the URI does not match number of key properties for the resource '{}.{}'.",
            request.account.name,
            request.target.container_name().unwrap_or_default()
        )),
        Ok(_) if request.method == Method::POST => ErrorCode::PropertiesNeedValue.into(),
        Ok(_) => ErrorCode::InvalidUri.with_reason(format!("{below:?} is not a resource of a table")),
    }
}
