//! The implementation of [`Service`] for tables.

use crate::operation::{OperationSpec, Query, ReplyFuture, Request, ResourceKind, Service, ServiceKind, Target, header_text};
use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::cors::CorsRule;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::table::entity::Key;
use crate::rules::versions::Version;
use crate::services::table::{Tables, ops};
use http::{HeaderMap, Method};
use std::pin::Pin;
use std::sync::Arc;

impl Service for Tables {
    fn kind(&self) -> ServiceKind {
        ServiceKind::Table
    }

    fn operations(&self) -> Vec<&'static OperationSpec> {
        ops::ALL.iter().map(|op| &op.spec).collect()
    }

    fn start(&self, index: usize, request: Request) -> Result<ReplyFuture<'_>, StorageError> {
        if is_misplaced(&request.target) {
            return Err(self.misplaced(&request));
        }
        let operation = ops::ALL.get(index).ok_or(ErrorCode::NotImplemented)?;
        operation.start(self, request)
    }

    fn target(&self, path: &str, _: &Query) -> Result<Target, StorageError> {
        target(path)
    }

    /// A POST may carry another method in `X-HTTP-Method`, for clients and proxies that do not support that method.
    fn method(&self, sent: &Method, headers: &HeaderMap) -> Result<Method, StorageError> {
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

    fn public_access(&self, _: &str, _: &Target) -> PublicAccess {
        PublicAccess::Private
    }

    fn policy(&self, account: &str, target: &Target, id: &str) -> Option<Policy> {
        let table = self.find(account, &target.container.to_lowercase()).ok()?.read();
        table.policies().iter().find(|policy| policy.id == id).cloned()
    }

    fn cors(&self, account: &str) -> Arc<[CorsRule]> {
        self.account(account).map_or_else(|_| Arc::default(), |account| account.properties.read().cors.clone())
    }

    fn default_version(&self, account: &str) -> Option<Version> {
        self.account(account).ok()?.properties.read().default_version
    }

    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), StorageError>> + Send + '_>> {
        Box::pin(self.clear())
    }
}

impl Tables {
    /// The refusal of a resource of the account below a table's name. These are the refusals that the live tests of the official Python
    /// library expect for a client that is given a table's address for the account's.
    fn misplaced(&self, request: &Request) -> StorageError {
        let below = request.blob();
        if request.method == Method::POST && below.eq_ignore_ascii_case(BATCH) {
            return ErrorCode::MediaTypeNotSupported.into();
        }
        match self.table(request) {
            Err(error) => error,
            Ok(_) if request.target.resource == ResourceKind::Entity => ErrorCode::InvalidInput.with_message(format!(
                "The number of keys specified in the URI does not match number of key properties for the resource '{}.{}'.",
                request.account.name,
                request.container()
            )),
            Ok(_) if request.method == Method::POST => ErrorCode::PropertiesNeedValue.into(),
            Ok(_) => ErrorCode::InvalidUri.with_reason(format!("{below:?} is not a resource of a table")),
        }
    }
}

/// The path of entity group transactions.
const BATCH: &str = "$batch";

/// Whether a target is a resource of the account below a table's name: `/t/Tables`, `/t/$batch`, `/t/Tables('t')`. It has the kind of an
/// operation on the table, and the part below the name in the place of the keys.
pub(super) fn is_misplaced(target: &Target) -> bool {
    match target.resource {
        ResourceKind::Entities => !target.blob.is_empty(),
        ResourceKind::Entity => target.blob.starts_with('\''),
        _ => false,
    }
}

/// Parses a path: `/Tables`, `/Tables('t')`, `/$batch`, `/t`, `/t()`, `/t(PartitionKey='p',RowKey='r')`. One trailing slash is ignored.
///
/// # Errors
/// 400 for any other path, and for an invalid name or key.
pub(super) fn target(path: &str) -> Result<Target, StorageError> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
    let path = names::unescape(path)
        .ok_or_else(|| ErrorCode::InvalidUri.with_reason(format!("{path:?} is not percent-encoded UTF-8")))?;
    let target =
        |shape, table: &str, keys: &str| Ok(Target { resource: shape, container: table.to_owned(), blob: keys.to_owned() });
    let (first, inside) = match path.split_once('(') {
        None => (path.as_str(), ""),
        Some((first, rest)) => {
            let inside =
                rest.strip_suffix(')').ok_or_else(|| ErrorCode::InvalidUri.with_reason("a parenthesis is not closed"))?;
            (first, inside.trim())
        }
    };
    match (first, inside) {
        ("", "") if path.is_empty() => target(ResourceKind::Service, "", ""),
        (BATCH, "") => target(ResourceKind::Batch, "", ""),
        (list, "") if list.eq_ignore_ascii_case("Tables") => target(ResourceKind::Tables, "", ""),
        (list, quoted) if list.eq_ignore_ascii_case("Tables") => {
            let quoted = quoted.strip_prefix("TableName=").unwrap_or(quoted);
            let name = quoted.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
            let name = name.ok_or_else(|| ErrorCode::InvalidUri.with_reason("the name of a table is quoted"))?;
            names::table(name)?;
            target(ResourceKind::Table, name, "")
        }
        (path, inside) if path.contains('/') => {
            let (table, below) = path.split_once('/').unwrap_or_default();
            names::table(table)?;
            let list = below.eq_ignore_ascii_case("Tables");
            match inside {
                "" if list || below == BATCH => target(ResourceKind::Entities, table, below),
                quoted if list && quoted.starts_with('\'') => target(ResourceKind::Entity, table, quoted),
                _ => Err(ErrorCode::InvalidResourceName.into()),
            }
        }
        (table, "") => {
            names::table(table)?;
            target(ResourceKind::Entities, table, "")
        }
        (table, keys) => {
            names::table(table)?;
            Key::parse(keys)?;
            target(ResourceKind::Entity, table, keys)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_parsed_into_targets() {
        for (path, expected) in [
            ("/", Ok((ResourceKind::Service, "", ""))),
            ("/Tables", Ok((ResourceKind::Tables, "", ""))),
            ("/Tables()", Ok((ResourceKind::Tables, "", ""))),
            ("/Tables('abc')", Ok((ResourceKind::Table, "abc", ""))),
            ("/Tables(%27abc%27)", Ok((ResourceKind::Table, "abc", ""))),
            ("/Tables(TableName='abc')", Ok((ResourceKind::Table, "abc", ""))),
            ("/Tables/", Ok((ResourceKind::Tables, "", ""))),
            ("/Tables('abc')/", Ok((ResourceKind::Table, "abc", ""))),
            ("/$batch", Ok((ResourceKind::Batch, "", ""))),
            ("/$batch/", Ok((ResourceKind::Batch, "", ""))),
            ("/abc/", Ok((ResourceKind::Entities, "abc", ""))),
            ("/abc()/", Ok((ResourceKind::Entities, "abc", ""))),
            ("/abc(PartitionKey='p',RowKey='r')/", Ok((ResourceKind::Entity, "abc", "PartitionKey='p',RowKey='r'"))),
            ("/abc/Tables", Ok((ResourceKind::Entities, "abc", "Tables"))),
            ("/abc/Tables/", Ok((ResourceKind::Entities, "abc", "Tables"))),
            ("/abc/$batch", Ok((ResourceKind::Entities, "abc", "$batch"))),
            ("/abc/Tables('def')", Ok((ResourceKind::Entity, "abc", "'def'"))),
            ("/abc/def(PartitionKey='p',RowKey='r')", Err(ErrorCode::InvalidResourceName)),
            ("/abc//", Err(ErrorCode::InvalidResourceName)),
            ("//", Err(ErrorCode::InvalidResourceName)),
            ("/%24batch", Ok((ResourceKind::Batch, "", ""))),
            ("/abc", Ok((ResourceKind::Entities, "abc", ""))),
            ("/abc()", Ok((ResourceKind::Entities, "abc", ""))),
            ("/abc(PartitionKey='p',RowKey='r')", Ok((ResourceKind::Entity, "abc", "PartitionKey='p',RowKey='r'"))),
            ("/abc(RowKey='r',PartitionKey='p%20()')", Ok((ResourceKind::Entity, "abc", "RowKey='r',PartitionKey='p ()'"))),
            ("/abc(PartitionKey='%2C''',RowKey='')", Ok((ResourceKind::Entity, "abc", "PartitionKey=',''',RowKey=''"))),
            ("/abc(PartitionKey='a%2Fb',RowKey='r')", Err(ErrorCode::OutOfRangeInput)),
            ("/abc(PartitionKey='a/b',RowKey='r')", Err(ErrorCode::OutOfRangeInput)),
            ("/abc(PartitionKey='p')", Err(ErrorCode::InvalidInput)),
            ("/abc('p')", Err(ErrorCode::InvalidInput)),
            ("/abc(", Err(ErrorCode::InvalidUri)),
            ("/abc/def", Err(ErrorCode::InvalidResourceName)),
            ("/1abc", Err(ErrorCode::InvalidResourceName)),
            ("/ab", Err(ErrorCode::OutOfRangeInput)),
            ("/Tables(abc)", Err(ErrorCode::InvalidUri)),
            ("/%zz", Err(ErrorCode::InvalidUri)),
        ] {
            let found = target(path).map_err(|error| error.code());
            let seen = found.as_ref().map(|found| (found.resource, &*found.container, &*found.blob)).map_err(|code| *code);
            assert_eq!(seen, expected, "{path}");
        }
    }
}
