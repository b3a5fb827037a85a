//! Delete Table: the table and all its entities.

use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::services::table::{Tables, wire};

pub(super) static DELETE_TABLE: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Delete Table",
        methods: &["DELETE"],
        resource: ResourceKind::Table,
        selectors: &[],
        inputs: &[wire::FORMAT],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "d",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 204,
    },
    run: |tables, request| Box::pin(run(tables, request)),
};

async fn run(tables: &Tables, request: Request) -> Result<Reply, StorageError> {
    wire::check_options(&request.query, request.spec)?;
    let account = tables.account(&request.account.name)?;
    account
        .resources
        .write(|names| {
            let table = names.remove(&*request.container().to_lowercase()).ok_or(ErrorCode::ResourceNotFound)?;
            table.edit(|_| Ok(()), true)
        })
        .await?;
    Ok(wire::reply(request.spec.status))
}
