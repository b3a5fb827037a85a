//! The face of the table service: its operations, what its paths name, and what the door must know of its tables.

use super::Tables;
use super::ops;
use crate::op::{Call, Done, Kind, Query, Row, Service, Shape, Target, stated};
use crate::rules::{
    access::PublicAccess,
    cors::CorsRule,
    entity::Key,
    fault::{Code, Fault},
    name,
    sas::Policy,
    version::Version,
};
use http::{HeaderMap, Method};
use std::pin::Pin;
use std::sync::Arc;

impl Service for Tables {
    fn kind(&self) -> Kind {
        Kind::Table
    }

    fn rows(&self) -> Vec<&'static Row> {
        ops::ALL.iter().map(|op| &op.row).collect()
    }

    fn run(&self, row: usize, call: Call) -> Done<'_> {
        if is_misplaced(&call.target) {
            return Box::pin(std::future::ready(Err(self.misplaced(&call))));
        }
        match ops::ALL.get(row) {
            Some(op) => (op.run)(self, call),
            None => Box::pin(std::future::ready(Err(Code::NotImplemented.into()))),
        }
    }

    fn target(&self, path: &str, _: &Query) -> Result<Target, Fault> {
        target(path)
    }

    /// `X-HTTP-Method` on a POST, for clients and proxies that know no other methods.
    fn method(&self, sent: &Method, headers: &HeaderMap) -> Result<Method, Fault> {
        let Some(meant) = stated(headers, "x-http-method") else { return Ok(sent.clone()) };
        let meant = meant.trim().to_ascii_uppercase();
        match meant.as_str() {
            _ if meant.contains(',') => Err(Code::XMethodIncorrectCount.into()),
            "MERGE" | "PATCH" | "PUT" | "DELETE" if *sent == Method::POST => {
                Method::from_bytes(meant.as_bytes()).map_err(|_| Code::XMethodIncorrectValue.into())
            }
            "MERGE" | "PATCH" | "PUT" | "DELETE" => Err(Code::XMethodNotUsingPost.into()),
            _ => Err(Code::XMethodIncorrectValue.into()),
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

    fn reset(&self) -> Pin<Box<dyn Future<Output = Result<(), Fault>> + Send + '_>> {
        Box::pin(self.clear())
    }
}

impl Tables {
    /// Why a resource of the account cannot stand behind a table's name. The refusals are those that the official Python library's live
    /// tests see when a client is given a table's address for the account's.
    fn misplaced(&self, call: &Call) -> Fault {
        let below = call.blob();
        if call.method == Method::POST && below.eq_ignore_ascii_case(BATCH) {
            return Code::MediaTypeNotSupported.into();
        }
        match self.table(call) {
            Err(fault) => fault,
            Ok(_) if call.target.shape == Shape::Entity => Code::InvalidInput.saying(format!(
                "The number of keys specified in the URI does not match number of key properties for the resource '{}.{}'.",
                call.account.name,
                call.container()
            )),
            Ok(_) if call.method == Method::POST => Code::PropertiesNeedValue.into(),
            Ok(_) => Code::InvalidUri.because(format!("{below:?} is no resource of a table")),
        }
    }
}

/// The path of entity group transactions.
const BATCH: &str = "$batch";

/// Whether a resource of the account stands behind a table's name: `/t/Tables`, `/t/$batch`, `/t/Tables('t')`. Such a target is of the
/// shape that an operation on the table would have, and what stands behind the name is in the place of the keys.
pub(super) fn is_misplaced(target: &Target) -> bool {
    match target.shape {
        Shape::Entities => !target.blob.is_empty(),
        Shape::Entity => target.blob.starts_with('\''),
        _ => false,
    }
}

/// What a path names: `/Tables`, `/Tables('t')`, `/$batch`, `/t`, `/t()`, `/t(PartitionKey='p',RowKey='r')`. One slash behind it is
/// passed over.
///
/// # Errors
/// 400 for what is none of these, or a name or a key that no table and no entity can have.
pub(super) fn target(path: &str) -> Result<Target, Fault> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
    let path = name::unescape(path).ok_or_else(|| Code::InvalidUri.because(format!("{path:?} is not percent-encoded UTF-8")))?;
    let target = |shape, table: &str, keys: &str| Ok(Target { shape, container: table.to_owned(), blob: keys.to_owned() });
    let (first, inside) = match path.split_once('(') {
        None => (path.as_str(), ""),
        Some((first, rest)) => {
            let inside = rest.strip_suffix(')').ok_or_else(|| Code::InvalidUri.because("a parenthesis stays open"))?;
            (first, inside.trim())
        }
    };
    match (first, inside) {
        ("", "") if path.is_empty() => target(Shape::Service, "", ""),
        (BATCH, "") => target(Shape::Batch, "", ""),
        (list, "") if list.eq_ignore_ascii_case("Tables") => target(Shape::Tables, "", ""),
        (list, quoted) if list.eq_ignore_ascii_case("Tables") => {
            let quoted = quoted.strip_prefix("TableName=").unwrap_or(quoted);
            let name = quoted.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
            let name = name.ok_or_else(|| Code::InvalidUri.because("the name of a table stands in quotes"))?;
            name::table(name)?;
            target(Shape::Table, name, "")
        }
        (path, inside) if path.contains('/') => {
            let (table, below) = path.split_once('/').unwrap_or_default();
            name::table(table)?;
            let list = below.eq_ignore_ascii_case("Tables");
            match inside {
                "" if list || below == BATCH => target(Shape::Entities, table, below),
                quoted if list && quoted.starts_with('\'') => target(Shape::Entity, table, quoted),
                _ => Err(Code::InvalidResourceName.into()),
            }
        }
        (table, "") => {
            name::table(table)?;
            target(Shape::Entities, table, "")
        }
        (table, keys) => {
            name::table(table)?;
            Key::parse(keys)?;
            target(Shape::Entity, table, keys)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_of_paths() {
        for (path, expected) in [
            ("/", Ok((Shape::Service, "", ""))),
            ("/Tables", Ok((Shape::Tables, "", ""))),
            ("/Tables()", Ok((Shape::Tables, "", ""))),
            ("/Tables('abc')", Ok((Shape::Table, "abc", ""))),
            ("/Tables(%27abc%27)", Ok((Shape::Table, "abc", ""))),
            ("/Tables(TableName='abc')", Ok((Shape::Table, "abc", ""))),
            ("/Tables/", Ok((Shape::Tables, "", ""))),
            ("/Tables('abc')/", Ok((Shape::Table, "abc", ""))),
            ("/$batch", Ok((Shape::Batch, "", ""))),
            ("/$batch/", Ok((Shape::Batch, "", ""))),
            ("/abc/", Ok((Shape::Entities, "abc", ""))),
            ("/abc()/", Ok((Shape::Entities, "abc", ""))),
            ("/abc(PartitionKey='p',RowKey='r')/", Ok((Shape::Entity, "abc", "PartitionKey='p',RowKey='r'"))),
            ("/abc/Tables", Ok((Shape::Entities, "abc", "Tables"))),
            ("/abc/Tables/", Ok((Shape::Entities, "abc", "Tables"))),
            ("/abc/$batch", Ok((Shape::Entities, "abc", "$batch"))),
            ("/abc/Tables('def')", Ok((Shape::Entity, "abc", "'def'"))),
            ("/abc/def(PartitionKey='p',RowKey='r')", Err(Code::InvalidResourceName)),
            ("/abc//", Err(Code::InvalidResourceName)),
            ("//", Err(Code::InvalidResourceName)),
            ("/%24batch", Ok((Shape::Batch, "", ""))),
            ("/abc", Ok((Shape::Entities, "abc", ""))),
            ("/abc()", Ok((Shape::Entities, "abc", ""))),
            ("/abc(PartitionKey='p',RowKey='r')", Ok((Shape::Entity, "abc", "PartitionKey='p',RowKey='r'"))),
            ("/abc(RowKey='r',PartitionKey='p%20()')", Ok((Shape::Entity, "abc", "RowKey='r',PartitionKey='p ()'"))),
            ("/abc(PartitionKey='%2C''',RowKey='')", Ok((Shape::Entity, "abc", "PartitionKey=',''',RowKey=''"))),
            ("/abc(PartitionKey='a%2Fb',RowKey='r')", Err(Code::OutOfRangeInput)),
            ("/abc(PartitionKey='a/b',RowKey='r')", Err(Code::OutOfRangeInput)),
            ("/abc(PartitionKey='p')", Err(Code::InvalidInput)),
            ("/abc('p')", Err(Code::InvalidInput)),
            ("/abc(", Err(Code::InvalidUri)),
            ("/abc/def", Err(Code::InvalidResourceName)),
            ("/1abc", Err(Code::InvalidResourceName)),
            ("/ab", Err(Code::OutOfRangeInput)),
            ("/Tables(abc)", Err(Code::InvalidUri)),
            ("/%zz", Err(Code::InvalidUri)),
        ] {
            let found = target(path).map_err(|fault| fault.code());
            let seen = found.as_ref().map(|found| (found.shape, &*found.container, &*found.blob)).map_err(|code| *code);
            assert_eq!(seen, expected, "{path}");
        }
    }
}
