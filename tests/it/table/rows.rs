//! The table of operations, tested as a table: every row can be reached, no two can be meant at once.

use http::{HeaderMap, HeaderValue};
use lazuli::account::Accounts;
use lazuli::http::route::Table;
use lazuli::op::{Query, Row, Secondary, Service, Shape, Sign};
use lazuli::table::Tables;
use std::collections::BTreeSet;

fn path(shape: Shape) -> &'static str {
    match shape {
        Shape::Service => "/",
        Shape::Tables => "/Tables",
        Shape::Table => "/Tables('people')",
        Shape::Entities => "/people()",
        Shape::Batch => "/$batch",
        _ => "/people(PartitionKey='p',RowKey='r')",
    }
}

fn shown(row: &Row) -> (Query, HeaderMap) {
    let (mut pairs, mut headers) = (Vec::new(), HeaderMap::new());
    for sign in row.signs {
        match *sign {
            Sign::Query(name, value) => pairs.push((name.to_owned(), value.to_owned())),
            Sign::HasHeader(name) => _ = headers.insert(name, HeaderValue::from_static("x")),
            other => panic!("{} shows {other:?}", row.name),
        }
    }
    (Query::new(&pairs), headers)
}

#[test]
fn every_row_is_reached_by_the_request_it_describes() {
    let tables = Tables::new(&Accounts::default());
    let rows = tables.rows();
    let table = Table::new(rows.clone());
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), rows.len(), "names are unique");
    for (place, row) in rows.iter().enumerate() {
        let (query, headers) = shown(row);
        let target = tables.target(path(row.shape), &query).unwrap();
        assert!(row.shape == Shape::Any || target.shape == row.shape, "{}: its path is a {:?}", row.name, target.shape);
        for method in row.methods {
            let (found, reached) = table.find(method, target.shape, &query, &headers).unwrap();
            assert_eq!((found, reached.name), (place, row.name), "{method} {}", path(row.shape));
        }
        let reads = row.methods.iter().all(|method| ["GET", "HEAD", "OPTIONS"].contains(method));
        assert_eq!(reads, row.secondary != Secondary::Refused, "{}", row.name);
    }
}

/// The operations of the service's published description (swagger, 2019-02-02), and what it leaves out.
#[test]
fn every_operation_of_the_description_has_its_place() {
    let described = [
        "Query Tables",
        "Create Table",
        "Delete Table",
        "Query Entities",
        "Query Entities (one entity)",
        "Update Entity",
        "Merge Entity",
        "Delete Entity",
        "Insert Entity",
        "Get Table ACL",
        "Set Table ACL",
        "Set Table Service Properties",
        "Get Table Service Properties",
        "Get Table Service Stats",
        // Beyond it.
        "Query Tables (one table)",
        "Insert Or Replace Entity",
        "Insert Or Merge Entity",
        "Entity Group Transaction",
        "Preflight Table Request",
    ];
    let rows: BTreeSet<&str> = Tables::new(&Accounts::default()).rows().iter().map(|row| row.name).collect();
    assert_eq!(rows, described.into());
}
