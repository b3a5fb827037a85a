//! Query Tables: the account's tables in the order of their names, a page at a time; and one of them.

use crate::operation::odata::Metadata;
use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::table::odata::Filter;
use crate::services::table::ops::query_entities::{filtered, top};
use crate::services::table::wire::{FilteredTable, ResponseFormat};
use crate::services::table::{Tables, wire};
use std::sync::Arc;

const PERMIT: RequiredPermission =
    RequiredPermission { level: ResourceLevel::Container, account: "rl", service: "", public: AnonymousAccess::Never };

pub(super) static QUERY_TABLES: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Query Tables",
        methods: &["GET"],
        resource: ResourceKind::Tables,
        selectors: &[],
        inputs: &[wire::FORMAT, wire::WANTED, wire::TABLES_PAGE],
        requires: PERMIT,
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |tables, request| Box::pin(std::future::ready(query(tables, &request))),
};

pub(super) static GET_TABLE: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Query Tables (one table)",
        methods: &["GET"],
        resource: ResourceKind::Table,
        selectors: &[],
        inputs: &[wire::FORMAT],
        requires: PERMIT,
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |tables, request| Box::pin(std::future::ready(get(tables, &request))),
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
