//! Which tokens a server with `--oauth local` refuses: all but its own, for storage, in their time.

use super::{STORAGE, bearer, json, member, send, visit};
use crate::auth::jwt;
use crate::server::{TestServer, hmac};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use lazuli::ServiceKind;

const REFUSED: &str = "401 InvalidAuthenticationInfo";
const SIGNATURE: &str = "Signature validation failed. Signature verification failed.";
const NO_TOKEN: &str = "The bearer token is not a JSON Web Token.";

#[tokio::test]
async fn a_token_that_the_server_did_not_sign_is_refused() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    let foreign = bearer(&TestServer::with(&["--oauth", "local"]).await, "ann").await;
    let own = bearer(&server, "ann").await;
    let text = own.trim_start_matches("Bearer ").to_owned();
    let [header, claims, signature]: [&str; 3] = text.split('.').collect::<Vec<_>>().try_into().unwrap();
    let decoded = |part: &str| String::from_utf8(URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let (head, said) = (decoded(header), decoded(claims));
    let key = json(&visit(&server, "GET", "/common/discovery/keys", &[], "").await)["keys"][0].clone();
    let kid = key["kid"].as_str().unwrap();

    // The public key as the secret of an HMAC: the known confusion of algorithms.
    let symmetric = encoded(&head.replace("RS256", "HS256"));
    let modulus = STANDARD.encode(URL_SAFE_NO_PAD.decode(key["n"].as_str().unwrap()).unwrap());
    let mac = hmac(&format!("{symmetric}.{claims}"), &modulus);
    let mac = URL_SAFE_NO_PAD.encode(STANDARD.decode(mac).unwrap());

    let other = said.replace("\"ann\"", "\"bob\"");
    let end = signature.len() - 10;
    for (what, token, detail) in [
        ("foreign", foreign.trim_start_matches("Bearer ").to_owned(), SIGNATURE),
        ("other claims", format!("{header}.{}.{signature}", encoded(&other)), SIGNATURE),
        ("another signature", format!("{header}.{claims}.{}{}", &signature[..end], "A".repeat(10)), SIGNATURE),
        ("a shorter signature", format!("{header}.{claims}.{}", &signature[..end]), SIGNATURE),
        ("no signature", format!("{header}.{claims}."), SIGNATURE),
        ("alg none", format!("{}.{claims}.", encoded(&head.replace("RS256", "none"))), SIGNATURE),
        ("alg NONE", format!("{}.{claims}.{signature}", encoded(&head.replace("RS256", "NONE"))), SIGNATURE),
        ("alg HS256", format!("{symmetric}.{claims}.{mac}"), SIGNATURE),
        ("no alg", format!("{}.{claims}.{signature}", encoded(&format!("{{\"kid\":\"{kid}\"}}"))), SIGNATURE),
        ("another kid", format!("{}.{claims}.{signature}", encoded(&head.replace(kid, "other"))), SIGNATURE),
        ("no kid", format!("{}.{claims}.{signature}", encoded(r#"{"alg":"RS256"}"#)), SIGNATURE),
        ("padded", format!("{text}=="), SIGNATURE),
        ("a header with more", format!("{}.{claims}.{signature}", encoded(&head.replace('{', "{\"crit\":[],"))), SIGNATURE),
        ("encoded twice", encoded(&text), NO_TOKEN),
        ("twice", format!("{text}.{text}"), SIGNATURE),
        ("oversized", format!("{header}.{}.{signature}", "A".repeat(17_000)), NO_TOKEN),
        ("not signed at all", jwt::of(jwt::ANN).trim_start_matches("Bearer ").to_owned(), SIGNATURE),
        ("nothing", String::new(), NO_TOKEN),
        ("no token", "x".to_owned(), NO_TOKEN),
    ] {
        let answer = send(&server, ServiceKind::Blob, &format!("Bearer {token}"), "GET /?comp=list", &[], "").await;
        assert_eq!((answer.verdict().as_str(), answer.element("AuthenticationErrorDetail")), (REFUSED, detail), "{what}");
        let host = server.host(ServiceKind::Blob);
        let challenge = answer.header("www-authenticate");
        assert!(challenge.starts_with(&format!("Bearer authorization_uri=https://{host}/")), "{challenge}");
        assert!(challenge.ends_with("/oauth2/authorize resource_id=https://storage.azure.com"), "{challenge}");
    }
    assert_eq!(send(&server, ServiceKind::Blob, &own, "GET /?comp=list", &[], "").await.verdict(), "200");
}

#[tokio::test]
async fn a_token_is_for_storage_and_for_an_hour() {
    let server = TestServer::with(&["--oauth", "local", "--control"]).await;
    for (resource, kind, verdict) in [
        (STORAGE, ServiceKind::Queue, "200"),
        ("https://storage.azure.com/", ServiceKind::Table, "200"),
        ("https://devstoreaccount1.blob.core.windows.net", ServiceKind::Blob, "200"),
        ("https://devstoreaccount1.blob.core.windows.net", ServiceKind::Queue, REFUSED),
        ("https://other.blob.core.windows.net", ServiceKind::Blob, REFUSED),
        ("https://vault.azure.net", ServiceKind::Blob, REFUSED),
        ("https://management.azure.com/", ServiceKind::Blob, REFUSED),
    ] {
        let path = format!("/msi/token?resource={resource}");
        let issued = visit(&server, "GET", &path, &[("x-identity-header", "x")], "").await;
        let token = format!("Bearer {}", member(&issued, "access_token"));
        let target = if kind == ServiceKind::Table { "GET /Tables" } else { "GET /?comp=list" };
        let answer = send(&server, kind, &token, target, &[], "").await;
        assert_eq!(answer.status.to_string(), verdict[..3], "{resource} {kind:?}: {}", answer.text());
    }
    // The server's clock decides, not the machine's.
    let token = bearer(&server, "ann").await;
    let list = async || send(&server, ServiceKind::Blob, &token, "GET /?comp=list", &[], "").await;
    server.wait(3599);
    assert_eq!(list().await.verdict(), "200");
    server.wait(1);
    let expired = list().await;
    let detail = expired.element("AuthenticationErrorDetail");
    assert_eq!((expired.verdict().as_str(), detail), (REFUSED, "Lifetime validation failed. The token is expired."));
    let later = bearer(&server, "ann").await;
    assert_eq!(send(&server, ServiceKind::Blob, &later, "GET /?comp=list", &[], "").await.verdict(), "200");
    assert_eq!(visit(&server, "POST", "/_lazuli/reset", &[], "").await.status, 200);
    // The reset set the clock back. SDKs keep a token until it expires.
    assert_eq!(send(&server, ServiceKind::Blob, &later, "GET /?comp=list", &[], "").await.verdict(), "200");
}

/// A client without credentials learns from the challenge where to get a token.
#[tokio::test]
async fn a_challenge_leads_to_the_issuer() {
    let server = TestServer::with(&["--oauth", "local"]).await;
    let host = server.host(ServiceKind::Blob);
    let port = host.rsplit_once(':').unwrap().1;
    for (name, path, authority) in [
        (host.clone(), "/devstoreaccount1/?comp=list", host.clone()),
        (format!("devstoreaccount1.blob.localhost:{port}"), "/?comp=list", format!("localhost:{port}")),
    ] {
        let answer = server.visit("GET", &name, path).header("x-ms-version", "2021-12-02").send().await;
        assert_eq!(answer.status, 401, "{}", answer.text());
        let challenge = answer.header("www-authenticate").to_owned();
        let uri = challenge.split(' ').find_map(|word| word.strip_prefix("authorization_uri=")).unwrap();
        let tenant = uri.strip_prefix(&format!("https://{authority}/")).unwrap().strip_suffix("/oauth2/authorize").unwrap();
        let path = format!("/{tenant}/v2.0/.well-known/openid-configuration");
        assert_eq!(visit(&server, "GET", &path, &[], "").await.status, 200, "{challenge}");
    }
}
