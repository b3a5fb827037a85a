//! Tables and their entities.

use crate::import::error::{ImportError, ItemError};
use crate::import::policies;
use crate::import::report::Report;
use crate::import::sender::{ImportRequest, RequestSender};
use crate::import::workspace::{Database, Document, list, string};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// Imports tables and entities.
///
/// # Errors
/// When the import cannot continue.
pub async fn import(sender: &RequestSender, from: &Database, report: &mut Report) -> Result<(), ImportError> {
    let mut listed = HashSet::new();
    for document in from.collection("$TABLES_COLLECTION$") {
        let (account, name) = (string(document, "account"), string(document, "table"));
        let created = post(sender, account, "/Tables", json!({ "TableName": name })).await;
        report.advance();
        report.count("tables", name, created)?;
        let path = format!("/{name}");
        policies::import(sender, (account, name), ImportRequest::put(&path), list(document, "tableAcl"), report).await?;
        let entities = format!("{account}${name}");
        for entity in from.collection(&entities) {
            let inserted = match properties(entity) {
                Some(properties) => post(sender, account, &path, properties).await,
                None => Err(ItemError::NotImported("it has no properties".to_owned())),
            };
            report.advance();
            report.count("entities", name, inserted)?;
        }
        listed.insert(entities);
    }
    // Azurite's own collections begin with the character that separates an account and a table.
    for name in from.names().filter(|name| name.contains('$') && !name.starts_with('$') && !listed.contains(*name)) {
        let reason = "their table is not in the list of tables";
        from.collection(name).iter().for_each(|_| report.count_not_imported("entities", name, reason));
    }
    Ok(())
}

async fn post(sender: &RequestSender, account: &str, path: &str, body: Value) -> Result<(), ItemError> {
    let request = ImportRequest::new("POST", path).header("content-type", "application/json");
    let request = request.header("accept", "application/json").header("prefer", "return-no-content");
    sender.send(account, request.body(body.to_string().into_bytes())).await
}

/// An entity as a client sends it. Azurite stores GUIDs in base64, and properties that the server adds.
fn properties(entity: &Document) -> Option<Value> {
    let stored = entity.get("properties")?.as_object()?;
    let mut sent = Map::new();
    for (name, value) in stored {
        if name.starts_with("odata.") || name == "Timestamp" || name == "Timestamp@odata.type" || value.is_null() {
            continue;
        }
        let is_guid = stored.get(&format!("{name}@odata.type")).and_then(Value::as_str) == Some("Edm.Guid");
        let guid = value.as_str().filter(|_| is_guid).and_then(|text| STANDARD.decode(text).ok());
        let guid = guid.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| uuid::Uuid::try_parse(text).is_ok());
        sent.insert(name.clone(), guid.map_or_else(|| value.clone(), Value::String));
    }
    Some(Value::Object(sent))
}
