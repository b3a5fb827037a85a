//! Delete Table: the table and all its entities.

use super::super::Tables;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
};

pub(super) static DELETE_TABLE: Op<Tables> = Op {
    row: Row {
        name: "Delete Table",
        methods: &["DELETE"],
        shape: Shape::Table,
        signs: &[],
        takes: &[wire::FORMAT],
        permit: Permit { level: Level::Container, account: "d", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |tables, call| Box::pin(run(tables, call)),
};

async fn run(tables: &Tables, call: Call) -> Result<Reply, Fault> {
    wire::check_options(&call.query, call.row)?;
    let account = tables.account(&call.account.name)?;
    account
        .named
        .write(|names| {
            let table = names.remove(&*call.container().to_lowercase()).ok_or(Code::ResourceNotFound)?;
            table.edit(|_| Ok(()), true)
        })
        .await?;
    Ok(wire::reply(call.row.status))
}
