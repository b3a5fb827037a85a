//! `/_lazuli/`: the console, a page for people, at every port.
//!
//! The page is plain modules of browser JavaScript, embedded into the binary. It reads and writes through the public REST API with a SAS
//! that it requests from `POST /_lazuli/sas`. Its requests go to `/_lazuli/api/SERVICE/…`, below the page's own origin, and are answered
//! by the same pipelines as those at the ports of the services:
//!
//! - No CORS: a browser would send a preflight before each request to another port, and the accounts would need rules that allow it.
//! - Nobody gets in: a request below that path needs the same signature as one at the port. It reaches no service that the client could
//!   not reach anyway: one that listens at another host answers clients on this machine only.
//! - Stored content never becomes a page of the console's origin below that path: each answer has a policy that puts documents into a
//!   sandbox. At the ports it can, as in Azure, but has no key for control requests ([`PageKey`]).

mod files;
mod headers;
mod landing;

use crate::console::files::{Asset, assets};
use crate::control::PageKey;
use crate::http::pipeline::local_services::LocalService;
use crate::http::serve::Peer;
use crate::http::target;
use crate::operation::ServiceKind;
use crate::rules::pages;
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, COOKIE, ETAG, HOST, IF_NONE_MATCH, ORIGIN, PRAGMA, REFERER};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
pub use landing::landing;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// Where the API of each service is, below the page's own origin.
const API: &str = "/_lazuli/api/";

/// A service, and where it listens.
#[derive(Clone, Debug)]
pub struct ConsoleApi {
    pub kind: ServiceKind,
    pub host: String,
    pub port: u16,
    pub service: Arc<dyn LocalService>,
}

/// The console of one server.
#[derive(Debug)]
pub struct Console {
    assets: Vec<Asset>,
    apis: Vec<ConsoleApi>,
    key: Arc<PageKey>,
    /// Host names that the page may have besides addresses and local names.
    hosts: Vec<String>,
}

/// The console at one port.
#[derive(Clone, Debug)]
struct ConsolePort {
    console: Arc<Console>,
    /// The host at which this port listens.
    host: String,
}

impl Console {
    /// Creates the console of a server with these services. The page has its key at addresses, local names and `hosts`.
    pub fn new(apis: Vec<ConsoleApi>, key: Arc<PageKey>, hosts: Vec<String>) -> Console {
        Console { assets: assets(), apis, key, hosts }
    }

    /// The routes of the console at a port that listens at this host.
    pub fn routes(self: &Arc<Console>, host: &str) -> Router {
        Router::new()
            .route("/_lazuli", get(async || Redirect::permanent("/_lazuli/")))
            .route("/_lazuli/", get(index))
            .route("/_lazuli/console/{*path}", get(asset))
            .route("/_lazuli/api/{service}/{*path}", any(api))
            .with_state(ConsolePort { console: self.clone(), host: host.to_owned() })
    }

    /// The response to a request for a file.
    fn file(&self, path: &str, headers: &HeaderMap) -> Response {
        let Some(asset) = self.assets.iter().find(|asset| asset.path == path) else {
            return status(StatusCode::NOT_FOUND);
        };
        let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|known| known.as_bytes() == asset.etag.as_bytes());
        let mut response = match is_known {
            true => status(StatusCode::NOT_MODIFIED),
            false => Response::new(Body::from(asset.content)),
        };
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
        headers.insert(ETAG, asset.etag.clone());
        // A browser checks each time: another version of the server may be at the same address.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers::of_page(headers);
        response
    }
}

fn status(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Sends the page, which differs from start to start by its key.
async fn index(State(port): State<ConsolePort>, headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    if is_of_account(host) {
        let elsewhere = "The console is at an address that does not name an account: http://127.0.0.1 and the port.\n";
        return (StatusCode::NOT_FOUND, elsewhere).into_response();
    }
    // The owner of another name can make it this server's, and read the page under it.
    let key = port.console.key.for_page(&headers).filter(|_| pages::is_own_host(host, &port.console.hosts));
    let page = PAGE.replace("{page-key}", key.unwrap_or_default());
    let mut response = Response::new(Body::from(page));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers::of_page(headers);
    response
}

const PAGE: &str = include_str!("page/index.html");

/// Returns true for hosts whose root is an account or a website: a stored script can be at the root there, and serve all paths.
fn is_of_account(host: &str) -> bool {
    target::account_of_host(host).is_some() || target::website(host, "/").is_some()
}

/// The refusal of a request for the script of a service worker, at a host that has the console; `None` for other requests.
///
/// A worker answers for the pages of its folder with headers of its own. With the opener policy of the console, such a page would keep
/// access to a console that it opens, and to the key there.
pub fn worker_refusal(host: &str, headers: &HeaderMap) -> Option<Response> {
    if !headers.contains_key("service-worker") || is_of_account(host) {
        return None;
    }
    let elsewhere =
        "A service worker needs a host that names its account: http://devstoreaccount1.blob.localhost and the port.\n";
    Some((StatusCode::FORBIDDEN, elsewhere).into_response())
}

async fn asset(State(port): State<ConsolePort>, Path(path): Path<String>, headers: HeaderMap) -> Response {
    port.console.file(&path, &headers)
}

/// Answers a request below the path of the APIs by the service that it names.
async fn api(State(port): State<ConsolePort>, mut request: Request) -> Response {
    if let Some(refusal) = worker_refusal("", request.headers()) {
        return refusal;
    }
    let unknown = || Peer::new(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), 0), false);
    let peer = request.extensions().get::<Peer>().cloned().unwrap_or_else(unknown);
    let Some((label, target)) = split_target(request.uri()) else { return status(StatusCode::NOT_FOUND) };
    let named = port.console.apis.iter().find(|api| api.kind.label() == label);
    let Some(api) = named.filter(|api| api.host == port.host || peer.address.ip().to_canonical().is_loopback()) else {
        return status(StatusCode::NOT_FOUND);
    };
    let Ok(host) = HeaderValue::try_from(format!("127.0.0.1:{}", api.port)) else {
        return status(StatusCode::INTERNAL_SERVER_ERROR);
    };
    *request.uri_mut() = target;
    let headers = request.headers_mut();
    // An address as the host: the account is always in the path.
    headers.insert(HOST, host);
    // What the browser adds by itself. Put Blob would store Cache-Control with the blob.
    for name in [ORIGIN, REFERER, COOKIE, CACHE_CONTROL, PRAGMA] {
        headers.remove(name);
    }
    let mut response = api.service.clone().answer_locally(request, peer).await;
    headers::of_content(response.headers_mut());
    response
}

/// The service that a URL names, and the URL of the request to it. The rest of the path stays as it was sent.
fn split_target(uri: &Uri) -> Option<(String, Uri)> {
    let sent = uri.path_and_query()?.as_str().strip_prefix(API)?;
    let (label, _) = sent.split_once('/')?;
    let target = sent[label.len()..].parse().ok()?;
    Some((label.to_owned(), target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_the_path_stays_as_it_was_sent() {
        for (sent, label, target) in [
            ("/_lazuli/api/blob/acc/c/a%20b?x=%2F", "blob", "/acc/c/a%20b?x=%2F"),
            ("/_lazuli/api/table/acc/t(PartitionKey='a',RowKey='b')", "table", "/acc/t(PartitionKey='a',RowKey='b')"),
            ("/_lazuli/api/dfs/acc/", "dfs", "/acc/"),
            ("/_lazuli/api/blob//acc//c", "blob", "//acc//c"),
        ] {
            let (found, uri) = split_target(&sent.parse().unwrap()).unwrap();
            assert_eq!((&*found, &*uri.to_string()), (label, target), "{sent}");
        }
        for sent in ["/_lazuli/api/blob", "/_lazuli/", "/acc/c"] {
            assert_eq!(split_target(&sent.parse().unwrap()), None, "{sent}");
        }
    }
}
