//! Delete Entity. `If-Match` must say which state of it, be it any.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::StorageError;
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Change, Key, Write};
use crate::services::table::{Tables, wire};

pub(super) static DELETE_ENTITY: Operation<Tables> = operation!(
    run,
    OperationSpec {
        name: "Delete Entity",
        methods: &["DELETE"],
        resource: ResourceKind::Entity,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::FORMAT)],
        requires: RequiredPermission::object("d"),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    if_match: String = Header "if-match",
} }

async fn run(tables: &Tables, request: Request) -> Result<Reply, StorageError> {
    let Asked { if_match } = request.parse::<Asked>()?;
    wire::check_options(&request.query, request.spec)?;
    let write = read(&if_match, request.target.entity_key()?.clone())?;
    tables.table(&request)?.write(|table| table.write(&request, write)).await?;
    Ok(wire::reply(request.spec.status))
}

/// The deletion of what stands under these keys.
///
/// # Errors
/// As [`IfMatch::read`].
pub(super) fn read(if_match: &str, key: Key) -> Result<Write, StorageError> {
    Ok(Write { key, change: Change::Delete, condition: Some(EntityCondition::read(if_match)?), properties: Vec::new() })
}
