//! `/_lazuli/`: requests about the server, not about an account.
//!
//! Each is declared once, as a [`ControlSpec`] in the list of its file: `server` (health, addresses, signatures), `time` (clock and reset),
//! `checkpoints`, `seed`, `requests` (the latest requests), `faults`, `metrics`. Routing, `docs/reference/control.md` and `openapi.json`
//! read these lists. `origin` keeps pages of other sites away, and `page_key` documents that are stored in the server.

mod address;
mod checkpoints;
mod error;
mod faults;
mod metrics;
mod openapi;
mod origin;
#[cfg(test)]
mod page;
mod page_key;
mod requests;
mod saved;
mod seed;
mod server;
mod spec;
mod state;
mod time;

use crate::control::error::ControlError;
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, PREFIX, json};
use crate::http::serve::Peer;
pub use address::{SasFields, ServiceAddress, account_sas, connection_string};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::any;
use http::{Method, Request, Response};
pub use page_key::{NoRandomness, PageKey};
pub use saved::Checkpoints;
pub use state::ControlState;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

/// All control requests, in the order of the pages that describe them.
fn specs() -> impl Iterator<Item = &'static ControlSpec> {
    [server::SPECS, time::SPECS, checkpoints::SPECS, seed::SPECS, requests::SPECS, faults::SPECS, metrics::SPECS, DESCRIPTION]
        .into_iter()
        .flatten()
}

/// The request that describes all of them.
const DESCRIPTION: &[ControlSpec] = &[ControlSpec {
    method: "GET",
    path: "/openapi.json",
    access: Access::SameSite,
    summary: "Describes all of these requests in OpenAPI 3.1.",
    parameters: &[],
    body: None,
    answer: Document::json("The description", ""),
    handle: |_| Box::pin(async { Ok(json(&openapi::description(specs()))) }),
}];

/// The routes of the control requests.
pub fn routes(state: Arc<ControlState>) -> Router {
    Router::new().route("/_lazuli/{*path}", any(answer)).with_state(state)
}

async fn answer(State(state): State<Arc<ControlState>>, request: Request<Body>) -> Response<Body> {
    match perform(state, request).await {
        Ok(response) => response,
        Err(error) => error.response(),
    }
}

async fn perform(state: Arc<ControlState>, request: Request<Body>) -> Result<Response<Body>, ControlError> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().strip_prefix(PREFIX).unwrap_or_default();
    let method = if parts.method == Method::HEAD { Method::GET } else { parts.method.clone() };
    let found: Vec<_> = specs().filter_map(|spec| Some((spec, spec.segments(path)?))).collect();
    let Some((spec, segments)) = found.iter().find(|(spec, _)| spec.method == method.as_str()).cloned() else {
        let methods: Vec<&str> = found.iter().map(|(spec, _)| spec.method).collect();
        return Err(match methods.is_empty() {
            true => ControlError::missing("there is no such control request; GET /_lazuli/openapi.json lists all"),
            false => ControlError::method(&methods),
        });
    };
    let peer = parts.extensions.get::<Peer>();
    let https = peer.is_some_and(|peer| peer.https);
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.address.ip());
    if spec.access != Access::Everyone {
        origin::check(&method, &parts.headers, &state.hosts)?;
    }
    let (query, key) = page_key::split(parts.uri.query().unwrap_or_default());
    if matches!(spec.access, Access::Local | Access::Control) && !state.page_key.permits(&parts.headers, key) {
        return Err(ControlError::foreign(
            "only the console may send this request from a browser; reload it if the server was restarted",
        ));
    }
    match spec.access {
        Access::Control if !state.control => {
            return Err(ControlError::withheld("start the server with --control for this request"));
        }
        Access::Local if !state.control && !peer.to_canonical().is_loopback() => {
            return Err(ControlError::withheld("start the server with --control to allow this request from other machines"));
        }
        _ => {}
    }
    let values = spec.read(segments, &query, &state)?;
    (spec.handle)(ControlRequest { state, headers: parts.headers, https, values, body }).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_request_is_declared_once_and_whole() {
        let mut known = BTreeSet::new();
        for spec in specs() {
            let name = format!("{} {}", spec.method, spec.path);
            assert!(known.insert(name.clone()), "{name} is declared twice");
            assert!(spec.path.starts_with('/') && spec.summary.ends_with('.') && !spec.answer.meaning.is_empty(), "{name}");
            for parameter in spec.parameters {
                assert!(!parameter.meaning.is_empty() && !parameter.meaning.ends_with('.'), "{name} {}", parameter.name);
            }
            for segment in spec.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}')) {
                let parameter = spec.parameters.iter().find(|parameter| parameter.name == segment);
                assert!(parameter.is_some_and(|parameter| parameter.required), "{name} {segment}");
            }
        }
        assert!(known.len() > 10, "{known:?}");
    }
}
