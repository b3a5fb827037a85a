//! Delete Entity. `If-Match` must say which state of it, be it any.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::StorageError;
use crate::rules::lease::LeaseCheck;
use crate::rules::table::entity::etag::EntityCondition;
use crate::rules::table::entity::{Change, Key, Write};
use crate::services::table::{Tables, wire};
use crate::takes;

pub(super) static DELETE_ENTITY: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Delete Entity",
        methods: &["DELETE"],
        resource: ResourceKind::Entity,
        selectors: &[],
        inputs: &[Asked::FIELDS, wire::FORMAT],
        requires: RequiredPermission { level: ResourceLevel::Object, account: "d", service: "d", public: AnonymousAccess::Never },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |tables, request| Box::pin(run(tables, request)),
};

takes! { Asked {
    if_match: String = Header "if-match",
} }

async fn run(tables: &Tables, request: Request) -> Result<Reply, StorageError> {
    let Asked { if_match } = Asked::of(&request)?;
    wire::check_options(&request.query, request.spec)?;
    let write = read(&if_match, Key::parse(request.blob())?)?;
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
