//! Insert Entity.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity;
use crate::rules::table::entity::{Change, Entity, Key, Write, etag};
use crate::rules::table::odata::Select;
use crate::services::table::inputs::{InsertAnswer, Prefer};
use crate::services::table::tables::Tables;
use crate::services::table::wire;
use crate::services::table::wire::ResponseFormat;

pub(super) static INSERT_ENTITY: Operation<Tables> = operation!(
    run,
    InsertAnswer,
    OperationSpec {
        name: "Insert Entity",
        methods: &["POST"],
        resource: ResourceKind::Entities,
        requires: RequiredPermission::object("a").actions(&[&[RoleAction::EntityWrite], &[RoleAction::EntityAdd]]),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(tables: &Tables, mut request: Request, answer: InsertAnswer) -> Result<Reply, StorageError> {
    let body = request.body.bytes(wire::LIMIT).await?;
    // The service reports a missing table before a missing property.
    let table = tables.resource(&request)?;
    let write = read(&body)?;
    let key = write.key.clone();
    let inserted = table.write(|table| table.write(&request, write)).await?;
    let inserted = inserted.ok_or_else(|| ErrorCode::InternalError.with_reason("an insertion left no entity"))?;
    Ok(reply(answer, &ResponseFormat::new(&request, answer.metadata), request.target.resource_name()?, &key, &inserted))
}

/// Reads the entity to insert.
///
/// # Errors
/// As [`entity::read`]; 400 PropertiesNeedValue without both keys.
pub(super) fn read(body: &[u8]) -> Result<Write, StorageError> {
    let given = entity::read(body)?;
    let (partition, row) = given.partition.zip(given.row).ok_or(ErrorCode::PropertiesNeedValue)?;
    let key = Key::checked(&partition, &row)?;
    Ok(Write { key, change: Change::Insert, condition: None, properties: given.properties })
}

/// The answer to the insertion of an entity.
pub(super) fn reply(answer: InsertAnswer, format: &ResponseFormat<'_>, table: &str, key: &Key, entity: &Entity) -> Reply {
    let url = format.entity_url(table, key);
    let (tag, applied) = (etag::of(entity.timestamp), answer.prefer.map(Prefer::name));
    if answer.prefer == Some(Prefer::NoContent) {
        let reply = wire::reply(204).with_some("preference-applied", applied);
        return reply.with("location", &url).with("dataserviceid", &url).with("etag", tag);
    }
    let text = wire::object(|object| {
        object.context(format, &format!("{table}/@Element"));
        object.entity(format, table, (key, entity), &Select::All);
    });
    let reply = wire::json(201, answer.metadata, text).with_some("preference-applied", applied);
    reply.with("location", url).with("etag", tag)
}
