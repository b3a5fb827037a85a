//! Create Table.

use super::super::state::Table;
use super::super::wire::{self, Face, Prefer};
use super::super::Tables;
use crate::op::odata::Metadata;
use crate::op::{Call, Op, Reply, Row, Secondary, Shape};
use crate::rules::access::{Level, Permit, Public};
use crate::rules::entity::members;
use crate::rules::{
    condition::Accepts,
    fault::{Code, Fault},
    lease::Guard,
    name,
};
use crate::takes;

pub(super) static CREATE_TABLE: Op<Tables> = Op {
    row: Row {
        name: "Create Table",
        methods: &["POST"],
        shape: Shape::Tables,
        signs: &[],
        takes: &[Asked::FIELDS, wire::FORMAT],
        permit: Permit { level: Level::Container, account: "cw", service: "", public: Public::Never },
        secondary: Secondary::Refused,
        accepts: Accepts::None,
        lease: Guard::None,
        status: 201,
    },
    run: |tables, call| Box::pin(run(tables, call)),
};

takes! { Asked {
    prefer: Option<String> = Header "prefer",
} }

async fn run(tables: &Tables, mut call: Call) -> Result<Reply, Fault> {
    let Asked { prefer } = Asked::of(&call)?;
    wire::check_options(&call.query, call.row)?;
    let prefer = Prefer::read(prefer.as_deref());
    let metadata = match prefer {
        Some(Prefer::NoContent) => Metadata::default(),
        _ => Metadata::wanted(&call.query, &call.headers)?,
    };
    let members = members(&call.body.bytes(wire::LIMIT).await?)?;
    let named = members.iter().find(|(name, _)| name == "TableName").map(|(_, value)| value);
    let name = match named.ok_or(Code::PropertiesNeedValue)? {
        serde_json::Value::String(name) => name,
        serde_json::Value::Null => return Err(Code::PropertiesNeedValue.into()),
        _ => return Err(Code::InvalidInput.because("the name of a table is a string")),
    };
    name::table(name)?;

    let table = Table::new(name);
    let account = tables.account(&call.account.name)?;
    let made = table.clone();
    account
        .named
        .write(|names| match names.contains_key(&*name.to_lowercase()) {
            true => Err(Code::TableAlreadyExists.into()),
            false => {
                names.insert(name.to_lowercase().into(), tables.cell(made));
                Ok(())
            }
        })
        .await?;

    let face = Face::new(&call, metadata);
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
    let reply = wire::json(call.row.status, metadata, text).with("location", url);
    Ok(reply.with_some("preference-applied", prefer.map(Prefer::name)))
}
