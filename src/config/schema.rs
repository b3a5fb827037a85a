//! `docs/reference/lazuli.schema.json`, the JSON schema of `lazuli.toml`, which a test writes from the table of flags.

use crate::config::file::settings;
use crate::config::flags::{Flag, FlagKind};
use serde_json::{Map, Value, json};

fn schema() -> Value {
    let properties: Map<String, Value> = settings().map(|flag| (flag.name.to_owned(), property(flag))).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "lazuli.toml",
        "description": "The settings of a Lazuli server. Flags and environment variables take precedence.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn property(flag: &Flag) -> Value {
    let mut property = match flag.kind {
        FlagKind::Switch => json!({ "type": "boolean" }),
        FlagKind::Values(_) => json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
        FlagKind::Value("PORT") => json!({ "type": "integer", "minimum": 0, "maximum": 65535 }),
        FlagKind::Value("SECONDS" | "MEGABYTES" | "N") => json!({ "type": "integer", "minimum": 0 }),
        _ if flag.values.is_empty() => json!({ "type": ["string", "integer"] }),
        _ => json!({ "type": "string", "enum": flag.values }),
    };
    property["description"] = flag.meaning.into();
    if let Some(default) = flag.default {
        property["default"] = match flag.kind {
            FlagKind::Values(_) => json!([default]),
            _ => default.parse::<u64>().map_or_else(|_| default.into(), Into::into),
        };
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "this test looks after a page of the documentation")]
    fn docs_reference_lazuli_schema_json_is_fresh() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/lazuli.schema.json");
        let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(page, &text).unwrap();
        }
        let found = std::fs::read_to_string(page).unwrap_or_default().replace("\r\n", "\n");
        assert!(found == text, "docs/reference/lazuli.schema.json is stale: UPDATE_DOCS=1 cargo test config");
    }
}
