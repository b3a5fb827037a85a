//! Who may send control requests.

use super::{control, refusal};
use crate::server::TestServer;

#[tokio::test]
async fn control_requests_need_the_flag() {
    let server = TestServer::new().await;
    for (method, path) in [
        ("POST", "/clock?seconds=1"),
        ("GET", "/clock"),
        ("POST", "/reset"),
        ("GET", "/requests"),
        ("DELETE", "/requests"),
        ("GET", "/faults"),
        ("POST", "/faults"),
        ("DELETE", "/faults"),
        ("DELETE", "/faults/1"),
    ] {
        assert_eq!(refusal(&control(&server, method, path).await), "403 ControlIsOff", "{method} {path}");
    }
    for path in ["/health", "/server", "/metrics", "/openapi.json"] {
        assert_eq!(control(&server, "GET", path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let server = TestServer::with(&["--control", "--control-host", "ci.example.com", "--tls-name", "tls.example.com"]).await;
    let port = server.host(lazuli::ServiceKind::Blob).split(':').nth(1).unwrap().to_owned();
    for (host, origin, expected) in [
        ("127.0.0.1", None, 200),
        ("localhost", None, 200),
        ("one.blob.localhost", None, 200),
        ("lazuli", None, 200),
        ("ci.example.com", None, 200),
        ("tls.example.com", None, 200),
        ("example.com", None, 403),
        ("127.0.0.1", Some("http://example.com"), 403),
        ("127.0.0.1", Some("http://127.0.0.1:1"), 403),
        ("127.0.0.1", Some("null"), 403),
    ] {
        let request = server.visit("GET", &format!("{host}:{port}"), "/_lazuli/server");
        let request = match origin {
            Some(origin) => request.header("origin", origin.replace("PORT", &port)),
            None => request,
        };
        let answer = request.send().await;
        assert_eq!(answer.status, expected, "{host} {origin:?}: {}", answer.text());
        if expected == 403 {
            assert_eq!(refusal(&answer), "403 ForeignRequest");
        }
        // Health checks come from everywhere, and change nothing.
        assert_eq!(server.visit("GET", host, "/_lazuli/health").send().await.status, 200);
    }
}

#[tokio::test]
async fn a_page_that_is_stored_in_the_server_is_refused_and_the_console_is_not() {
    let server = TestServer::with(&["--control"]).await;
    let host = server.host(lazuli::ServiceKind::Blob);
    let origin = format!("http://{host}");
    let page = server.visit("GET", &host, "/_lazuli/").header("sec-fetch-dest", "document").send().await;
    let key = page.text().split("name=\"page-key\" content=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(key.len(), 64);
    for (method, path) in [("POST", "reset"), ("GET", "server"), ("GET", "requests"), ("POST", "checkpoints/one")] {
        let request = || server.visit(method, &host, &format!("/_lazuli/{path}"));
        let stored = request().header("origin", &origin).header("sec-fetch-site", "same-origin");
        assert_eq!(refusal(&stored.send().await), "403 ForeignRequest", "{path}");
        // A document that opens a window has access to what is in it.
        let window = request().header("sec-fetch-site", "same-origin").header("sec-fetch-mode", "navigate");
        assert_eq!(refusal(&window.send().await), "403 ForeignRequest", "{path}");
        let console = request().header("origin", &origin).header("sec-fetch-site", "same-origin");
        assert_eq!(console.header("x-lazuli-page-key", &key).send().await.status, 200, "{path}");
        let typed = request().header("sec-fetch-site", "none").header("sec-fetch-mode", "navigate");
        assert_eq!(typed.send().await.status, 200, "{path}");
        let in_query = server.visit(method, &host, &format!("/_lazuli/{path}?page_key={key}"));
        assert_eq!(in_query.header("sec-fetch-site", "same-origin").send().await.status, 200, "{path}");
    }
    // Counts and the description are no secrets.
    for path in ["metrics", "openapi.json"] {
        let stored = server.visit("GET", &host, &format!("/_lazuli/{path}")).header("sec-fetch-site", "same-origin");
        assert_eq!(stored.send().await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn the_paths_of_the_issuer_are_not_control_requests() {
    let path = "/identity/metadata/identity/oauth2/token?resource=https%3A%2F%2Fstorage.azure.com";
    let server = TestServer::with(&["--control", "--oauth=local"]).await;
    let answer = control(&server, "GET", path).await;
    assert!(answer.status == 200 && answer.text().contains("access_token"), "{}", answer.text());
    assert_eq!(control(&server, "GET", "/identity/t/discovery/keys").await.status, 200);
    assert_eq!(control(&server, "GET", "/server").await.status, 200);
    let server = TestServer::with(&["--control"]).await;
    assert_eq!(refusal(&control(&server, "GET", path).await), "404 NotFound", "it issues no tokens");
}

#[tokio::test]
async fn malformed_requests_are_refused() {
    let server = TestServer::with(&["--control"]).await;
    for (method, path, expected) in [
        ("GET", "/other", "404 NotFound"),
        ("GET", "/faults/1/2", "404 NotFound"),
        ("PUT", "/clock", "405 MethodNotAllowed"),
        ("POST", "/health", "405 MethodNotAllowed"),
        ("POST", "/clock", "400 InvalidInput"),
        ("POST", "/clock?seconds=-1", "400 InvalidInput"),
        ("POST", "/clock?seconds=1&seconds=2", "400 InvalidInput"),
        ("POST", "/clock?minutes=1", "400 InvalidInput"),
        ("GET", "/clock?seconds=1", "400 InvalidInput"),
        ("POST", "/reset?clock=forget", "400 InvalidInput"),
        ("POST", "/reset?account=nobody", "404 NotFound"),
        ("DELETE", "/faults/one", "400 InvalidInput"),
        ("DELETE", "/faults/1", "404 NotFound"),
        ("GET", "/requests?wait=601", "400 InvalidInput"),
        ("POST", "/faults", "400 InvalidInput"),
        ("POST", "/sas", "400 InvalidInput"),
    ] {
        assert_eq!(refusal(&control(&server, method, path).await), expected, "{method} {path}");
    }
    assert_eq!(control(&server, "PUT", "/clock").await.header("allow"), "GET, POST");
}
