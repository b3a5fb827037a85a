//! Create Table.

use crate::operation::odata::Metadata;
use crate::operation::{Operation, Request, OperationSpec, Reply, ResourceKind, Secondary};
use crate::rules::auth::permissions::{AnonymousAccess, RequiredPermission, ResourceLevel};
use crate::rules::conditions::ConditionSupport;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lease::LeaseCheck;
use crate::rules::names;
use crate::rules::table::entity::members;
use crate::services::table::state::Table;
use crate::services::table::wire::{Prefer, ResponseFormat};
use crate::services::table::{Tables, wire};
use crate::takes;

pub(super) static CREATE_TABLE: Operation<Tables> = Operation {
    spec: OperationSpec {
        name: "Create Table",
        methods: &["POST"],
        resource: ResourceKind::Tables,
        selectors: &[],
        inputs: &[Asked::FIELDS, wire::FORMAT],
        requires: RequiredPermission {
            level: ResourceLevel::Container,
            account: "cw",
            service: "",
            public: AnonymousAccess::Never,
        },
        secondary: Secondary::Refused,
        conditions: ConditionSupport::None,
        lease: LeaseCheck::None,
        status: 201,
    },
    run: |tables, request| Box::pin(run(tables, request)),
};

takes! { Asked {
    prefer: Option<String> = Header "prefer",
} }

async fn run(tables: &Tables, mut request: Request) -> Result<Reply, StorageError> {
    let Asked { prefer } = Asked::of(&request)?;
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
