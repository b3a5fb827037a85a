//! Tables and their entities.

use crate::import::error::{ImportError, ItemError};
use crate::import::policies;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, Document, list, text};
use crate::operation::ServiceKind;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Brings tables and entities over.
///
/// # Errors
/// When nothing can be written any more.
pub async fn bring(door: &RequestSender, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    let mut listed = HashSet::new();
    for document in from.collection("$TABLES_COLLECTION$") {
        let (account, name) = (text(document, "account").unwrap_or_default(), text(document, "table").unwrap_or_default());
        let made = post(door, account, "/Tables", json!({ "TableName": name })).await;
        report.count("tables", name, made)?;
        let policies = list(document, "tableAcl");
        if !policies.is_empty() {
            let ask = ImportRequest::new("PUT", &format!("/{name}")).query("comp", "acl").body(policies::document(policies));
            report.count("lists of access policies", name, door.ask(ServiceKind::Table, account, ask).await)?;
        }
        let entities = format!("{account}${name}");
        for entity in from.collection(&entities) {
            let put = match properties(entity) {
                Some(properties) => post(door, account, &format!("/{name}"), properties).await,
                None => Err(ItemError::NotImported("it has no properties".to_owned())),
            };
            report.count("entities", name, put)?;
        }
        listed.insert(entities);
    }
    // Those of Azurite's own begin with the mark that stands between an account and a table.
    for name in from.names().filter(|name| name.contains('$') && !name.starts_with('$') && !listed.contains(*name)) {
        from.collection(name).iter().for_each(|_| report.leave("entities", name, "their table is not in the list of tables"));
    }
    Ok(())
}

async fn post(door: &RequestSender, account: &str, path: &str, body: Value) -> Result<(), ItemError> {
    let ask = ImportRequest::new("POST", path).header("content-type", "application/json").header("accept", "application/json");
    door.ask(ServiceKind::Table, account, ask.header("prefer", "return-no-content").body(body.to_string().into_bytes())).await
}

/// An entity as a client sends it. Azurite keeps the text of a GUID in base64, and what a server adds beside what it was given.
fn properties(entity: &Document) -> Option<Value> {
    let kept = entity.get("properties")?.as_object()?;
    let mut sent = Map::new();
    for (name, value) in kept {
        if name.starts_with("odata.") || name == "Timestamp" || name == "Timestamp@odata.type" || value.is_null() {
            continue;
        }
        let is_guid = kept.get(&format!("{name}@odata.type")).and_then(Value::as_str) == Some("Edm.Guid");
        let guid = value.as_str().filter(|_| is_guid).and_then(|text| STANDARD.decode(text).ok());
        let guid = guid.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| uuid::Uuid::try_parse(text).is_ok());
        sent.insert(name.clone(), guid.map_or_else(|| value.clone(), Value::String));
    }
    Some(Value::Object(sent))
}
