//! The paths of the issuer: those of managed identities, of Entra ID, and whose they are where an account has the same name.

use super::{STORAGE, bearer, json, member, send, visit};
use crate::scratch::Scratch;
use crate::server::TestServer;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lazuli::{ServiceKind, WELL_KNOWN_KEY};
use serde_json::Value;

/// The header or the claims of a token.
fn part(token: &str, at: usize) -> Value {
    let text = token.trim_start_matches("Bearer ").split('.').nth(at).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).unwrap()).unwrap()
}

#[tokio::test]
async fn managed_identities_get_tokens() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    let resource = "resource=https%3A%2F%2Fstorage.azure.com%2F";
    for (method, path, header, body) in [
        ("GET", format!("/msi/token?api-version=2019-08-01&{resource}"), ("X-IDENTITY-HEADER", "any"), ""),
        ("GET", format!("/msi/token?api-version=2017-09-01&{resource}"), ("Secret", "any"), ""),
        ("POST", "/msi/token".to_owned(), ("Metadata", "true"), resource),
        ("GET", format!("/metadata/identity/oauth2/token?api-version=2018-02-01&{resource}"), ("Metadata", "true"), ""),
        ("GET", format!("/metadata/identity/oauth2/token/?api-version=2018-02-01&{resource}"), ("x-ms-version", ""), ""),
        ("GET", format!("/_lazuli/identity/msi/token?{resource}"), ("X-IDENTITY-HEADER", "any"), ""),
    ] {
        let answer = visit(&server, method, &path, &[header], body).await;
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"), "{path}: {}", answer.text());
        let issued = server.now().unix_milliseconds() / 1000;
        for (name, value) in [
            ("token_type", "Bearer".to_owned()),
            ("resource", format!("{STORAGE}/")),
            ("expires_on", (issued + 3600).to_string()),
            ("expires_in", "3599".to_owned()),
            ("client_id", "lazuli".to_owned()),
        ] {
            assert_eq!(member(&answer, name), value, "{path} {name}");
        }
        let token = member(&answer, "access_token");
        assert_eq!(part(&token, 0)["alg"], "RS256");
        let claims = part(&token, 1);
        assert_eq!(claims["aud"], format!("{STORAGE}/"));
        assert_eq!((claims["nbf"].as_i64(), claims["exp"].as_i64()), (Some(issued), Some(issued + 3600)));
        assert_eq!(claims["iss"], format!("https://sts.windows.net/{}/", claims["tid"].as_str().unwrap()));
        let list = send(&server, ServiceKind::Blob, &format!("Bearer {token}"), "GET /?comp=list", &[], "").await;
        assert_eq!(list.verdict(), "200", "{path}: {}", list.text());
    }
    for (path, headers, status) in [
        ("/msi/token?resource=r", &[][..], 401),
        ("/msi/token", &[("X-IDENTITY-HEADER", "any")], 400),
        ("/metadata/identity/oauth2/token", &[("Metadata", "true")], 400),
    ] {
        let answer = visit(&server, "GET", path, headers, "").await;
        assert_eq!((answer.status, member(&answer, "error").as_str()), (status, "invalid_request"), "{path}");
    }
}

#[tokio::test]
async fn an_endpoint_has_its_methods() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    for (path, methods) in [
        ("/msi/token?resource=r", &["GET", "POST"][..]),
        ("/metadata/identity/oauth2/token?resource=r", &["GET"]),
        ("/adfs/oauth2/token", &["POST"]),
        ("/adfs/.well-known/openid-configuration", &["GET", "HEAD"]),
        ("/common/discovery/instance", &["GET", "HEAD"]),
        ("/adfs/discovery/keys", &["GET", "HEAD"]),
        ("/_lazuli/identity/subscriptions", &["GET", "HEAD"]),
    ] {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"] {
            let answer = visit(&server, method, path, &[("x-identity-header", "x")], "").await;
            assert_eq!(answer.status != 405, methods.contains(&method), "{method} {path}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn a_form_can_come_in_chunks() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    let form = format!("grant_type=client_credentials&client_id=ann&client_secret=s&scope={STORAGE}/.default");
    let large = "x".repeat(70_000);
    for (form, status) in [(form.as_str(), 200), (&large, 413)] {
        let (start, end) = form.split_at(10);
        let chunks: String = [start, end].iter().map(|chunk| format!("{:x}\r\n{chunk}\r\n", chunk.len())).collect();
        let answer = exchange(&server, &format!("transfer-encoding: chunked\r\n\r\n{chunks}0\r\n\r\n")).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    // The server does not wait for a body that is announced as too large.
    let answer = exchange(&server, "content-length: 100000000\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

/// Sends the end of a request for a token, and reads the answer.
async fn exchange(server: &TestServer, end: &str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(server.host(ServiceKind::Blob)).await.unwrap();
    let head = "POST /adfs/oauth2/token HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
    stream.write_all(format!("{head}{end}").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A page can let its own name point to this machine, and a browser then lets it read the answers.
#[tokio::test]
async fn web_pages_from_elsewhere_get_no_token() {
    let server = TestServer::with(&["--oauth", "local", "--tls-name", "storage.example.com", "--cors", "all"]).await;
    let own = server.host(ServiceKind::Blob);
    let form = "grant_type=client_credentials&client_id=ann&client_secret=s&scope=https%3A%2F%2Fstorage.azure.com%2F.default";
    for (host, origin, status) in [
        (own.as_str(), "", 200),
        ("localhost:1", "", 200),
        ("lazuli:10000", "", 200),
        ("storage.example.com", "", 200),
        ("rebound.example.com:10000", "", 403),
        ("rebound.example.com:10000", "http://rebound.example.com:10000", 403),
        (&own, "https://example.com", 403),
        (&own, "null", 403),
        (&own, "http://localhost:3000", 200),
    ] {
        for (method, path, body) in [
            ("GET", "/msi/token?resource=r", ""),
            ("GET", "/metadata/identity/oauth2/token?resource=r", ""),
            ("GET", "/_lazuli/identity/msi/token?resource=r", ""),
            ("POST", "/adfs/oauth2/v2.0/token", form),
        ] {
            let request = server.visit(method, host, path).header("x-identity-header", "x").header("origin", origin);
            let answer = request.body(body).send().await;
            assert_eq!(answer.status, status, "{host} {origin} {path}: {}", answer.text());
            assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
        }
    }
}

#[tokio::test]
async fn the_same_client_is_the_same_principal() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    let oid = |token: String| part(&token, 1)["oid"].as_str().unwrap().to_owned();
    let ann = oid(bearer(&server, "ann").await);
    assert_eq!(oid(bearer(&server, "ann").await), ann);
    assert_ne!(oid(bearer(&server, "bob").await), ann);
    let guid = "0bef7f36-c9d2-4d24-8066-c7e915fe5143";
    assert_eq!(oid(bearer(&server, guid).await), guid);
}

#[tokio::test]
async fn clients_get_tokens_with_a_secret_or_an_assertion() {
    let server = TestServer::with(&["--oauth", "local", "--identity", "ann"]).await;
    let body = "grant_type=client_credentials&client_id=ann&scope=https%3A%2F%2Fstorage.azure.com%2F.default";
    let secret = format!("{body}&client_secret=s");
    let assertion = format!(
        "{body}&client_assertion=any&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
    );
    let tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47";
    for (path, body) in [
        ("/adfs/oauth2/token".to_owned(), &secret),
        ("/contoso.onmicrosoft.com/oauth2/v2.0/token".to_owned(), &secret),
        (format!("/{tenant}/oauth2/v2.0/token"), &assertion),
        (format!("/_lazuli/identity/{tenant}/oauth2/v2.0/token"), &assertion),
    ] {
        let answer = visit(&server, "POST", &path, &[], body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert_eq!(json(&answer)["expires_in"], 3599);
        let claims = part(&member(&answer, "access_token"), 1);
        assert_eq!((claims["aud"].as_str(), claims["appid"].as_str()), (Some(STORAGE), Some("ann")));
        assert_eq!(claims["tid"] == tenant, path.contains(tenant), "{path}");
    }
    for (path, body, status, error) in [
        ("/adfs/oauth2/token", secret.replace("=ann", "=eve"), 400, "unauthorized_client"),
        ("/adfs/oauth2/token", body.to_owned(), 401, "invalid_client"),
        ("/adfs/oauth2/token", String::new(), 400, "invalid_request"),
        ("/adfs/oauth2/token", "grant_type=password&username=a&password=b".to_owned(), 400, "unsupported_grant_type"),
        ("/adfs/oauth2/token", "x".repeat(70_000), 413, "invalid_request"),
        ("/adfs/oauth2/v2.0/devicecode", "client_id=ann&scope=x".to_owned(), 400, "unauthorized_client"),
    ] {
        let answer = visit(&server, "POST", path, &[], &body).await;
        assert_eq!((answer.status, member(&answer, "error").as_str()), (status, error), "{path}: {}", answer.text());
        let description = member(&answer, "error_description");
        assert!(description.starts_with("AADSTS"), "{description}");
        assert!(!member(&answer, "trace_id").is_empty() && json(&answer)["error_codes"][0].is_u64(), "{}", answer.text());
    }
    // An identity that is not declared has no token by the other endpoints either.
    let unknown = visit(&server, "GET", "/msi/token?resource=r&client_id=eve", &[("x-identity-header", "x")], "").await;
    assert_eq!(unknown.status, 400, "{}", unknown.text());
}

#[tokio::test]
async fn discovery_names_the_endpoints_and_the_key() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    let host = server.host(ServiceKind::Blob);
    for path in ["/adfs/.well-known/openid-configuration", "/adfs/v2.0/.well-known/openid-configuration"] {
        let answer = visit(&server, "GET", path, &[], "").await;
        let base = format!("http://{host}/adfs");
        for (name, value) in [
            ("token_endpoint", format!("{base}/oauth2/v2.0/token")),
            ("authorization_endpoint", format!("{base}/oauth2/authorize")),
            ("jwks_uri", format!("{base}/discovery/keys")),
        ] {
            assert_eq!(member(&answer, name), value, "{path}");
        }
    }
    let instance = "/common/discovery/instance?api-version=1.1&authorization_endpoint=https%3A%2F%2Flocalhost%2Ftenant%2Foauth2";
    let found = member(&visit(&server, "GET", instance, &[], "").await, "tenant_discovery_endpoint");
    assert_eq!(found, format!("http://{host}/tenant/v2.0/.well-known/openid-configuration"));

    // The published key verifies the tokens, by code that is not the server's.
    let keys = json(&visit(&server, "GET", "/common/discovery/keys", &[], "").await);
    let token = bearer(&server, "ann").await;
    let key = &keys["keys"][0];
    assert_eq!(key["kid"], part(&token, 0)["kid"]);
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
    let (n, e) = (decode(key["n"].as_str().unwrap()), decode(key["e"].as_str().unwrap()));
    assert_eq!((n.len(), e.as_slice()), (256, &[1, 0, 1][..]));
}

/// The paths that SDKs expect have no prefix. An account of that name comes first.
#[tokio::test]
async fn a_path_of_an_account_is_not_the_issuers() {
    let own = "--account=devstoreaccount1;msi;adfs";
    let server = TestServer::with(&["--oauth", "local", own]).await;
    for (account, container, blob) in [("msi", "/token", "/token/x"), ("adfs", "/oauth2", "/oauth2/token")] {
        let made = server.request("PUT", &format!("{container}?restype=container")).account(account, WELL_KNOWN_KEY).send().await;
        assert_eq!(made.verdict(), "201", "{account}: {}", made.text());
        let put = server.request("PUT", blob).account(account, WELL_KNOWN_KEY).header("x-ms-blob-type", "BlockBlob");
        assert_eq!(put.body("mine").send().await.verdict(), "201", "{account}");
        let get = server.request("GET", blob).account(account, WELL_KNOWN_KEY).send().await;
        assert_eq!(get.text(), "mine");
    }
    let own = visit(&server, "GET", "/msi/token?resource=r", &[("x-identity-header", "x")], "").await;
    assert_eq!(own.header("x-ms-request-id").len(), 36, "the Blob service answers: {}", own.text());
    let prefixed = visit(&server, "GET", "/_lazuli/identity/msi/token?resource=r", &[("x-identity-header", "x")], "").await;
    assert_eq!(prefixed.status, 200, "{}", prefixed.text());
    // Nor is a path of an account that the host names.
    let port = server.host(ServiceKind::Blob).rsplit_once(':').unwrap().1.to_owned();
    let host = format!("devstoreaccount1.blob.localhost:{port}");
    let answer = server.visit("GET", &host, "/msi/token?resource=r").header("x-identity-header", "x").send().await;
    assert!(answer.header("x-ms-request-id").len() == 36, "the Blob service answers: {}", answer.text());
}

#[tokio::test]
async fn without_oauth_there_is_no_issuer() {
    let server = TestServer::new().await;
    let answer = visit(&server, "GET", "/msi/token?resource=r", &[("x-identity-header", "x")], "").await;
    assert_eq!((answer.status, answer.text().contains("ResourceNotFound")), (404, true), "{}", answer.text());
    assert_eq!(visit(&server, "GET", "/_lazuli/identity/msi/token?resource=r", &[], "").await.status, 404);
}

#[tokio::test]
async fn a_key_in_the_location_survives_a_restart() {
    let scratch = Scratch::new("identity");
    let arguments = ["--oauth", "local", "--location", scratch.path()];
    let mut server = TestServer::with(&arguments).await;
    let token = bearer(&server, "ann").await;
    server.restart().await;
    let list = send(&server, ServiceKind::Blob, &token, "GET /?comp=list", &[], "").await;
    assert_eq!(list.verdict(), "200", "{}", list.text());
    assert_eq!(part(&bearer(&server, "ann").await, 0)["kid"], part(&token, 0)["kid"]);
    server.restart_with(&["--oauth", "local"]).await;
    let list = send(&server, ServiceKind::Blob, &token, "GET /?comp=list", &[], "").await;
    assert_eq!(list.verdict(), "401 InvalidAuthenticationInfo", "another server has another key");
}
