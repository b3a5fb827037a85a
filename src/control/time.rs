//! The clock, and a server that is empty again.

use crate::control::error::ControlError;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, Parameter, ParameterKind, json};
use axum::body::Body;
use http::Response;
use serde_json::{Value, json};
use std::time::Duration;

/// Keeps the clock where it is. `reset` and the restore of a checkpoint set it back otherwise.
pub const KEEP_CLOCK: Parameter =
    Parameter::optional("clock", ParameterKind::Choice(&["keep"]), "`keep` leaves the clock where it is");

/// The account to empty.
const ACCOUNT: Parameter =
    Parameter::optional("account", ParameterKind::Account, "only this account; the clock stays where it is");

pub const SPECS: &[ControlSpec] = &[
    ControlSpec {
        method: "GET",
        path: "/clock",
        access: Access::Control,
        summary: "Reports the server's time.",
        parameters: &[],
        body: None,
        answer: Document::json(
            "The time, and by how many seconds the clock was moved",
            r#"{"now":"2026-01-02T00:00:00.0000000Z","offset_seconds":86400}"#,
        ),
        handle: |request| Box::pin(async move { Ok(json(&clock(&request))) }),
    },
    ControlSpec {
        method: "POST",
        path: "/clock",
        access: Access::Control,
        summary: "Moves the server's clock forward.",
        parameters: &[Parameter::required(
            "seconds",
            ParameterKind::Number(u32::MAX as u64),
            "the whole seconds to move the clock forward",
        )],
        body: None,
        answer: Document::json("The new time", r#"{"now":"2026-01-02T00:00:00.0000000Z","offset_seconds":86400}"#),
        handle: |request| {
            Box::pin(async move {
                request.state.environment.advance(Duration::from_secs(request.number("seconds").unwrap_or_default()));
                Ok(json(&clock(&request)))
            })
        },
    },
    ControlSpec {
        method: "POST",
        path: "/reset",
        access: Access::Control,
        summary: "Empties every account, on disk too, and resets the clock.",
        parameters: &[KEEP_CLOCK, ACCOUNT],
        body: None,
        answer: Document::json("The time", r#"{"status":"empty","now":"2026-01-01T00:00:00.0000000Z"}"#),
        handle: |request| Box::pin(reset(request)),
    },
];

fn clock(request: &ControlRequest) -> Value {
    let environment = &request.state.environment;
    json!({ "now": environment.now().iso(), "offset_seconds": environment.moved().as_secs() })
}

async fn reset(request: ControlRequest) -> Result<Response<Body>, ControlError> {
    let (state, account) = (&request.state, request.text("account"));
    for service in &state.services {
        service.reset(account.as_deref()).await.map_err(|error| ControlError::failed(error.message()))?;
    }
    state.diagnostics.histories.clear(account.as_deref());
    if account.is_none() && request.text("clock").is_none() {
        state.environment.reset_clock();
    }
    Ok(json(&json!({ "status": "empty", "now": state.environment.now().iso() })))
}
