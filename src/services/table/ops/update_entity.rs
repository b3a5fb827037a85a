//! Update and Merge Entity, where an entity must stand; Insert Or Replace and Insert Or Merge Entity, where none need stand. `If-Match` tells
//! them apart.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::table::entity;
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Change, Key, Write, etag};
use crate::rules::time::Timestamp;
use crate::services::table::{Tables, wire};

const IF_MATCH: Selector = Selector::HasHeader("if-match");

pub(super) static UPDATE_ENTITY: Operation<Tables> = op("Update Entity", &["PUT"], &[IF_MATCH], "u");
pub(super) static INSERT_OR_REPLACE_ENTITY: Operation<Tables> = op("Insert Or Replace Entity", &["PUT"], &[], "au");
pub(super) static MERGE_ENTITY: Operation<Tables> = op("Merge Entity", &["PATCH", "MERGE"], &[IF_MATCH], "u");
pub(super) static INSERT_OR_MERGE_ENTITY: Operation<Tables> = op("Insert Or Merge Entity", &["PATCH", "MERGE"], &[], "au");

const fn op(
    name: &'static str,
    methods: &'static [&'static str],
    signs: &'static [Selector],
    letters: &'static str,
) -> Operation<Tables> {
    operation!(
        run,
        OperationSpec {
            name,
            methods,
            resource: ResourceKind::Entity,
            selectors: signs,
            inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::FORMAT)],
            requires: RequiredPermission::object(letters),
            access: Access::Write,
            status: 204,
            ..OperationSpec::DEFAULT
        }
    )
}

input! { pub(super) Asked {
    if_match: Option<String> = Header "if-match",
} }

async fn run(tables: &Tables, mut request: Request) -> Result<Reply, StorageError> {
    let Asked { if_match } = request.parse::<Asked>()?;
    wire::check_options(&request.query, request.spec)?;
    check_both(&request)?;
    let change = change(request.spec);
    let body = request.body.bytes(wire::LIMIT).await?;
    let write = read(change, if_match.as_deref(), request.target.entity_key()?.clone(), &body)?;
    let changed = tables.table(&request)?.write(|table| table.write(&request, write)).await?;
    Ok(reply(changed.map_or(request.now, |entity| entity.timestamp)))
}

/// What the operation of this row does.
pub(super) fn change(row: &OperationSpec) -> Change {
    if row.methods.contains(&"PUT") { Change::Replace } else { Change::Merge }
}

/// Where an entity may come to be or be changed, a signature must permit both.
///
/// # Errors
/// 403 AuthorizationPermissionMismatch.
pub(super) fn check_both(request: &Request) -> Result<(), StorageError> {
    check_letters(request, request.spec)
}

/// [`check_both`] for the operation of another row, on the same grant.
pub(super) fn check_letters(request: &Request, row: &OperationSpec) -> Result<(), StorageError> {
    let letters = row.requires.service;
    match letters == "au" && !(request.authorization.allows("a") && request.authorization.allows("u")) {
        true => Err(request.authorization.missing_permission("au").with_reason("the SAS has to permit both a and u")),
        false => Ok(()),
    }
}

/// Reads the properties of an entity that stands or is to stand under these keys. The URL's keys count: those in the body may be others
/// (recorded).
///
/// # Errors
/// As [`entity::read`] and [`IfMatch::read`].
pub(super) fn read(change: Change, if_match: Option<&str>, key: Key, body: &[u8]) -> Result<Write, StorageError> {
    let condition = if_match.map(EntityCondition::read).transpose()?;
    Ok(Write { key, change, condition, properties: entity::read(body)?.properties })
}

/// The answer to a write at this moment.
pub(super) fn reply(stamp: Timestamp) -> Reply {
    wire::reply(204).with("etag", etag::of(stamp))
}
