//! Signing in with the tokens that the server itself issues (`--oauth local`), and what principals with roles may do.

mod delegated;
mod issuer;
mod open;
mod roles;
mod tokens;

use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;
use serde_json::Value;

const STORAGE: &str = "https://storage.azure.com";
const DENIED: &str = "403 AuthorizationPermissionMismatch";

fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).unwrap_or_else(|error| panic!("{error}: {}", answer.text()))
}

fn member(answer: &Answer, name: &str) -> String {
    json(answer)[name].as_str().unwrap_or_default().to_owned()
}

/// Sends a request to the issuer, at the Blob service's port.
async fn visit(server: &TestServer, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let host = server.host(ServiceKind::Blob);
    server.visit(method, &host, path).headers(headers).body(body.to_owned()).send().await
}

/// The Authorization header of a principal, by the endpoint of managed identities.
async fn bearer(server: &TestServer, client: &str) -> String {
    let path = format!("/msi/token?api-version=2019-08-01&resource={STORAGE}&client_id={client}");
    let answer = visit(server, "GET", &path, &[("x-identity-header", "x")], "").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    format!("Bearer {}", member(&answer, "access_token"))
}

/// Sends a request with a token. File requests with a body of bytes have the header of a backup.
async fn send(
    server: &TestServer,
    kind: ServiceKind,
    token: &str,
    request: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let (method, target) = request.split_once(' ').unwrap();
    let request = server.request(method, target).of(kind).anonymous().header("authorization", token).headers(headers);
    let request = if kind == ServiceKind::File { request.header("x-ms-file-request-intent", "backup") } else { request };
    request.body(body.to_owned()).send().await
}
