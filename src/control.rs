//! `/_lazuli/`: what no storage service has. Health on every port; with `--control`, the clock and a fresh start.
//!
//! No account name holds a `_`, so these paths collide with none.

use crate::environment::Environment;
use crate::operation::Service;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{any, get, post};
use std::sync::Arc;

/// What the control routes act on.
#[derive(Clone, Debug)]
pub struct ControlState {
    /// Every service of the server.
    pub services: Arc<[Arc<dyn Service>]>,
    /// Its clock.
    pub environment: Arc<Environment>,
}

/// The routes. Without `control` there is only health, and whoever asks for more is told why.
pub fn routes(controlled: ControlState, control: bool) -> Router {
    let health = Router::new().route("/_lazuli/health", get(health));
    let routes = match control {
        true => health.route("/_lazuli/clock", post(clock)).route("/_lazuli/reset", post(reset)).route(OTHERS, any(absent)),
        false => health.route(OTHERS, any(withheld)),
    };
    routes.with_state(controlled)
}

/// Every other path here.
const OTHERS: &str = "/_lazuli/{*path}";

async fn absent() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, "there are GET /_lazuli/health, POST /_lazuli/clock?seconds=N and POST /_lazuli/reset[?clock=keep]\n")
}

async fn withheld() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, "start the server with --control for clock and reset\n")
}

async fn health(State(controlled): State<ControlState>) -> impl IntoResponse {
    let services: Vec<&str> = controlled.services.iter().map(|service| service.kind().label()).collect();
    json(&serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "services": services }))
}

/// `POST /_lazuli/clock?seconds=N` moves the server's time on: leases run out, signatures expire, uncommitted blocks vanish.
async fn clock(State(controlled): State<ControlState>, RawQuery(query): RawQuery) -> impl IntoResponse {
    let seconds = query.as_deref().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("seconds=")));
    match seconds.and_then(|text| text.parse::<u32>().ok()) {
        Some(seconds) => {
            controlled.environment.advance(seconds.into());
            json(&serde_json::json!({ "now": controlled.environment.now().iso() })).into_response()
        }
        None => (StatusCode::BAD_REQUEST, "write seconds=N, the number of whole seconds to move the clock on\n").into_response(),
    }
}

/// `POST /_lazuli/reset` empties every account and puts a moved clock back; with `?clock=keep` the clock stays where it is.
async fn reset(State(controlled): State<ControlState>, RawQuery(query): RawQuery) -> impl IntoResponse {
    let keep = match query.as_deref().unwrap_or_default() {
        "" => false,
        "clock=keep" => true,
        other => return (StatusCode::BAD_REQUEST, format!("{other:?} is not clock=keep, the only option\n")).into_response(),
    };
    for service in &*controlled.services {
        if let Err(error) = service.reset().await {
            return (StatusCode::INTERNAL_SERVER_ERROR, format!("{}\n", error.message())).into_response();
        }
    }
    if !keep {
        controlled.environment.reset_clock();
    }
    json(&serde_json::json!({ "status": "empty", "now": controlled.environment.now().iso() })).into_response()
}

fn json(value: &serde_json::Value) -> impl IntoResponse + use<> {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string())
}
