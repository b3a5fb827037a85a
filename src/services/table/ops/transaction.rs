//! Entity Group Transaction: up to a hundred changes in one partition of a table, which are atomic; or a single query.
//!
//! Each change is parsed like a request of its own. Together they are one write of the table's cell, so that no reader sees only some.

use crate::operation::odata::Metadata;
use crate::operation::{
    BatchContentType, Operation, OperationSpec, Payload, Query, Reply, Request, ResourceKind, Secondary, Service, Target,
    header_text, odata,
};
use crate::rules::auth::permissions;
use crate::rules::auth::permissions::{Authorization, RequiredPermission, SasScope};
use crate::rules::batch::changeset::{Change, Group};
use crate::rules::batch::{BatchPart, changeset};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::names;
use crate::rules::table::entity::{Entity, Key, Write};
use crate::services::table::inputs::InsertAnswer;
use crate::services::table::ops::delete_entity::{DELETE_ENTITY, DeleteInput};
use crate::services::table::ops::insert_entity::INSERT_ENTITY;
use crate::services::table::ops::query_entities::{GET_ENTITY, QUERY_ENTITIES};
use crate::services::table::ops::update_entity::{
    INSERT_OR_MERGE_ENTITY, INSERT_OR_REPLACE_ENTITY, MERGE_ENTITY, UPDATE_ENTITY, UpdateInput,
};
use crate::services::table::ops::{insert_entity, query_entities, update_entity};
use crate::services::table::tables::Tables;
use crate::services::table::wire::ResponseFormat;
use crate::services::table::{path, wire};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

pub(super) static TRANSACTION: Operation<Tables> = operation!(
    run,
    TransactionInput,
    OperationSpec {
        name: "Entity Group Transaction",
        methods: &["POST"],
        resource: ResourceKind::Batch,
        requires: RequiredPermission::object("raud").actions(&[&[]]),
        status: 202,
        ..OperationSpec::DEFAULT
    }
);

input! { pub(super) TransactionInput {
    content_type: BatchContentType,
    // The table that a service SAS is for.
    signed_table: Option<String> = Query "tn",
} }

async fn run(tables: &Tables, mut request: Request, input: TransactionInput) -> Result<Reply, StorageError> {
    let body = request.body.bytes(wire::LIMIT).await?;
    let group = changeset::parse(&input.content_type.0, &body)?;
    let signed_table = input.signed_table.unwrap_or_default();
    let id = |word: &str| format!("{word}_{}", uuid::Uuid::from_bytes(request.environment.id()));
    let outer = id("batchresponse");
    let mut text = String::new();
    match group {
        Group::Query(part) => {
            let answer = answer(&query(tables, &request, &signed_table, &part), &request, None, Metadata::default());
            _ = write!(text, "--{outer}\r\n{HTTP}{answer}--{outer}--\r\n");
        }
        Group::Changes(_) if request.secondary => return Err(Secondary::write_refused()),
        Group::Changes(changes) => {
            let inner = id("changesetresponse");
            _ = write!(text, "--{outer}\r\nContent-Type: multipart/mixed; boundary={inner}\r\n\r\n");
            for answer in perform(tables, &request, &signed_table, &changes).await {
                _ = write!(text, "--{inner}\r\n{HTTP}{answer}");
            }
            _ = write!(text, "--{inner}--\r\n--{outer}--\r\n");
        }
    }
    let content_type = format!("multipart/mixed; boundary={outer}");
    Ok(wire::reply(request.spec.status).with("content-type", content_type).text(text))
}

/// The first lines of a part.
const HTTP: &str = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

/// A change that is ready to be made.
struct PreparedChange<'a> {
    write: Write,
    answer: ChangeAnswer<'a>,
}

/// What the answer to a change depends on.
struct ChangeAnswer<'a> {
    id: Option<&'a str>,
    table: String,
    key: Key,
    insert: Option<InsertAnswer>,
}

/// Makes the changes together, and answers each; or answers the one that failed.
async fn perform(tables: &Tables, request: &Request, signed_table: &str, changes: &[Change]) -> Vec<String> {
    let refused = |error: StorageError, at: usize| {
        let id = changes.get(at).and_then(|change| change.part.id.as_deref());
        vec![answer(&Err(error), request, id, Metadata::default())]
    };
    if let Err(error) = changeset::check_count(changes) {
        return refused(error, changeset::MOST_CHANGES - 1);
    }
    let mut ready: Vec<PreparedChange<'_>> = Vec::with_capacity(changes.len());
    for (at, change) in changes.iter().enumerate() {
        match read(tables, request, signed_table, change).and_then(|change| check_partition(&ready, &change).map(|()| change)) {
            Ok(change) => ready.push(change),
            Err(error) => return refused(numbered(error, at), at),
        }
    }
    if let Err(at) = check_duplicates(&ready) {
        return refused(numbered(ErrorCode::InvalidDuplicateRow.into(), at), at);
    }
    let Some(first) = ready.first() else { return Vec::new() };
    let table = match tables.find(&request.account.name, &first.answer.table) {
        Ok(table) => table,
        Err(error) => return refused(numbered(error, 0), 0),
    };
    let (writes, answers): (Vec<Write>, Vec<ChangeAnswer<'_>>) =
        ready.into_iter().map(|change| (change.write, change.answer)).unzip();
    let mut failed = 0;
    let changed = table.write(|table| {
        let write = |(at, write): (usize, Write)| {
            failed = at;
            table.write(request, write)
        };
        writes.into_iter().enumerate().map(write).collect::<Result<Vec<Option<Arc<Entity>>>, StorageError>>()
    });
    match changed.await {
        Ok(changed) => answers.iter().zip(changed).map(|(answer, entity)| success(request, answer, entity.as_deref())).collect(),
        // The index of the change is omitted if it is the only one (recorded).
        Err(error) if changes.len() == 1 && error.code() != ErrorCode::TableNotFound => refused(error, 0),
        Err(error) => refused(numbered(error, failed), failed),
    }
}

/// The refusal of a change, with its index.
fn numbered(error: StorageError, at: usize) -> StorageError {
    let message = format!("{at}:{}", error.message());
    error.with_message(message)
}

/// Checks that a change is in the same table and partition as those before it.
fn check_partition(before: &[PreparedChange<'_>], change: &PreparedChange<'_>) -> Result<(), StorageError> {
    let Some(first) = before.first() else { return Ok(()) };
    let same_table = first.answer.table.eq_ignore_ascii_case(&change.answer.table);
    match same_table && first.write.key.partition() == change.write.key.partition() {
        true => Ok(()),
        false => Err(ErrorCode::CommandsInBatchActOnDifferentPartitions.into()),
    }
}

/// Checks that no entity is changed twice, and returns the index of a second change otherwise.
fn check_duplicates(ready: &[PreparedChange<'_>]) -> Result<(), usize> {
    let mut rows = HashSet::new();
    ready.iter().position(|change| !rows.insert(change.write.key.row())).map_or(Ok(()), Err)
}

/// Reads a change as its operation reads a request.
fn read<'a>(
    tables: &Tables,
    request: &Request,
    signed_table: &str,
    change: &'a Change,
) -> Result<PreparedChange<'a>, StorageError> {
    let BatchPart { method, target, .. } = &change.part;
    let headers = headers(&change.part)?;
    let sent = Method::from_bytes(method.as_bytes()).map_err(|_| ErrorCode::InvalidInput.with_reason(method.clone()))?;
    let method = tables.method(&sent, &headers)?;
    let (target, query) = parse_url(request, target)?;
    let conditional = header_text(&headers, "if-match").is_some();
    let spec = match (target.kind(), method.as_str(), conditional) {
        (ResourceKind::Entities, "POST", _) => &INSERT_ENTITY.spec,
        (ResourceKind::Entity, "PUT", true) => &UPDATE_ENTITY.spec,
        (ResourceKind::Entity, "PUT", false) => &INSERT_OR_REPLACE_ENTITY.spec,
        (ResourceKind::Entity, "PATCH" | "MERGE", true) => &MERGE_ENTITY.spec,
        (ResourceKind::Entity, "PATCH" | "MERGE", false) => &INSERT_OR_MERGE_ENTITY.spec,
        (ResourceKind::Entity, "DELETE", _) => &DELETE_ENTITY.spec,
        (resource, method, _) => {
            return Err(ErrorCode::InvalidInput.with_reason(format!("{method} of {resource:?} is not for transactions")));
        }
    };
    check_permission(request, signed_table, spec, &target)?;
    let part = request.part(spec, target, query, headers);
    let body = change.body.as_bytes();
    let (write, insert) = match (spec.resource, method.as_str()) {
        (ResourceKind::Entities, _) => {
            let answer = part.parse()?;
            (insert_entity::read(body)?, Some(answer))
        }
        (_, "DELETE") => (part.parse::<DeleteInput>()?.write(part.target.entity_key()?.clone()), None),
        _ => (part.parse::<UpdateInput>()?.write(spec, part.target.entity_key()?.clone(), body)?, None),
    };
    let answer = ChangeAnswer {
        id: change.part.id.as_deref(),
        table: part.target.resource_name()?.to_owned(),
        key: write.key.clone(),
        insert,
    };
    Ok(PreparedChange { write, answer })
}

/// Parses the URL of a part. If the path of the transaction begins with the account, that of a part may, too.
fn parse_url(request: &Request, url: &str) -> Result<(Target, Query), StorageError> {
    let (url_path, query) = url.split_once('?').unwrap_or((url, ""));
    let name = &request.account.name;
    let accounts = [format!("/{name}/"), format!("/{name}-secondary/")];
    let in_path = accounts.iter().any(|account| request.endpoint.ends_with(account));
    let below = accounts.iter().find_map(|account| url_path.strip_prefix(account)).filter(|_| in_path);
    let target = path::target(below.unwrap_or(url_path))?;
    if let Target::Misplaced { below, .. } = &target {
        return Err(ErrorCode::InvalidInput.with_reason(format!("a table has no resource {below:?}")));
    }
    Ok((target, Query::new(&names::decode_query(query)?)))
}

/// The headers of a part. As in a request, the values of a repeated header are joined by `,`.
fn headers(part: &BatchPart) -> Result<HeaderMap, StorageError> {
    let mut headers = HeaderMap::new();
    for (name, value) in &part.headers {
        let malformed = || StorageError::invalid_header(name, value);
        let key = HeaderName::try_from(name).map_err(|_| malformed())?;
        let joined = match headers.get(&key).map(HeaderValue::as_bytes) {
            Some(before) => HeaderValue::from_bytes(&[before, value.as_bytes()].join(&b',')),
            None => HeaderValue::from_bytes(value.as_bytes()),
        };
        headers.insert(key, joined.map_err(|_| malformed())?);
    }
    Ok(headers)
}

/// Checks that the caller of the transaction may perform a part of it: parts are not signed.
fn check_permission(request: &Request, signed_table: &str, spec: &OperationSpec, target: &Target) -> Result<(), StorageError> {
    let authorization = match (request.authorization, &request.user) {
        // The roles of a principal may differ from table to table.
        (Authorization::User(_), Some(user)) => Authorization::User(user.rights.on(target.container_name())),
        (authorization, _) => authorization,
    };
    permissions::check_permission(&spec.requires, &authorization, 't', request.version)?;
    match request.authorization {
        Authorization::Sas { scope: SasScope::Resource, .. }
            if !target.container_name().is_some_and(|table| table.eq_ignore_ascii_case(signed_table)) =>
        {
            Err(ErrorCode::AuthorizationFailure.with_reason("the signature is for another table"))
        }
        _ => Ok(()),
    }
}

/// Answers the query that a transaction consists of.
fn query(tables: &Tables, request: &Request, signed_table: &str, part: &BatchPart) -> Result<Reply, StorageError> {
    let headers = headers(part)?;
    let (target, query) = parse_url(request, &part.target)?;
    let spec = match target.kind() {
        ResourceKind::Entities => &QUERY_ENTITIES.spec,
        ResourceKind::Entity => &GET_ENTITY.spec,
        resource => return Err(ErrorCode::InvalidInput.with_reason(format!("GET of {resource:?} is not for transactions"))),
    };
    check_permission(request, signed_table, spec, &target)?;
    let part = request.part(spec, target, query, headers);
    match spec.resource {
        ResourceKind::Entity => query_entities::get(tables, &part, &part.parse()?),
        _ => query_entities::query(tables, &part, &part.parse()?),
    }
}

/// The answer to a successful change.
fn success(request: &Request, change: &ChangeAnswer<'_>, entity: Option<&Entity>) -> String {
    let metadata = change.insert.map(|insert| insert.metadata).unwrap_or_default();
    let reply = match (change.insert, entity) {
        (Some(insert), Some(entity)) => {
            insert_entity::reply(insert, &ResponseFormat::new(request, metadata), &change.table, &change.key, entity)
        }
        (None, Some(entity)) => update_entity::reply(entity.timestamp),
        (_, None) => wire::reply(204),
    };
    answer(&Ok(reply), request, change.id, metadata)
}

/// The answer to a part: the text of an HTTP response, with its headers in the recorded order.
fn answer(outcome: &Result<Reply, StorageError>, request: &Request, id: Option<&str>, metadata: Metadata) -> String {
    let (status, mut body, mut headers) = match outcome {
        Ok(reply) => {
            let body = if let Payload::Text(text) = &reply.payload { text.clone() } else { String::new() };
            let header = |name: &'static str| Some((name, reply.headers.get(name)?.to_str().ok()?.to_owned()));
            let version = |number: &str| Some(("DataServiceVersion", format!("{number};")));
            // An answer with content is of version 3.0.
            let named = reply.headers.contains_key("location") || !body.is_empty();
            let version = version(if named { "3.0" } else { "1.0" });
            let common = [header("x-content-type-options"), header("cache-control"), header("preference-applied")];
            let ends = [header("location"), header("dataserviceid"), header("etag")];
            let pages = [header("x-ms-continuation-nextpartitionkey"), header("x-ms-continuation-nextrowkey")];
            let headers: Vec<_> = match body.is_empty() {
                true => common.into_iter().chain([version]).chain(ends).flatten().collect(),
                false => [version, header("content-type")].into_iter().chain(common).chain(pages).chain(ends).flatten().collect(),
            };
            (reply.status, body, headers)
        }
        Err(error) => {
            let request_id = uuid::Uuid::from_bytes(request.environment.id()).to_string();
            let mut headers = vec![("x-content-type-options", "nosniff".to_owned())];
            if error.code() != ErrorCode::TableNotFound {
                headers.push(("cache-control", "no-cache".to_owned()));
            }
            headers.push(("DataServiceVersion", "3.0;".to_owned()));
            headers.push(("content-type", metadata.content_type().to_owned()));
            (error.status(), odata::error(error, &request_id, request.now), headers)
        }
    };
    if let Some(id) = id {
        headers.insert(0, ("Content-ID", id.to_owned()));
    }
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or_default();
    let mut text = format!("HTTP/1.1 {status} {reason}\r\n");
    for (name, value) in headers {
        let name = HEADER_CASE.iter().find(|known| known.eq_ignore_ascii_case(name)).copied().unwrap_or(name);
        _ = write!(text, "{name}: {}\r\n", value.replace(|c: char| c.is_control(), " "));
    }
    body.push_str("\r\n");
    text + "\r\n" + &body
}

/// Header names in the case that the service uses in parts.
const HEADER_CASE: [&str; 9] = [
    "X-Content-Type-Options",
    "Cache-Control",
    "Preference-Applied",
    "Location",
    "DataServiceId",
    "ETag",
    "Content-Type",
    "x-ms-continuation-NextPartitionKey",
    "x-ms-continuation-NextRowKey",
];
