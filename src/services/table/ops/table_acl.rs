//! Get and Set Table ACL: a table's stored access policies.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary, Selector};
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
    run: |tables, request| Box::pin(get(tables, request)),
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
    run: |tables, request| Box::pin(set(tables, request)),
};

takes! { Asked {
    accept: Option<String> = Header "accept",
} }

/// The permissions that a policy of a table can give.
const LETTERS: &str = "raud";

/// The table; where there is none, a resource is missing rather than a table.
fn table(tables: &Tables, request: &Request) -> Result<Arc<Cell<Table>>, StorageError> {
    tables
        .table(request)
        .map_err(|error| if error.code() == ErrorCode::TableNotFound { ErrorCode::ResourceNotFound.into() } else { error })
}

async fn get(tables: &Tables, request: Request) -> Result<Reply, StorageError> {
    let table = table(tables, &request)?.read();
    Ok(Reply::xml(request.spec.status, policies::document(table.policies())))
}

async fn set(tables: &Tables, mut request: Request) -> Result<Reply, StorageError> {
    let Asked { accept } = Asked::of(&request)?;
    // Recorded of a client that takes anything; one that says nothing is served.
    if accept.is_some_and(|accept| accept.trim() == "*/*") {
        return Err(ErrorCode::MediaTypeNotSupported.into());
    }
    let policies = policies::read(&request.body.bytes(policies::LIMIT).await?, LETTERS)?;
    table(tables, &request)?
        .write(|table| {
            table.set_policies(policies);
            Ok(())
        })
        .await?;
    Ok(Reply::new(request.spec.status))
}
