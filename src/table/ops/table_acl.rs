//! Get and Set Table ACL: a table's stored access policies.

use super::super::Tables;
use super::super::state::Table;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
};
use crate::service::policies;
use crate::store::cell::Cell;
use crate::takes;
use std::sync::Arc;

/// Only who has the account's key.
const KEY_ONLY: Permit = Permit { level: Level::Container, account: "", service: "", public: Public::Never };

pub(super) static GET_TABLE_ACL: Op<Tables> = Op {
    row: Row {
        name: "Get Table ACL",
        methods: &["GET", "HEAD"],
        shape: Shape::Entities,
        signs: &[Sign::Query("comp", "acl")],
        takes: &[],
        permit: KEY_ONLY,
        secondary: Secondary::Allowed,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 200,
    },
    run: |tables, call| Box::pin(get(tables, call)),
};

pub(super) static SET_TABLE_ACL: Op<Tables> = Op {
    row: Row {
        name: "Set Table ACL",
        methods: &["PUT"],
        shape: Shape::Entities,
        signs: &[Sign::Query("comp", "acl")],
        takes: &[Asked::FIELDS],
        permit: KEY_ONLY,
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |tables, call| Box::pin(set(tables, call)),
};

takes! { Asked {
    accept: Option<String> = Header "accept",
} }

/// The permissions that a policy of a table can give.
const LETTERS: &str = "raud";

/// The table; where there is none, a resource is missing rather than a table.
fn table(tables: &Tables, call: &Call) -> Result<Arc<Cell<Table>>, Fault> {
    tables.table(call).map_err(|fault| if fault.code() == Code::TableNotFound { Code::ResourceNotFound.into() } else { fault })
}

async fn get(tables: &Tables, call: Call) -> Result<Reply, Fault> {
    let table = table(tables, &call)?.read();
    Ok(Reply::xml(call.row.status, policies::document(table.policies())))
}

async fn set(tables: &Tables, mut call: Call) -> Result<Reply, Fault> {
    let Asked { accept } = Asked::of(&call)?;
    // Recorded of a client that takes anything; one that says nothing is served.
    if accept.is_some_and(|accept| accept.trim() == "*/*") {
        return Err(Code::MediaTypeNotSupported.into());
    }
    let policies = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    table(tables, &call)?
        .write(|table| {
            table.set_policies(policies);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.row.status))
}
