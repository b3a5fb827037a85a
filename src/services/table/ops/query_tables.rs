//! Query Tables: the account's tables in the order of their names, a page at a time; and one of them.

use crate::operation::odata::Metadata;
use crate::operation::{Access, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::odata::Filter;
use crate::services::table::ops::query_entities::{filtered, top};
use crate::services::table::wire::{FilteredTable, ResponseFormat};
use crate::services::table::{Tables, wire};
use std::sync::Arc;

const PERMIT: RequiredPermission = RequiredPermission::container("rl").account_sas_only();

pub(super) static QUERY_TABLES: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Query Tables",
        methods: &["GET"],
        resource: ResourceKind::Tables,
        inputs: &[Input::Group(wire::FORMAT), Input::Group(wire::WANTED), Input::Group(wire::TABLES_PAGE)],
        requires: PERMIT,
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    },
    start: |tables, request| Ok(Box::pin(std::future::ready(query(tables, &request)))),
};

pub(super) static GET_TABLE: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Query Tables (one table)",
        methods: &["GET"],
        resource: ResourceKind::Table,
        inputs: &[Input::Group(wire::FORMAT)],
        requires: PERMIT,
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    },
    start: |tables, request| Ok(Box::pin(std::future::ready(get(tables, &request)))),
};

fn query(tables: &Tables, request: &Request) -> Result<Reply, StorageError> {
    wire::check_options(&request.query, request.spec)?;
    let metadata = Metadata::wanted(&request.query, &request.headers)?;
    // Names of tables are compared without regard to case (live tests of the .NET library).
    let filter = filtered(&request.query)?.map(Filter::in_lower_case);
    let most = top(&request.query)?;
    let from = request.query.get("nexttablename").map(wire::read_token).transpose()?.unwrap_or_default();
    let names = tables.account(&request.account.name)?.resources.read();
    let listed = names.range(Arc::<str>::from(from.to_lowercase())..).map(|(name, cell)| (name, cell.read()));
    let mut listed = listed.filter(|(name, _)| filter.as_ref().is_none_or(|filter| filter.holds(&FilteredTable(name))));

    let face = ResponseFormat::new(request, metadata);
    let page: Vec<String> =
        listed.by_ref().take(most).map(|(_, table)| wire::object(|object| object.table(&face, &table))).collect();
    let text = wire::object(|object| {
        object.context(&face, "Tables");
        object.list(&page);
    });
    let next = listed.next().filter(|_| most > 0).map(|(name, _)| wire::token(name));
    Ok(wire::json(request.spec.status, metadata, text).with_some("x-ms-continuation-nexttablename", next))
}

fn get(tables: &Tables, request: &Request) -> Result<Reply, StorageError> {
    wire::check_options(&request.query, request.spec)?;
    let metadata = Metadata::wanted(&request.query, &request.headers)?;
    let table = tables.table(request).map_err(|_| ErrorCode::ResourceNotFound)?.read();
    let face = ResponseFormat::new(request, metadata);
    let text = wire::object(|object| {
        object.context(&face, "Tables/@Element");
        object.table(&face, &table);
    });
    Ok(wire::json(request.spec.status, metadata, text))
}
