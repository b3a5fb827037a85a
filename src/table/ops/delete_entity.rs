//! Delete Entity. `If-Match` must say which state of it, be it any.

use super::super::Tables;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::entity::etag::IfMatch;
use crate::rules::entity::{Change, Key, Write};
use crate::rules::{condition::Accepts, fault::Fault, lease::Guard};
use crate::takes;

pub(super) static DELETE_ENTITY: Op<Tables> = Op {
    row: Row {
        name: "Delete Entity",
        methods: &["DELETE"],
        shape: Shape::Entity,
        signs: &[],
        takes: &[Asked::FIELDS, wire::FORMAT],
        permit: Permit { level: Level::Object, account: "d", service: "d", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 204,
    },
    run: |tables, call| Box::pin(run(tables, call)),
};

takes! { Asked {
    if_match: String = Header "if-match",
} }

async fn run(tables: &Tables, call: Call) -> Result<Reply, Fault> {
    let Asked { if_match } = Asked::of(&call)?;
    wire::check_options(&call.query, call.row)?;
    let write = read(&if_match, Key::parse(call.blob())?)?;
    tables.table(&call)?.write(|table| table.write(&call, write)).await?;
    Ok(wire::reply(call.row.status))
}

/// The deletion of what stands under these keys.
///
/// # Errors
/// As [`IfMatch::read`].
pub(super) fn read(if_match: &str, key: Key) -> Result<Write, Fault> {
    Ok(Write { key, change: Change::Delete, condition: Some(IfMatch::read(if_match)?), properties: Vec::new() })
}
