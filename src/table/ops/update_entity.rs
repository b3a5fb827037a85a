//! Update and Merge Entity, where an entity must stand; Insert Or Replace and Insert Or Merge Entity, where none need stand. `If-Match` tells
//! them apart.

use super::super::Tables;
use super::super::wire;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape, Sign};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::entity::etag::{self, IfMatch};
use crate::rules::entity::{self, Change, Key, Write};
use crate::rules::{
    condition::Accepts,
    fault::Fault,
    lease::Guard,
    time::Timestamp,
};
use crate::takes;

const IF_MATCH: Sign = Sign::HasHeader("if-match");

pub(super) static UPDATE_ENTITY: Op<Tables> = op("Update Entity", &["PUT"], &[IF_MATCH], "u");
pub(super) static INSERT_OR_REPLACE_ENTITY: Op<Tables> = op("Insert Or Replace Entity", &["PUT"], &[], "au");
pub(super) static MERGE_ENTITY: Op<Tables> = op("Merge Entity", &["PATCH", "MERGE"], &[IF_MATCH], "u");
pub(super) static INSERT_OR_MERGE_ENTITY: Op<Tables> = op("Insert Or Merge Entity", &["PATCH", "MERGE"], &[], "au");

const fn op(name: &'static str, methods: &'static [&'static str], signs: &'static [Sign], letters: &'static str) -> Op<Tables> {
    Op {
        row: Row {
            name,
            methods,
            shape: Shape::Entity,
            signs,
            takes: &[Asked::FIELDS, wire::FORMAT],
            permit: Permit { level: Level::Object, account: letters, service: letters, public: Public::Never },
            secondary: Secondary::Refused,
            accepts: Accepts::None,
            lease: Guard::None,
            status: 204,
        },
        run: |tables, call| Box::pin(run(tables, call)),
    }
}

takes! { Asked {
    if_match: Option<String> = Header "if-match",
} }

async fn run(tables: &Tables, mut call: Call) -> Result<Reply, Fault> {
    let Asked { if_match } = Asked::of(&call)?;
    wire::check_options(&call.query, call.row)?;
    check_both(&call)?;
    let change = change(call.row);
    let body = call.body.bytes(wire::LIMIT).await?;
    let write = read(change, if_match.as_deref(), Key::parse(call.blob())?, &body)?;
    let changed = tables.table(&call)?.write(|table| table.write(&call, write)).await?;
    Ok(reply(changed.map_or(call.now, |entity| entity.timestamp)))
}

/// What the operation of this row does.
pub(super) fn change(row: &Row) -> Change {
    if row.methods.contains(&"PUT") { Change::Replace } else { Change::Merge }
}

/// Where an entity may come to be or be changed, a signature must permit both.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub(super) fn check_both(call: &Call) -> Result<(), Fault> {
    check_letters(call, call.row)
}

/// [`check_both`] for the operation of another row, on the same grant.
pub(super) fn check_letters(call: &Call, row: &Row) -> Result<(), Fault> {
    let letters = row.permit.service;
    match letters == "au" && !(call.grant.allows("a") && call.grant.allows("u")) {
        true => Err(call.grant.lacking("au").because("the SAS has to permit both a and u")),
        false => Ok(()),
    }
}

/// Reads the properties of an entity that stands or is to stand under these keys. The URL's keys count: those in the body may be others
/// (recorded).
///
/// # Errors
/// As [`entity::read`] and [`IfMatch::read`].
pub(super) fn read(change: Change, if_match: Option<&str>, key: Key, body: &[u8]) -> Result<Write, Fault> {
    let condition = if_match.map(IfMatch::read).transpose()?;
    Ok(Write { key, change, condition, properties: entity::read(body)?.properties })
}

/// The answer to a write at this moment.
pub(super) fn reply(stamp: Timestamp) -> Reply {
    wire::reply(204).with("etag", etag::of(stamp))
}
