//! Get and Set Table ACL: a table's stored access policies.

use crate::operation::{Operation, OperationRequest, OperationSpec, Reply, ResourceKind, Secondary, Selector};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::shared::policies;
use crate::services::table::Tables;
use crate::services::table::state::Table;
use crate::store::cell::Cell;
use crate::takes;
use std::sync::Arc;

/// Only who has the account's key.
const KEY_ONLY: RequiredPermission =
    RequiredPermission { level: ResourceLevel::Container, account: "", service: "", public: AnonymousAccess::Never };

pub(super) static GET_TABLE_ACL: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Get Table ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Entities,
        selectors: &[Selector::Query("comp", "acl")],
        inputs: &[],
        requires: KEY_ONLY,
        secondary: Secondary::Allowed,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 200,
    },
    run: |tables, call| Box::pin(get(tables, call)),
};

pub(super) static SET_TABLE_ACL: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Set Table ACL",
        methods: &["PUT"],
        resource: ResourceKind::Entities,
        selectors: &[Selector::Query("comp", "acl")],
        inputs: &[Asked::FIELDS],
        requires: KEY_ONLY,
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
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
fn table(tables: &Tables, call: &OperationRequest) -> Result<Arc<Cell<Table>>, StorageError> {
    tables
        .table(call)
        .map_err(|fault| if fault.code() == ErrorCode::TableNotFound { ErrorCode::ResourceNotFound.into() } else { fault })
}

async fn get(tables: &Tables, call: OperationRequest) -> Result<Reply, StorageError> {
    let table = table(tables, &call)?.read();
    Ok(Reply::xml(call.spec.status, policies::document(table.policies())))
}

async fn set(tables: &Tables, mut call: OperationRequest) -> Result<Reply, StorageError> {
    let Asked { accept } = Asked::of(&call)?;
    // Recorded of a client that takes anything; one that says nothing is served.
    if accept.is_some_and(|accept| accept.trim() == "*/*") {
        return Err(ErrorCode::MediaTypeNotSupported.into());
    }
    let policies = policies::read(&call.body.bytes(policies::LIMIT).await?, LETTERS)?;
    table(tables, &call)?
        .write(|table| {
            table.set_policies(policies);
            Ok(())
        })
        .await?;
    Ok(Reply::new(call.spec.status))
}
