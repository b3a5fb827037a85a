//! Tables and entities in JSON, and the headers of such answers.

use crate::operation::odata::Metadata;
use crate::operation::{Reply, Request};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::table::entity::{Entity, Key, Value, etag, value};
use crate::rules::table::odata::{Record, Select, ValueRef};
use crate::rules::wire_name::WireName;
use crate::services::table::state::Table;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The largest body of a request, in bytes.
pub const LIMIT: u64 = 4 << 20;

/// What the form of an answer depends on.
#[derive(Clone, Copy, Debug)]
pub struct ResponseFormat<'a> {
    pub metadata: Metadata,
    /// The address of the account's tables, ending in `/`.
    pub endpoint: &'a str,
    pub account: &'a str,
}

impl<'a> ResponseFormat<'a> {
    pub fn new(request: &'a Request, metadata: Metadata) -> ResponseFormat<'a> {
        ResponseFormat { metadata, endpoint: &request.endpoint, account: &request.account.name }
    }

    /// The address of a table in the list of tables.
    pub fn table_url(&self, name: &str) -> String {
        format!("{}Tables('{name}')", self.endpoint)
    }

    /// The address of an entity.
    pub fn entity_url(&self, table: &str, key: &Key) -> String {
        format!("{}{table}({})", self.endpoint, key.written())
    }
}

/// An answer with the headers that all answers about data have.
pub fn reply(status: u16) -> Reply {
    Reply::new(status).with("cache-control", "no-cache").with("x-content-type-options", "nosniff")
}

/// An answer with a JSON body.
pub fn json(status: u16, metadata: Metadata, document: String) -> Reply {
    reply(status).with("content-type", metadata.content_type()).text(document)
}

/// A continuation token, opaque to clients.
pub fn token(text: &str) -> String {
    let coded: String = STANDARD.encode(text).chars().map(to_url).collect();
    format!("1!{}!{coded}", coded.len())
}

/// Reads a continuation token.
///
/// # Errors
/// 400 InvalidInput for a text that [`token`] does not return.
pub fn read_token(text: &str) -> Result<String, StorageError> {
    let malformed = || ErrorCode::InvalidInput.with_reason(format!("{text:?} is not a continuation token"));
    let (length, coded) = text.strip_prefix("1!").and_then(|rest| rest.split_once('!')).ok_or_else(malformed)?;
    let plain: String = coded.chars().map(to_base64).collect();
    let bytes = STANDARD.decode(plain).ok().filter(|_| length.parse() == Ok(coded.len())).ok_or_else(malformed)?;
    String::from_utf8(bytes).map_err(|_| malformed())
}

/// Replaces the characters of base64 that are reserved in URLs.
fn to_url(letter: char) -> char {
    match letter {
        '+' => '*',
        '/' => '_',
        '=' => '-',
        other => other,
    }
}

fn to_base64(letter: char) -> char {
    match letter {
        '*' => '+',
        '_' => '/',
        '-' => '=',
        other => other,
    }
}

/// An entity, as a filter sees it.
#[derive(Clone, Copy, Debug)]
pub struct FilteredEntity<'a>(pub &'a Key, pub &'a Entity);

impl Record for FilteredEntity<'_> {
    fn field(&self, name: &str) -> Option<ValueRef<'_>> {
        match name {
            "PartitionKey" => Some(ValueRef::String(self.0.partition())),
            "RowKey" => Some(ValueRef::String(self.0.row())),
            "Timestamp" => Some(ValueRef::DateTime(self.1.timestamp)),
            name => self.1.get(name).map(ValueRef::from),
        }
    }
}

/// A table, by its name in lower case, as a filter in lower case sees it.
#[derive(Clone, Copy, Debug)]
pub struct FilteredTable<'a>(pub &'a str);

impl Record for FilteredTable<'_> {
    fn field(&self, name: &str) -> Option<ValueRef<'_>> {
        (name == "TableName").then_some(ValueRef::String(self.0))
    }
}

/// A writer of a JSON object.
pub struct Object<'a> {
    text: &'a mut String,
    first: bool,
}

/// Writes an object.
pub fn object(write: impl FnOnce(&mut Object<'_>)) -> String {
    let mut text = String::with_capacity(256);
    text.push('{');
    write(&mut Object { text: &mut text, first: true });
    text.push('}');
    text
}

impl Object<'_> {
    fn name(&mut self, name: &str, annotation: &str) {
        if !std::mem::take(&mut self.first) {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str(annotation);
        self.text.push_str("\":");
    }

    fn string(&mut self, name: &str, value: &str) {
        self.name(name, "");
        quoted(self.text, value);
    }

    fn null(&mut self, name: &str) {
        self.name(name, "");
        self.text.push_str("null");
    }

    fn value(&mut self, name: &str, value: &Value, metadata: Metadata) {
        if metadata != Metadata::None && !value.is_plain() {
            self.kind(name, value.kind().name());
        }
        let (text, in_quotes) = value.text();
        if in_quotes {
            self.string(name, &text);
        } else {
            self.name(name, "");
            self.text.push_str(&text);
        }
    }

    fn kind(&mut self, name: &str, kind: &str) {
        self.name(name, "@odata.type");
        quoted(self.text, kind);
    }

    /// Writes `odata.metadata`, the kind of the document: tables, entities, or one of them.
    pub fn context(&mut self, format: &ResponseFormat<'_>, fragment: &str) {
        if format.metadata != Metadata::None {
            self.string("odata.metadata", &format!("{}$metadata#{fragment}", format.endpoint));
        }
    }

    /// Writes a table of the list of tables.
    pub fn table(&mut self, format: &ResponseFormat<'_>, table: &Table) {
        let name = table.name();
        if format.metadata == Metadata::Full {
            self.string("odata.type", &format!("{}.Tables", format.account));
            self.string("odata.id", &format.table_url(name));
            self.string("odata.editLink", &format!("Tables('{name}')"));
        }
        self.string("TableName", name);
    }

    /// Writes the selected properties of an entity.
    pub fn entity(&mut self, format: &ResponseFormat<'_>, table: &str, (key, entity): (&Key, &Entity), select: &Select) {
        let full = format.metadata == Metadata::Full;
        if full {
            self.string("odata.type", &format!("{}.{table}", format.account));
            self.string("odata.id", &format.entity_url(table, key));
        }
        if format.metadata != Metadata::None {
            self.string("odata.etag", &etag::of(entity.timestamp));
        }
        if full {
            self.string("odata.editLink", &format!("{table}({})", key.written()));
        }
        match select {
            Select::All => {
                ["PartitionKey", "RowKey", "Timestamp"].iter().for_each(|name| self.system(name, key, entity, full));
                entity.properties.iter().for_each(|(name, value)| self.value(name, value, format.metadata));
            }
            Select::Properties(names) => {
                for name in names {
                    match (name.as_str(), entity.get(name)) {
                        ("PartitionKey" | "RowKey" | "Timestamp", _) => self.system(name, key, entity, full),
                        (_, Some(value)) => self.value(name, value, format.metadata),
                        (_, None) => self.null(name),
                    }
                }
            }
        }
    }

    fn system(&mut self, name: &str, key: &Key, entity: &Entity, full: bool) {
        match name {
            "PartitionKey" => self.string(name, key.partition()),
            "RowKey" => self.string(name, key.row()),
            _ => {
                if full {
                    self.kind(name, "Edm.DateTime");
                }
                self.string(name, &value::date_text(entity.timestamp));
            }
        }
    }

    /// Writes an array of objects under the name `value`.
    pub fn list(&mut self, objects: &[String]) {
        self.name("value", "");
        self.text.push('[');
        for (at, object) in objects.iter().enumerate() {
            self.text.push_str(if at == 0 { "" } else { "," });
            self.text.push_str(object);
        }
        self.text.push(']');
    }
}

/// Writes a JSON string.
fn quoted(to: &mut String, text: &str) {
    if text.contains(|c: char| c < ' ' || c == '"' || c == '\\') {
        to.push_str(&serde_json::Value::from(text).to_string());
        return;
    }
    to.push('"');
    to.push_str(text);
    to.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn continuation_tokens_are_written_as_recorded() {
        assert_eq!(token("pk"), "1!4!cGs-");
        for text in ["", "pk", "listtable23f561007\u{1}01d68c7383199db0", "é\u{1F600}??>>"] {
            assert_eq!(read_token(&token(text)), Ok(text.to_owned()));
        }
        let recorded = "1!48!bGlzdHRhYmxlMjNmNTYxMDA3ATAxZDY4YzczODMxOTlkYjA-";
        assert_eq!(read_token(recorded), Ok("listtable23f561007\u{1}01d68c7383199db0".to_owned()));
        for text in ["", "pk", "1!", "1!4!", "1!3!cGs-", "1!4!cGsé", "2!4!cGs-", "1!4!____"] {
            assert_eq!(read_token(text).unwrap_err().code(), ErrorCode::InvalidInput, "{text}");
        }
    }

    proptest! {
        #[test]
        fn quoted_texts_are_json_strings(text in any::<String>()) {
            let mut json = String::new();
            quoted(&mut json, &text);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
