//! Get and Set Table ACL: a table's stored access policies.

use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind, Selector};
use crate::rules::auth::permissions::{RequiredPermission, ResourceLevel};
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::shared::policies;
use crate::services::table::Tables;
use crate::services::table::state::Table;
use crate::store::cell::Cell;
use std::sync::Arc;

/// Only who has the account's key.
const KEY_ONLY: RequiredPermission = RequiredPermission::owner(ResourceLevel::Container);

pub(super) static GET_TABLE_ACL: Operation<Tables> = operation!(
    get,
    OperationSpec {
        name: "Get Table ACL",
        methods: &["GET", "HEAD"],
        resource: ResourceKind::Entities,
        selectors: &[Selector::Query("comp", "acl")],
        requires: KEY_ONLY,
        access: Access::Read,
        status: 200,
        ..OperationSpec::DEFAULT
    }
);

pub(super) static SET_TABLE_ACL: Operation<Tables> = operation!(
    set,
    OperationSpec {
        name: "Set Table ACL",
        methods: &["PUT"],
        resource: ResourceKind::Entities,
        selectors: &[Selector::Query("comp", "acl")],
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS)],
        requires: KEY_ONLY,
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
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
    let Asked { accept } = request.parse::<Asked>()?;
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
