//! Insert Entity: a new one.

use crate::operation::odata::Metadata;
use crate::operation::{Access, FromRequest, Input, Operation, OperationSpec, Reply, Request, ResourceKind};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity;
use crate::rules::table::entity::{Change, Entity, Key, Write, etag};
use crate::rules::table::odata::Select;
use crate::services::table::wire::{Prefer, ResponseFormat};
use crate::services::table::{Tables, wire};

pub(super) static INSERT_ENTITY: Operation<Tables> = operation!(
    run,
    OperationSpec {
        name: "Insert Entity",
        methods: &["POST"],
        resource: ResourceKind::Entities,
        inputs: &[Input::Group(<Asked as FromRequest>::INPUTS), Input::Group(wire::FORMAT)],
        requires: RequiredPermission::object("a"),
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
    let answer = Answer::wanted(prefer.as_deref(), || Metadata::wanted(&request.query, &request.headers))?;
    let body = request.body.bytes(wire::LIMIT).await?;
    // A missing table is told of before what the entity lacks.
    let table = tables.table(&request)?;
    let write = read(&body)?;
    let key = write.key.clone();
    let made = table.write(|table| table.write(&request, write)).await?;
    let face = ResponseFormat::new(&request, answer.metadata);
    let made = made.ok_or_else(|| ErrorCode::InternalError.with_reason("an insertion left no entity"))?;
    Ok(answer.reply(&face, request.target.table()?, &key, &made))
}

/// Reads the entity that is to be inserted.
///
/// # Errors
/// As [`entity::read`]; 400 PropertiesNeedValue without both keys.
pub(super) fn read(body: &[u8]) -> Result<Write, StorageError> {
    let given = entity::read(body)?;
    let (partition, row) = given.partition.zip(given.row).ok_or(ErrorCode::PropertiesNeedValue)?;
    let key = Key::checked(&partition, &row)?;
    Ok(Write { key, change: Change::Insert, condition: None, properties: given.properties })
}

/// How an insertion is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    prefer: Option<Prefer>,
    /// How much its JSON says of itself, if there is any.
    pub(super) metadata: Metadata,
}

impl Answer {
    /// As the client wants it.
    ///
    /// # Errors
    /// 415, where there will be JSON and the client reads none.
    pub(super) fn wanted(
        prefer: Option<&str>,
        metadata: impl FnOnce() -> Result<Metadata, StorageError>,
    ) -> Result<Answer, StorageError> {
        let prefer = Prefer::read(prefer);
        let metadata = if prefer == Some(Prefer::NoContent) { Metadata::default() } else { metadata()? };
        Ok(Answer { prefer, metadata })
    }

    /// The answer to an insertion, of what stands there now.
    pub(super) fn reply(self, face: &ResponseFormat<'_>, table: &str, key: &Key, entity: &Entity) -> Reply {
        let url = face.entity_url(table, key);
        let (tag, applied) = (etag::of(entity.timestamp), self.prefer.map(Prefer::name));
        if self.prefer == Some(Prefer::NoContent) {
            let reply = wire::reply(204).with_some("preference-applied", applied);
            return reply.with("location", &url).with("dataserviceid", &url).with("etag", tag);
        }
        let text = wire::object(|object| {
            object.context(face, &format!("{table}/@Element"));
            object.entity(face, table, (key, entity), &Select::All);
        });
        let reply = wire::json(201, self.metadata, text).with_some("preference-applied", applied);
        reply.with("location", url).with("etag", tag)
    }
}
