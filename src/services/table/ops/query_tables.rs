//! Query Tables: the account's tables in the order of their names, a page at a time; and one of them.

use crate::operation::odata::Metadata;
use crate::operation::{Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::odata::Filter;
use crate::services::table::inputs::{FilterOption, SelectOption, StartTable, Top};
use crate::services::table::tables::Tables;
use crate::services::table::wire;
use crate::services::table::wire::{FilteredTable, ResponseFormat};
use std::sync::Arc;

pub(super) static QUERY_TABLES: Operation<Tables> = operation!(
    query,
    QueryInput,
    OperationSpec {
        name: "Query Tables",
        methods: &["GET"],
        resource: ResourceKind::Tables,
        requires: RequiredPermission::container("rl").account_sas_only().actions(&[&[RoleAction::TableRead]]),
        ..OperationSpec::DEFAULT
    }
);

pub(super) static GET_TABLE: Operation<Tables> = operation!(
    get,
    Metadata,
    OperationSpec {
        name: "Query Tables (one table)",
        methods: &["GET"],
        resource: ResourceKind::Table,
        requires: RequiredPermission::container("rl").account_sas_only().actions(&[&[RoleAction::TableRead]]),
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) QueryInput {
    metadata: Metadata,
    filter: FilterOption,
    // Has no effect: a table has one property.
    _select: SelectOption,
    top: Top,
    start: StartTable,
} }

async fn query(tables: &Tables, request: Request, input: QueryInput) -> Result<Reply, StorageError> {
    // Names of tables are compared without regard to case (live tests of the .NET library).
    let filter = input.filter.0.map(Filter::in_lower_case);
    let start: Arc<str> = input.start.0.to_lowercase().into();
    let names = tables.account(&request.account.name)?.resources.read();
    let listed = names.range(start..).map(|(name, cell)| (name, cell.read()));
    let mut listed = listed.filter(|(name, _)| filter.as_ref().is_none_or(|filter| filter.holds(&FilteredTable(name))));

    let (format, Top(top)) = (ResponseFormat::new(&request, input.metadata), input.top);
    let page: Vec<String> =
        listed.by_ref().take(top).map(|(_, table)| wire::object(|object| object.table(&format, &table))).collect();
    let text = wire::object(|object| {
        object.context(&format, "Tables");
        object.list(&page);
    });
    let next = listed.next().filter(|_| top > 0).map(|(name, _)| wire::token(name));
    Ok(wire::json(request.spec.status, input.metadata, text).with_some("x-ms-continuation-nexttablename", next))
}

async fn get(tables: &Tables, request: Request, metadata: Metadata) -> Result<Reply, StorageError> {
    let table = tables.resource(&request).map_err(|_| ErrorCode::ResourceNotFound)?.read();
    let format = ResponseFormat::new(&request, metadata);
    let text = wire::object(|object| {
        object.context(&format, "Tables/@Element");
        object.table(&format, &table);
    });
    Ok(wire::json(request.spec.status, metadata, text))
}
