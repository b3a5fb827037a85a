//! `/_lazuli/`: the health of the server and its certificate authority at every port and, with `--control`, its clock and a reset.
//!
//! No account name contains a `_`, so these paths do not collide with accounts.

use crate::environment::Environment;
use crate::http::automatic_tls::AutomaticTls;
use crate::operation::{Service, ServiceKind};
use crate::rules::pages;
use axum::Router;
use axum::extract::{RawQuery, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use std::sync::Arc;
use std::time::Duration;

/// The state that the control routes use.
#[derive(Clone, Debug)]
pub struct ControlState {
    /// All services of the server, including one that has no port.
    pub services: Arc<[Arc<dyn Service>]>,
    /// The services that have a port.
    pub listening: Arc<[ServiceKind]>,
    /// The clock of the server.
    pub environment: Arc<Environment>,
    /// The certificate that the server makes itself, if it does.
    pub tls: Option<Arc<AutomaticTls>>,
}

/// The control routes. Without `control` there are only health and the certificate authority, and other paths name the flag.
pub fn routes(controlled: ControlState, control: bool) -> Router {
    let open = Router::new().route("/_lazuli/health", get(health)).route("/_lazuli/ca.pem", get(authority));
    let routes = match control {
        true => {
            let changes = Router::new().route("/_lazuli/clock", post(clock)).route("/_lazuli/reset", post(reset));
            open.merge(changes.route_layer(from_fn(refuse_foreign_pages))).route(OTHERS, any(absent))
        }
        false => open.route(OTHERS, any(withheld)),
    };
    routes.with_state(controlled)
}

/// All other paths.
const OTHERS: &str = "/_lazuli/{*path}";

/// Refuses what a web page from another network sends: a browser sends it without CORS, only the answer is hidden from the page.
async fn refuse_foreign_pages(request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).filter(|origin| !origin.is_empty());
    let origin = origin.map(|origin| origin.to_str().unwrap_or_default());
    if let Some(origin) = origin.filter(|origin| pages::is_foreign(origin)) {
        return (StatusCode::FORBIDDEN, format!("{origin:?} is a web page from another network\n")).into_response();
    }
    next.run(request).await
}

async fn absent() -> impl IntoResponse {
    (
        StatusCode::NOT_FOUND,
        "valid requests: GET /_lazuli/health, GET /_lazuli/ca.pem, POST /_lazuli/clock?seconds=N and POST /_lazuli/reset[?clock=keep]\n",
    )
}

async fn withheld() -> impl IntoResponse {
    (StatusCode::NOT_FOUND, "start the server with --control for clock and reset\n")
}

async fn health(State(controlled): State<ControlState>) -> impl IntoResponse {
    let services: Vec<&str> = controlled.listening.iter().map(|kind| kind.label()).collect();
    json(&serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION"), "services": services }))
}

/// `GET /_lazuli/ca.pem` answers the certificate of the authority, which is made if there is none yet.
async fn authority(State(controlled): State<ControlState>) -> Response {
    let Some(tls) = controlled.tls else {
        return (StatusCode::NOT_FOUND, "this server has no certificate authority: only --tls auto makes one\n").into_response();
    };
    match tls.authority_unblocked().await {
        Ok(authority) => ([(header::CONTENT_TYPE, "application/x-pem-file")], authority.pem()).into_response(),
        Err(error) => {
            tracing::warn!("https: {error}");
            (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response()
        }
    }
}

/// `POST /_lazuli/clock?seconds=N` moves the server's time forward: leases, signatures and uncommitted blocks expire.
async fn clock(State(controlled): State<ControlState>, RawQuery(query): RawQuery) -> impl IntoResponse {
    let seconds = query.as_deref().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("seconds=")));
    match seconds.and_then(|text| text.parse::<u32>().ok()) {
        Some(seconds) => {
            controlled.environment.advance(Duration::from_secs(seconds.into()));
            json(&serde_json::json!({ "now": controlled.environment.now().iso() })).into_response()
        }
        None => {
            (StatusCode::BAD_REQUEST, "?seconds=N is required: the whole seconds to move the clock forward\n").into_response()
        }
    }
}

/// `POST /_lazuli/reset` empties every account and resets the clock; with `?clock=keep` the clock stays where it is.
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
