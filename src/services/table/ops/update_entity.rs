//! Update and Merge Entity, for which the entity must exist; Insert Or Replace and Insert Or Merge Entity, for which it need not. The
//! former have an `If-Match`.

use crate::operation::odata::QueryOptions;
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::table::entity;
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Change, Key, Write, etag};
use crate::rules::time::Timestamp;
use crate::services::table::tables::Tables;
use crate::services::table::wire;

const IF_MATCH: Selector = Selector::HasHeader("if-match");
const UPDATE: RequiredPermission =
    RequiredPermission::object("u").actions(&[&[RoleAction::EntityWrite], &[RoleAction::EntityUpdate]]);
/// An upsert may insert or update, so a SAS must permit both.
const UPSERT: RequiredPermission = RequiredPermission::object("au")
    .all()
    .actions(&[&[RoleAction::EntityWrite], &[RoleAction::EntityAdd, RoleAction::EntityUpdate]]);

pub(super) static UPDATE_ENTITY: Operation<Tables> = operation("Update Entity", &["PUT"], &[IF_MATCH], UPDATE);
pub(super) static INSERT_OR_REPLACE_ENTITY: Operation<Tables> = operation("Insert Or Replace Entity", &["PUT"], &[], UPSERT);
pub(super) static MERGE_ENTITY: Operation<Tables> = operation("Merge Entity", &["PATCH", "MERGE"], &[IF_MATCH], UPDATE);
pub(super) static INSERT_OR_MERGE_ENTITY: Operation<Tables> =
    operation("Insert Or Merge Entity", &["PATCH", "MERGE"], &[], UPSERT);

const fn operation(
    name: &'static str,
    methods: &'static [&'static str],
    selectors: &'static [Selector],
    requires: RequiredPermission,
) -> Operation<Tables> {
    operation!(
        run,
        UpdateInput,
        OperationSpec {
            name,
            methods,
            resource: ResourceKind::Entity,
            selectors,
            requires,
            access: Access::Write,
            status: 204,
            ..OperationSpec::DEFAULT
        }
    )
}

input! { pub(super) UpdateInput {
    _options: QueryOptions,
    condition: Option<EntityCondition>,
} }

impl UpdateInput {
    /// The write of the entity with this key, whose properties are in a body. Keys in the body may differ from those of the URL, and
    /// are ignored (recorded).
    ///
    /// # Errors
    /// As [`entity::read`].
    pub(super) fn write(self, spec: &OperationSpec, key: Key, body: &[u8]) -> Result<Write, StorageError> {
        let change = if spec.methods.contains(&"PUT") { Change::Replace } else { Change::Merge };
        Ok(Write { key, change, condition: self.condition, properties: entity::read(body)?.properties })
    }
}

async fn run(tables: &Tables, mut request: Request, input: UpdateInput) -> Result<Reply, StorageError> {
    let body = request.body.bytes(wire::LIMIT).await?;
    let write = input.write(request.spec, request.target.entity_key()?.clone(), &body)?;
    let changed = tables.resource(&request)?.write(|table| table.write(&request, write)).await?;
    Ok(reply(changed.map_or(request.now, |entity| entity.timestamp)))
}

/// The answer to a write with this timestamp.
pub(super) fn reply(timestamp: Timestamp) -> Reply {
    wire::reply(204).with("etag", etag::of(timestamp))
}
