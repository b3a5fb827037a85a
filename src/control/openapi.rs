//! The description of all control requests in OpenAPI 3.1, made from their declarations.

use crate::control::spec::{ControlSpec, Document, PREFIX, Parameter, ParameterKind};
use serde_json::{Map, Value, json};

/// The description of these requests.
pub fn description(specs: impl Iterator<Item = &'static ControlSpec>) -> Value {
    let mut paths = Map::new();
    for spec in specs {
        let path = paths.entry(format!("{PREFIX}{}", spec.path)).or_insert_with(|| json!({}));
        path[spec.method.to_lowercase()] = operation(spec);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lazuli control requests",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Requests about a Lazuli server, at every port of it.",
        },
        "paths": paths,
        "components": {
            "schemas": {
                "Error": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {
                        "error": {
                            "type": "object",
                            "required": ["code", "message"],
                            "properties": { "code": { "type": "string" }, "message": { "type": "string" } },
                        },
                    },
                },
            },
        },
    })
}

fn operation(spec: &ControlSpec) -> Value {
    let parameters: Vec<Value> = spec
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "in": if spec.is_in_path(parameter) { "path" } else { "query" },
                "required": parameter.required,
                "description": parameter.meaning,
                "schema": schema(parameter),
            })
        })
        .collect();
    let refusal = json!({
        "description": "A refusal",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut operation = json!({
        "summary": spec.summary,
        "x-lazuli-access": spec.access.name(),
        "parameters": parameters,
        "responses": {
            "200": { "description": spec.answer.meaning, "content": content(&spec.answer) },
            "default": refusal,
        },
    });
    if let Some(body) = &spec.body {
        operation["requestBody"] = json!({ "description": body.meaning, "content": content(body) });
    }
    operation
}

fn content(document: &Document) -> Value {
    let mut media = json!({});
    if !document.example.is_empty() {
        media["example"] = serde_json::from_str(document.example).unwrap_or_else(|_| document.example.into());
    }
    json!({ document.content_type: media })
}

fn schema(parameter: &Parameter) -> Value {
    match parameter.kind {
        ParameterKind::Text | ParameterKind::Account | ParameterKind::Operation => json!({ "type": "string", "minLength": 1 }),
        ParameterKind::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$" }),
        ParameterKind::Status => json!({ "type": "string", "pattern": "^[0-9][0-9xX]{2}$" }),
        ParameterKind::Number(u64::MAX) => json!({ "type": "integer", "minimum": 0 }),
        ParameterKind::Number(most) => json!({ "type": "integer", "minimum": 0, "maximum": most }),
        ParameterKind::Choice(values) => json!({ "type": "string", "enum": values }),
    }
}
