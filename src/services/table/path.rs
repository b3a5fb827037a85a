//! The targets of the paths of the Table service.

use crate::operation::Target;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::names::TableName;
use crate::rules::table::entity::Key;

/// The path of entity group transactions.
pub const BATCH: &str = "$batch";

/// Parses `/Tables`, `/Tables('t')`, `/$batch`, `/t`, `/t()` or `/t(PartitionKey='p',RowKey='r')`. One trailing slash is ignored.
///
/// # Errors
/// 400 for any other path, and for an invalid name or key.
pub fn target(path: &str) -> Result<Target, StorageError> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(path);
    let path = names::unescape(path)
        .ok_or_else(|| ErrorCode::InvalidUri.with_reason(format!("{path:?} is not percent-encoded UTF-8")))?;
    let (first, inside) = match path.split_once('(') {
        None => (path.as_str(), ""),
        Some((first, rest)) => {
            let inside =
                rest.strip_suffix(')').ok_or_else(|| ErrorCode::InvalidUri.with_reason("a parenthesis is not closed"))?;
            (first, inside.trim())
        }
    };
    match (first, inside) {
        ("", "") if path.is_empty() => Ok(Target::Service),
        (BATCH, "") => Ok(Target::Batch),
        (list, "") if list.eq_ignore_ascii_case("Tables") => Ok(Target::Tables),
        (list, quoted) if list.eq_ignore_ascii_case("Tables") => {
            let quoted = quoted.strip_prefix("TableName=").unwrap_or(quoted);
            let name = quoted.strip_prefix('\'').and_then(|name| name.strip_suffix('\''));
            let name = name.ok_or_else(|| ErrorCode::InvalidUri.with_reason("the name of a table stands in quotes"))?;
            Ok(Target::Table { table: TableName::parse(name)? })
        }
        (path, inside) if path.contains('/') => {
            let (table, below) = path.split_once('/').unwrap_or_default();
            let table = TableName::parse(table)?;
            let list = below.eq_ignore_ascii_case("Tables");
            match inside {
                "" if list || below == BATCH => Ok(Target::Misplaced { table, below: below.to_owned(), keyed: false }),
                quoted if list && quoted.starts_with('\'') => {
                    Ok(Target::Misplaced { table, below: quoted.to_owned(), keyed: true })
                }
                _ => Err(ErrorCode::InvalidResourceName.into()),
            }
        }
        (table, "") => Ok(Target::Entities { table: TableName::parse(table)? }),
        (table, keys) => Ok(Target::Entity { table: TableName::parse(table)?, key: Key::parse(keys)? }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::ResourceKind;

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
            ("/abc(PartitionKey='p',RowKey='r')/", Ok((ResourceKind::Entity, "abc", "p|r"))),
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
            ("/abc(PartitionKey='p',RowKey='r')", Ok((ResourceKind::Entity, "abc", "p|r"))),
            ("/abc(RowKey='r',PartitionKey='p%20()')", Ok((ResourceKind::Entity, "abc", "p ()|r"))),
            ("/abc(PartitionKey='%2C''',RowKey='')", Ok((ResourceKind::Entity, "abc", ",'|"))),
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
            let object = |found: &Target| match found {
                Target::Entity { key, .. } => format!("{}|{}", key.partition(), key.row()),
                Target::Misplaced { below, .. } => below.clone(),
                _ => String::new(),
            };
            let seen = found.map(|found| (found.kind(), found.container_name().unwrap_or_default().to_owned(), object(&found)));
            let expected = expected.map(|(kind, table, object)| (kind, table.to_owned(), object.to_owned()));
            assert_eq!(seen, expected, "{path}");
        }
    }
}
