//! Create Table.

use crate::operation::{Access, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::auth::roles::RoleAction;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::table::entity::members;
use crate::services::shared::resource::Resource;
use crate::services::table::inputs::{InsertAnswer, Prefer};
use crate::services::table::state::Table;
use crate::services::table::tables::Tables;
use crate::services::table::wire;
use crate::services::table::wire::ResponseFormat;

pub(super) static CREATE_TABLE: Operation<Tables> = operation!(
    run,
    InsertAnswer,
    OperationSpec {
        name: "Create Table",
        methods: &["POST"],
        resource: ResourceKind::Tables,
        requires: RequiredPermission::container("cw").account_sas_only().actions(&[&[RoleAction::TableWrite]]),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

async fn run(tables: &Tables, mut request: Request, answer: InsertAnswer) -> Result<Reply, StorageError> {
    let members = members(&request.body.bytes(wire::LIMIT).await?)?;
    let named = members.iter().find(|(name, _)| name == "TableName").map(|(_, value)| value);
    let name = match named.ok_or(ErrorCode::PropertiesNeedValue)? {
        serde_json::Value::String(name) => name,
        serde_json::Value::Null => return Err(ErrorCode::PropertiesNeedValue.into()),
        _ => return Err(ErrorCode::InvalidInput.with_reason("the name of a table is a string")),
    };
    names::table(name)?;

    let table = Table::new(name);
    let account = tables.account(&request.account.name)?;
    account
        .resources
        .write(|index| match index.contains_key(&*Table::key(name)) {
            true => Err(ErrorCode::TableAlreadyExists.into()),
            false => {
                index.insert(Table::key(name).into(), tables.cell(table.clone()));
                Ok(())
            }
        })
        .await?;

    let format = ResponseFormat::new(&request, answer.metadata);
    let url = format.table_url(name);
    if answer.prefer == Some(Prefer::NoContent) {
        return Ok(wire::reply(204)
            .with("preference-applied", Prefer::NoContent.name())
            .with("location", &url)
            .with("dataserviceid", &url));
    }
    let text = wire::object(|object| {
        object.context(&format, "Tables/@Element");
        object.table(&format, &table);
    });
    let reply = wire::json(request.spec.status, answer.metadata, text).with("location", url);
    Ok(reply.with_some("preference-applied", answer.prefer.map(Prefer::name)))
}
