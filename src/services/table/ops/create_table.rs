//! Create Table.

use crate::operation::odata::Metadata;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::table::entity::members;
use crate::services::table::state::Table;
use crate::services::table::wire::{Prefer, ResponseFormat};
use crate::services::table::{Tables, wire};

pub(super) static CREATE_TABLE: Operation<Tables> = operation!(
    run,
    OperationSpec {
        name: "Create Table",
        methods: &["POST"],
        resource: ResourceKind::Tables,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::FORMAT)],
        requires: RequiredPermission::container("cw").account_sas_only(),
        access: Access::Write,
        status: 201,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) Asked {
    prefer: Option<String> = Header "prefer",
} }

async fn run(tables: &Tables, mut request: Request) -> Result<Reply, StorageError> {
    let Asked { prefer } = request.parse::<Asked>()?;
    wire::check_options(&request.query, request.spec)?;
    let prefer = Prefer::read(prefer.as_deref());
    let metadata = match prefer {
        Some(Prefer::NoContent) => Metadata::default(),
        _ => Metadata::wanted(&request.query, &request.headers)?,
    };
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
    let made = table.clone();
    account
        .resources
        .write(|names| match names.contains_key(&*name.to_lowercase()) {
            true => Err(ErrorCode::TableAlreadyExists.into()),
            false => {
                names.insert(name.to_lowercase().into(), tables.cell(made));
                Ok(())
            }
        })
        .await?;

    let face = ResponseFormat::new(&request, metadata);
    let url = face.table_url(name);
    if prefer == Some(Prefer::NoContent) {
        return Ok(wire::reply(204)
            .with("preference-applied", Prefer::NoContent.name())
            .with("location", &url)
            .with("dataserviceid", &url));
    }
    let text = wire::object(|object| {
        object.context(&face, "Tables/@Element");
        object.table(&face, &table);
    });
    let reply = wire::json(request.spec.status, metadata, text).with("location", url);
    Ok(reply.with_some("preference-applied", prefer.map(Prefer::name)))
}
