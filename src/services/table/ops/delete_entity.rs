//! Delete Entity. `If-Match` names the state to delete, or any.

use crate::operation::odata::QueryOptions;
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::StorageError;
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Change, Key, Write};
use crate::services::table::tables::Tables;
use crate::services::table::wire;

pub(super) static DELETE_ENTITY: Operation<Tables> = operation!(
    run,
    DeleteInput,
    OperationSpec {
        name: "Delete Entity",
        methods: &["DELETE"],
        resource: ResourceKind::Entity,
        requires: RequiredPermission::object("d").actions(&[&[RoleAction::EntityDelete]]),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) DeleteInput {
    _options: QueryOptions,
    condition: EntityCondition,
} }

impl DeleteInput {
    /// The deletion of the entity with this key.
    pub(super) fn write(self, key: Key) -> Write {
        Write { key, change: Change::Delete, condition: Some(self.condition), properties: Vec::new() }
    }
}

async fn run(tables: &Tables, request: Request, input: DeleteInput) -> Result<Reply, StorageError> {
    let write = input.write(request.target.entity_key()?.clone());
    tables.resource(&request)?.write(|table| table.write(&request, write)).await?;
    Ok(wire::reply(request.spec.status))
}
