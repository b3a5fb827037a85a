//! Query Tables: the account's tables in the order of their names, a page at a time; and one of them.

use super::super::Tables;
use super::super::wire::{self, Face, Listed};
use super::query_entities::{filtered, top};
use crate::op::odata::Metadata;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::odata::Filter;
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
};
use std::sync::Arc;

const PERMIT: Permit = Permit { level: Level::Container, account: "rl", service: "", public: Public::Never };

pub(super) static QUERY_TABLES: Op<Tables> = Op {
    row: Row {
        name: "Query Tables",
        methods: &["GET"],
        shape: Shape::Tables,
        signs: &[],
        takes: &[wire::FORMAT, wire::WANTED, wire::TABLES_PAGE],
        permit: PERMIT,
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |tables, call| Box::pin(std::future::ready(query(tables, &call))),
};

pub(super) static GET_TABLE: Op<Tables> = Op {
    row: Row {
        name: "Query Tables (one table)",
        methods: &["GET"],
        shape: Shape::Table,
        signs: &[],
        takes: &[wire::FORMAT],
        permit: PERMIT,
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |tables, call| Box::pin(std::future::ready(get(tables, &call))),
};

fn query(tables: &Tables, call: &Call) -> Result<Reply, Fault> {
    wire::check_options(&call.query, call.row)?;
    let metadata = Metadata::wanted(&call.query, &call.headers)?;
    // Names of tables are compared without regard to case (live tests of the .NET library).
    let filter = filtered(&call.query)?.map(Filter::in_lower_case);
    let most = top(&call.query)?;
    let from = call.query.get("nexttablename").map(wire::read_token).transpose()?.unwrap_or_default();
    let names = tables.account(&call.account.name)?.named.read();
    let listed = names.range(Arc::<str>::from(from.to_lowercase())..).map(|(name, cell)| (name, cell.read()));
    let mut listed = listed.filter(|(name, _)| filter.as_ref().is_none_or(|filter| filter.holds(&Listed(name))));

    let face = Face::new(call, metadata);
    let page: Vec<String> =
        listed.by_ref().take(most).map(|(_, table)| wire::object(|object| object.table(&face, &table))).collect();
    let text = wire::object(|object| {
        object.context(&face, "Tables");
        object.list(&page);
    });
    let next = listed.next().filter(|_| most > 0).map(|(name, _)| wire::token(name));
    Ok(wire::json(call.row.status, metadata, text).with_some("x-ms-continuation-nexttablename", next))
}

fn get(tables: &Tables, call: &Call) -> Result<Reply, Fault> {
    wire::check_options(&call.query, call.row)?;
    let metadata = Metadata::wanted(&call.query, &call.headers)?;
    let table = tables.table(call).map_err(|_| Code::ResourceNotFound)?.read();
    let face = Face::new(call, metadata);
    let text = wire::object(|object| {
        object.context(&face, "Tables/@Element");
        object.table(&face, &table);
    });
    Ok(wire::json(call.row.status, metadata, text))
}
