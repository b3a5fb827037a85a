//! Query Entities: those of a table that a filter holds for, in the order of their keys, a page at a time; and the one of two keys.
//!
//! A page has up to 1000 entities and 4 MiB, and there is an end to how many it looks at ([`LOOKED`]): it may be short, or empty, and go
//! on all the same.

use crate::operation::odata::Metadata;
use crate::operation::{Access, Input, Operation, OperationSpec, Query, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::key::Range;
use crate::rules::table::entity::{Key, etag};
use crate::rules::table::odata;
use crate::rules::table::odata::{Filter, Select};
use crate::services::table::wire::{FilteredEntity, ResponseFormat};
use crate::services::table::{Tables, wire};

const PERMIT: RequiredPermission = RequiredPermission::object("r");

pub(super) static QUERY_ENTITIES: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Query Entities",
        methods: &["GET"],
        resource: ResourceKind::Entities,
        inputs: &[Input::Group(wire::FORMAT), Input::Group(wire::WANTED), Input::Group(wire::PAGE)],
        requires: PERMIT,
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    },
    start: |tables, request| Ok(Box::pin(std::future::ready(query(tables, &request)))),
};

pub(super) static GET_ENTITY: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Query Entities (one entity)",
        methods: &["GET"],
        resource: ResourceKind::Entity,
        inputs: &[Input::Group(wire::FORMAT), Input::Group(wire::WANTED)],
        requires: PERMIT,
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    },
    start: |tables, request| Ok(Box::pin(std::future::ready(get(tables, &request)))),
};

/// The most entities of a page.
const MOST: usize = 1000;
/// How long the JSON of a page may be before it is ended, in bytes.
const LONGEST: usize = 4 << 20;
/// How many comparisons a page makes, at most; it looks at as many entities as it can show all the same.
const LOOKED: usize = 100_000;

/// Reads `$top`.
///
/// # Errors
/// 400 InvalidInput for anything but 0 to 1000.
pub(super) fn top(query: &Query) -> Result<usize, StorageError> {
    let Some(text) = query.get("$top") else { return Ok(MOST) };
    let most = text.trim().parse().ok().filter(|most| (0..=MOST).contains(most));
    most.ok_or_else(|| ErrorCode::InvalidInput.with_reason(format!("$top is {text:?}")))
}

/// What a query is to show of an entity, and under which name it says so.
fn selected(query: &Query) -> (Select, String) {
    let select = query.get("$select");
    let context = select.map(|select| format!("&$select={select}")).unwrap_or_default();
    (select.map(Select::read).unwrap_or_default(), context)
}

/// The filter of a query, if it has one.
///
/// # Errors
/// As [`odata::parse`].
pub(super) fn filtered(query: &Query) -> Result<Option<Filter>, StorageError> {
    query.get("$filter").filter(|filter| !filter.trim().is_empty()).map(odata::parse).transpose()
}

/// Where a page begins. What is there and empty is as malformed as what is there and wrong.
fn beginning(query: &Query) -> Result<Key, StorageError> {
    let place = |name| query.get(name).map(wire::read_token).transpose();
    let (partition, row) = (place("nextpartitionkey")?, place("nextrowkey")?);
    Ok(Key::new(&partition.unwrap_or_default(), &row.unwrap_or_default()))
}

/// Answers a query; a transaction's single query as well.
pub(super) fn query(tables: &Tables, request: &Request) -> Result<Reply, StorageError> {
    wire::check_options(&request.query, request.spec)?;
    let metadata = Metadata::wanted(&request.query, &request.headers)?;
    let filter = filtered(&request.query)?;
    let (select, context) = selected(&request.query);
    let most = top(&request.query)?;
    let from = beginning(&request.query)?;
    let ranges = filter.as_ref().map_or_else(|| vec![Range::all()], odata::ranges);
    let table = tables.table(request)?.read();

    let (face, name) = (ResponseFormat::new(request, metadata), request.target.table()?);
    let looks = (LOOKED / filter.as_ref().map_or(1, Filter::comparisons).max(1)).max(MOST);
    let (mut looked, mut length) = (0, 0);
    let mut page: Vec<String> = Vec::new();
    let mut scan = table.scan(request, &ranges, &from);
    let next = loop {
        // Who wants nothing gets nothing, and no place to go on from: following it would never end.
        let Some((key, entity)) = scan.next().filter(|_| most > 0) else { break None };
        if looked == looks || page.len() == most {
            break Some(key);
        }
        looked += 1;
        if filter.as_ref().is_some_and(|filter| !filter.holds(&FilteredEntity(key, entity))) {
            continue;
        }
        let shown = wire::object(|object| object.entity(&face, name, (key, entity), &select));
        length += shown.len();
        if length > LONGEST && !page.is_empty() {
            break Some(key);
        }
        page.push(shown);
    };
    let text = wire::object(|object| {
        object.context(&face, &format!("{name}{context}"));
        object.list(&page);
    });
    Ok(wire::json(request.spec.status, metadata, text)
        .with_some("x-ms-continuation-nextpartitionkey", next.map(|key| wire::token(key.partition())))
        .with_some("x-ms-continuation-nextrowkey", next.map(|key| wire::token(key.row()))))
}

/// Answers with one entity.
pub(super) fn get(tables: &Tables, request: &Request) -> Result<Reply, StorageError> {
    wire::check_options(&request.query, request.spec)?;
    let metadata = Metadata::wanted(&request.query, &request.headers)?;
    let filter = filtered(&request.query)?;
    let (select, context) = selected(&request.query);
    let key = request.target.entity_key()?.clone();
    let table = tables.table(request)?.read();
    let entity = table.entity(request, &key)?;
    if filter.is_some_and(|filter| !filter.holds(&FilteredEntity(&key, entity))) {
        return Err(ErrorCode::ResourceNotFound.into());
    }
    let (face, name) = (ResponseFormat::new(request, metadata), request.target.table()?);
    let text = wire::object(|object| {
        object.context(&face, &format!("{name}/@Element{context}"));
        object.entity(&face, name, (&key, entity), &select);
    });
    Ok(wire::json(request.spec.status, metadata, text).with("etag", etag::of(entity.timestamp)))
}
