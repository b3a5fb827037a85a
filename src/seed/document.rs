//! What a seed contains: a JSON document, which `docs/reference/seed.schema.json` describes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, de};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Resources of several accounts. Those beside `accounts` are of the first account.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Seed {
    pub accounts: BTreeMap<String, AccountSeed>,
    pub containers: BTreeMap<String, ContainerSeed>,
    pub queues: BTreeMap<String, QueueSeed>,
    pub tables: BTreeMap<String, Vec<Map<String, Value>>>,
    pub shares: BTreeMap<String, ShareSeed>,
    /// For editors.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
}

/// Resources of an account, by name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccountSeed {
    pub containers: BTreeMap<String, ContainerSeed>,
    pub queues: BTreeMap<String, QueueSeed>,
    /// The entities of each table.
    pub tables: BTreeMap<String, Vec<Map<String, Value>>>,
    pub shares: BTreeMap<String, ShareSeed>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContainerSeed {
    pub public_access: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub blobs: BTreeMap<String, FileSeed>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShareSeed {
    pub metadata: BTreeMap<String, String>,
    pub files: BTreeMap<String, FileSeed>,
}

/// A queue: an array of messages, or an object with them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Value")]
pub struct QueueSeed {
    pub metadata: BTreeMap<String, String>,
    /// Texts; anything else is written as JSON.
    pub messages: Vec<Value>,
}

/// A blob or a file: its text, or an object.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "Value")]
pub struct FileSeed {
    /// `None` for properties of a file in the folder.
    pub content: Option<Content>,
    pub content_type: Option<String>,
    pub metadata: BTreeMap<String, String>,
    pub tags: BTreeMap<String, String>,
    pub tier: Option<String>,
}

/// Where the content of a blob or a file comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Bytes(Vec<u8>),
    Path(PathBuf),
}

impl TryFrom<Value> for QueueSeed {
    type Error = String;

    fn try_from(value: Value) -> Result<QueueSeed, String> {
        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields, default, expecting = "an array of messages, or an object")]
        struct Form {
            metadata: BTreeMap<String, String>,
            messages: Vec<Value>,
        }
        match value {
            Value::Array(messages) => Ok(QueueSeed { messages, ..QueueSeed::default() }),
            value => {
                let Form { metadata, messages } = serde_json::from_value(value).map_err(|error| error.to_string())?;
                Ok(QueueSeed { metadata, messages })
            }
        }
    }
}

impl TryFrom<Value> for FileSeed {
    type Error = String;

    fn try_from(value: Value) -> Result<FileSeed, String> {
        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields, default, expecting = "a text or an object")]
        struct Form {
            text: Option<String>,
            base64: Option<String>,
            json: Option<Value>,
            content_type: Option<String>,
            metadata: BTreeMap<String, String>,
            tags: BTreeMap<String, String>,
            tier: Option<String>,
        }
        if let Value::String(text) = value {
            return Ok(FileSeed { content: Some(Content::Bytes(text.into_bytes())), ..FileSeed::default() });
        }
        let form: Form = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let is_json = form.json.is_some();
        let bytes = match (form.text, form.base64, form.json) {
            (None, None, None) => None,
            (Some(text), None, None) => Some(text.into_bytes()),
            (None, Some(encoded), None) => Some(STANDARD.decode(encoded).map_err(|error| format!("base64: {error}"))?),
            (None, None, Some(value)) => Some(value.to_string().into_bytes()),
            _ => return Err("a content has only one of text, base64 and json".to_owned()),
        };
        let content_type = form.content_type.or_else(|| is_json.then(|| "application/json".to_owned()));
        Ok(FileSeed {
            content: bytes.map(Content::Bytes),
            content_type,
            metadata: form.metadata,
            tags: form.tags,
            tier: form.tier,
        })
    }
}

impl Seed {
    /// Reads a document, which is an object.
    ///
    /// # Errors
    /// When it is not JSON, or has members that a seed does not have. The error has the line.
    pub fn parse(document: &[u8]) -> serde_json::Result<Seed> {
        // The deserializer of a struct accepts an array of its fields too.
        if document.trim_ascii_start().starts_with(b"[") {
            return Err(de::Error::custom("a seed has to be an object, and is an array"));
        }
        serde_json::from_slice(document)
    }

    /// The resources of each account, by name. Those beside `accounts` are of `first`.
    pub fn by_account(mut self, first: &str) -> BTreeMap<String, AccountSeed> {
        let Seed { containers, queues, tables, shares, .. } = self;
        let own = self.accounts.entry(first.to_owned()).or_default();
        own.containers.extend(containers);
        own.queues.extend(queues);
        own.tables.extend(tables);
        own.shares.extend(shares);
        self.accounts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_are_read() {
        let seed: Seed = serde_json::from_value(json!({
            "$schema": "seed.schema.json",
            "containers": { "cats": { "public_access": "blob", "blobs": {
                "tom": "meow",
                "a.json": { "json": { "a": 1 }, "tags": { "k": "v" } },
                "b.bin": { "base64": "AAE=", "tier": "Cool" },
            } } },
            "queues": { "one": ["text", { "id": 1 }], "two": { "metadata": { "k": "v" }, "messages": [] } },
            "tables": { "people": [{ "PartitionKey": "p", "RowKey": "r" }] },
            "accounts": { "other": { "containers": { "dogs": {} } } },
        }))
        .unwrap();
        let accounts = seed.by_account("first");
        let blobs = &accounts["first"].containers["cats"].blobs;
        assert_eq!(blobs["tom"].content, Some(Content::Bytes(b"meow".to_vec())));
        assert_eq!(blobs["a.json"].content_type.as_deref(), Some("application/json"));
        assert_eq!(blobs["b.bin"].content, Some(Content::Bytes(vec![0, 1])));
        assert_eq!(accounts["first"].queues["one"].messages.len(), 2);
        assert!(accounts["other"].containers.contains_key("dogs"));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (document, reason) in [
            (json!([]), "a seed has to be an object"),
            (json!({ "containers": { "cats": { "blobs": { "a": 1 } } } }), "expected a text or an object"),
            (json!({ "queues": { "one": "text" } }), "expected an array of messages, or an object at line 1"),
            (json!({ "container": {} }), "unknown field `container`"),
            (json!({ "containers": { "cats": { "blob": {} } } }), "unknown field `blob`"),
            (json!({ "containers": { "cats": { "blobs": { "a": { "txt": "" } } } } }), "unknown field `txt`"),
            (json!({ "containers": { "cats": { "blobs": { "a": { "text": "", "base64": "" } } } } }), "only one of"),
            (json!({ "containers": { "cats": { "blobs": { "a": { "base64": "?" } } } } }), "base64: "),
            (json!({ "queues": { "one": { "message": [] } } }), "unknown field `message`"),
            (json!({ "tables": { "people": {} } }), "invalid type"),
        ] {
            let error = Seed::parse(document.to_string().as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{document}: {error}");
        }
    }
}
