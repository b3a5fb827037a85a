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
use crate::control::spec::{Access, ControlRequest, ControlSpec, Document, PREFIX, Segments, json};
use crate::http::serve::Peer;
pub use address::{SasFields, ServiceAddress, account_sas, connection_string};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::any;
use http::request::Parts;
use http::{Method, Request, Response};
pub use page_key::{NoRandomness, PageKey};
pub use saved::Checkpoints;
pub use state::ControlState;
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

/// Finds the declaration of a request, checks its sender, reads its parameters, and handles it.
async fn perform(state: Arc<ControlState>, request: Request<Body>) -> Result<Response<Body>, ControlError> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().strip_prefix(PREFIX).unwrap_or_default();
    let method = if parts.method == Method::HEAD { &Method::GET } else { &parts.method };
    let (spec, segments) = find(method, path)?;
    let (query, key) = page_key::split(parts.uri.query().unwrap_or_default());
    check_sender(spec.access, &state, &parts, method, key)?;
    let values = spec.read(segments, &query, &state)?;
    let https = parts.extensions.get::<Peer>().is_some_and(|peer| peer.https);
    (spec.handle)(ControlRequest { state, headers: parts.headers, https, values, body }).await
}

/// The declaration of the request with this method and this path behind [`PREFIX`], and the values of the segments in its path.
///
/// # Errors
/// 404 if no request has the path, 405 if none has it with this method.
fn find(method: &Method, path: &str) -> Result<(&'static ControlSpec, Segments), ControlError> {
    let (mut methods, mut found) = (Vec::new(), None);
    for (spec, segments) in specs().filter_map(|spec| Some((spec, spec.segments(path)?))) {
        methods.push(spec.method);
        if spec.method == method.as_str() {
            found = Some((spec, segments));
        }
    }
    found.ok_or_else(|| match methods.is_empty() {
        true => ControlError::missing("there is no such control request; GET /_lazuli/openapi.json lists all"),
        false => ControlError::method(method, &methods),
    })
}

/// Checks that the sender of a request may send it. `key` is the page key in the query.
///
/// # Errors
/// 403 ForeignRequest for a page that is not the console, 403 ControlIsOff if the request needs `--control`.
fn check_sender(
    access: Access,
    state: &ControlState,
    parts: &Parts,
    method: &Method,
    key: Option<&str>,
) -> Result<(), ControlError> {
    if access != Access::Everyone {
        origin::check(method, &parts.headers, &state.hosts)?;
    }
    if matches!(access, Access::Local | Access::Control) && !state.page_key.permits(&parts.headers, key) {
        return Err(ControlError::foreign(
            "only the console may send this request from a browser; reload it if the server was restarted",
        ));
    }
    let is_local = || parts.extensions.get::<Peer>().is_some_and(|peer| peer.address.ip().to_canonical().is_loopback());
    match access {
        Access::Control if !state.control => Err(ControlError::control_is_off()),
        Access::Local if !state.control && !is_local() => {
            Err(ControlError::withheld("start the server with --control to allow this request from other machines"))
        }
        _ => Ok(()),
    }
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
