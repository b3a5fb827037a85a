//! Query Entities: the entities of a table that match a filter, in the order of their keys, a page at a time; and the entity of a key.
//!
//! A page has up to 1000 entities and 4 MiB, and examines a limited number of entities: it may be short or empty and still have a
//! continuation.

use crate::operation::odata::Metadata;
use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::etag;
use crate::rules::table::entity::key::Range;
use crate::rules::table::odata;
use crate::rules::table::odata::Filter;
use crate::services::table::inputs::{FilterOption, MAX_PAGE, SelectOption, StartKey, Top};
use crate::services::table::tables::Tables;
use crate::services::table::wire;
use crate::services::table::wire::{FilteredEntity, ResponseFormat};

pub(super) static QUERY_ENTITIES: Operation<Tables> = operation!(
    run_query,
    QueryInput,
    OperationSpec {
        name: "Query Entities",
        methods: &["GET"],
        resource: ResourceKind::Entities,
        requires: RequiredPermission::object("r").actions(&[&[RoleAction::EntityRead]]),
        ..OperationSpec::DEFAULT
    }
);

pub(super) static GET_ENTITY: Operation<Tables> = operation!(
    run_get,
    GetInput,
    OperationSpec {
        name: "Query Entities (one entity)",
        methods: &["GET"],
        resource: ResourceKind::Entity,
        requires: RequiredPermission::object("r").actions(&[&[RoleAction::EntityRead]]),
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) QueryInput {
    metadata: Metadata,
    filter: FilterOption,
    select: SelectOption,
    top: Top,
    start: StartKey,
} }

input! { pub(super) GetInput {
    metadata: Metadata,
    filter: FilterOption,
    select: SelectOption,
} }

/// The most bytes of JSON in a page.
const MAX_BYTES: usize = 4 << 20;
/// The most comparisons for a page. At least as many entities are examined as a page can have.
const MAX_COMPARISONS: usize = 100_000;

async fn run_query(tables: &Tables, request: Request, input: QueryInput) -> Result<Reply, StorageError> {
    query(tables, &request, &input)
}

async fn run_get(tables: &Tables, request: Request, input: GetInput) -> Result<Reply, StorageError> {
    get(tables, &request, &input)
}

/// Answers a query, alone or in a transaction.
pub(super) fn query(tables: &Tables, request: &Request, input: &QueryInput) -> Result<Reply, StorageError> {
    let QueryInput { metadata, filter: FilterOption(filter), select, top: Top(top), start: StartKey(start) } = input;
    let ranges = filter.as_ref().map_or_else(|| vec![Range::all()], odata::ranges);
    let table = tables.resource(request)?.read();

    let (format, name) = (ResponseFormat::new(request, *metadata), request.target.resource_name()?);
    let max_examined = (MAX_COMPARISONS / filter.as_ref().map_or(1, Filter::comparisons).max(1)).max(MAX_PAGE);
    let (mut examined, mut length) = (0, 0);
    let mut page: Vec<String> = Vec::new();
    let mut scan = table.scan(request, &ranges, start);
    let next = loop {
        // A page of no entities has no continuation: following it would never end.
        let Some((key, entity)) = scan.next().filter(|_| *top > 0) else { break None };
        if examined == max_examined || page.len() == *top {
            break Some(key);
        }
        examined += 1;
        if filter.as_ref().is_some_and(|filter| !filter.holds(&FilteredEntity(key, entity))) {
            continue;
        }
        let object = wire::object(|object| object.entity(&format, name, (key, entity), &select.select));
        length += object.len();
        if length > MAX_BYTES && !page.is_empty() {
            break Some(key);
        }
        page.push(object);
    };
    let text = wire::object(|object| {
        object.context(&format, &format!("{name}{}", select.context));
        object.list(&page);
    });
    Ok(wire::json(request.spec.status, *metadata, text)
        .with_some("x-ms-continuation-nextpartitionkey", next.map(|key| wire::token(key.partition())))
        .with_some("x-ms-continuation-nextrowkey", next.map(|key| wire::token(key.row()))))
}

/// Answers with one entity.
pub(super) fn get(tables: &Tables, request: &Request, input: &GetInput) -> Result<Reply, StorageError> {
    let key = request.target.entity_key()?.clone();
    let table = tables.resource(request)?.read();
    let entity = table.entity(request, &key)?;
    if input.filter.0.as_ref().is_some_and(|filter| !filter.holds(&FilteredEntity(&key, entity))) {
        return Err(ErrorCode::ResourceNotFound.into());
    }
    let (format, name) = (ResponseFormat::new(request, input.metadata), request.target.resource_name()?);
    let text = wire::object(|object| {
        object.context(&format, &format!("{name}/@Element{}", input.select.context));
        object.entity(&format, name, (&key, entity), &input.select.select);
    });
    Ok(wire::json(request.spec.status, input.metadata, text).with("etag", etag::of(entity.timestamp)))
}
