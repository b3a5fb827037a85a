//! Delete Table, with its entities.

use crate::operation::odata::QueryOptions;
use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::services::shared::resource::Resource;
use crate::services::table::state::Table;
use crate::services::table::tables::Tables;
use crate::services::table::wire;

pub(super) static DELETE_TABLE: Operation<Tables> = operation!(
    run,
    QueryOptions,
    OperationSpec {
        name: "Delete Table",
        methods: &["DELETE"],
        resource: ResourceKind::Table,
        requires: RequiredPermission::container("d").account_sas_only().actions(&[&[RoleAction::TableDelete]]),
        access: Access::Write,
        status: 204,
        ..OperationSpec::DEFAULT
    }
);

async fn run(tables: &Tables, request: Request, _: QueryOptions) -> Result<Reply, StorageError> {
    let account = tables.account(&request.account.name)?;
    account
        .resources
        .write(|names| {
            let table = names.remove(&*Table::key(request.target.resource_name()?)).ok_or(ErrorCode::ResourceNotFound)?;
            table.edit(|_| Ok(()), true)
        })
        .await?;
    Ok(wire::reply(request.spec.status))
}
