//! Faults: rules that disturb requests.

use crate::control::error::ControlError;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, Parameter, ParameterKind, json};
use axum::body::Body;
use http::Response;
use serde_json::{Value, json};

pub const SPECS: &[ControlSpec] = &[
    ControlSpec {
        method: "GET",
        path: "/faults",
        access: Access::Control,
        summary: "Lists the rules of faults, with how many requests each concerned and how many of them had the fault.",
        parameters: &[],
        body: None,
        answer: Document::json("The rules", EXAMPLE),
        handle: |request| {
            Box::pin(async move {
                let rules = request.state.diagnostics.faults.all();
                Ok(json(&json!({ "faults": rules.iter().map(|rule| rule.json()).collect::<Vec<_>>() })))
            })
        },
    },
    ControlSpec {
        method: "POST",
        path: "/faults",
        access: Access::Control,
        summary: "Adds one rule, or several in an array: all of them, or none if one is malformed.",
        parameters: &[],
        body: Some(Document::json(
            "A rule or an array of rules",
            r#"{"service":"blob","operation":"Put Blob","container":"orders*","after":2,"times":1,"do":{"error":{"code":"ServerBusy"}}}"#,
        )),
        answer: Document::json("The rules that were added, with their ids", EXAMPLE),
        handle: |request| Box::pin(add(request)),
    },
    ControlSpec {
        method: "DELETE",
        path: "/faults",
        access: Access::Control,
        summary: "Removes all rules.",
        parameters: &[],
        body: None,
        answer: Document::json("Nothing", "{}"),
        handle: |request| {
            Box::pin(async move {
                request.state.diagnostics.faults.clear();
                request.state.diagnostics.histories.clear(None);
                Ok(json(&json!({})))
            })
        },
    },
    ControlSpec {
        method: "DELETE",
        path: "/faults/{id}",
        access: Access::Control,
        summary: "Removes a rule.",
        parameters: &[Parameter::required("id", ParameterKind::Number(u64::MAX), "the id of the rule")],
        body: None,
        answer: Document::json("Nothing", "{}"),
        handle: |request| {
            Box::pin(async move {
                let diagnostics = &request.state.diagnostics;
                if !diagnostics.faults.remove(request.number("id").unwrap_or_default()) {
                    return Err(ControlError::missing(format!("there is no fault {}", request.required("id"))));
                }
                if diagnostics.faults.longest_lag().is_none() {
                    diagnostics.histories.clear(None);
                }
                Ok(json(&json!({})))
            })
        },
    },
];

const EXAMPLE: &str = r#"{"faults":[{"id":1,"service":"blob","operation":"Put Blob","container":"orders*","after":2,"times":1,"probability":1.0,"do":{"error":{"code":"ServerBusy"}},"matched":0,"fired":0}]}"#;

async fn add(mut request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let rules = match request.json().await? {
        Value::Array(rules) => rules,
        rule => vec![rule],
    };
    let state = &request.state;
    for operation in rules.iter().filter_map(|rule| rule["operation"].as_str()) {
        state.check_operation(operation)?;
    }
    let added = state.diagnostics.faults.add(&rules, state.environment.now(), || state.environment.random() >> 11);
    let added = added.map_err(|error| ControlError::invalid(error.to_string()))?;
    Ok(json(&json!({ "faults": added.iter().map(|rule| rule.json()).collect::<Vec<_>>() })))
}
