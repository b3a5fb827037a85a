//! Bearer tokens: the intent that a request must state, and user delegation keys.

use super::check_in;
use crate::auth::jwt::{self, ANN};
use crate::auth::token::{delegated_of, moment};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

async fn server() -> TestServer {
    let server = TestServer::with(&["--oauth=dev"]).await;
    check_in(
        &server,
        "PUT /shr?restype=share → 201
         PUT /shr/d?restype=directory → 201
         PUT /shr/d/f | x-ms-type: file; x-ms-content-length: 3 → 201",
    )
    .await;
    server
}

async fn request(server: &TestServer, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let request = server.request(method, target).of(ServiceKind::File).anonymous().header("x-ms-version", "2026-04-06");
    request.headers(headers).body(body.to_owned()).send().await
}

#[tokio::test]
async fn a_request_with_a_token_states_an_intent() {
    let (server, token) = (server().await, jwt::of(ANN));
    let shown = ("authorization", token.as_str());
    let intent = ("x-ms-file-request-intent", "backup");
    for (method, target, headers, verdict) in [
        ("GET", "/shr/d/f", &[shown, intent][..], "200"),
        ("GET", "/shr/d/f", &[shown], "400 MissingRequiredHeader"),
        ("GET", "/shr/d/f", &[shown, ("x-ms-file-request-intent", "fun")], "400 InvalidHeaderValue"),
        ("GET", "/shr?restype=share", &[shown, intent], "200"),
        ("PUT", "/shr/d/g", &[shown, intent, ("x-ms-type", "file"), ("x-ms-content-length", "1")], "201"),
        ("PUT", "/shr/e?comp=rename", &[shown, intent, ("x-ms-file-rename-source", "/devstoreaccount1/shr/d/g")], "200"),
        ("PUT", "/shr/c", &[shown, intent, ("x-ms-copy-source", "/devstoreaccount1/shr/e")], "202"),
        ("DELETE", "/shr/c", &[shown, intent], "202"),
    ] {
        assert_eq!(request(&server, method, target, headers, "").await.verdict(), verdict, "{method} {target} {headers:?}");
    }
}

#[tokio::test]
async fn a_user_delegation_key_signs() {
    let (server, token) = (server().await, jwt::of(ANN));
    let body = format!("<KeyInfo><Start>{}</Start><Expiry>{}</Expiry></KeyInfo>", moment(&server, 0), moment(&server, 3600));
    let headers = [("authorization", token.as_str()), ("x-ms-file-request-intent", "backup")];
    let key = request(&server, "POST", "/?restype=service&comp=userdelegationkey", &headers, &body).await;
    assert_eq!((key.verdict().as_str(), key.element("SignedService")), ("200", "f"), "{}", key.text());
    let key_fields = [
        ("skoid", "SignedOid"),
        ("sktid", "SignedTid"),
        ("skt", "SignedStart"),
        ("ske", "SignedExpiry"),
        ("sks", "SignedService"),
        ("skv", "SignedVersion"),
    ]
    .map(|(name, element)| format!("&{name}={}", key.element(element)))
    .concat();
    let sign = |level: &str, resource: &str| {
        let fields = format!("sv=2026-04-06&sr={level}&sp=r&se=2099-01-01{key_fields}");
        delegated_of("file", resource, &fields, key.element("Value"))
    };
    for (target, sas, verdict) in [
        ("/shr/d/f", sign("s", "shr"), "200"),
        ("/shr/d/f", sign("f", "shr/d/f"), "200"),
        ("/shr/d/f", sign("f", "shr/d/g"), "403 AuthenticationFailed"),
        ("/shr/d/f", sign("s", "other"), "403 AuthenticationFailed"),
    ] {
        assert_eq!(request(&server, "GET", &format!("{target}?{sas}"), &[], "").await.verdict(), verdict, "{target} {sas}");
    }
    server.wait(3601);
    let late = request(&server, "GET", &format!("/shr/d/f?{}", sign("s", "shr")), &[], "").await;
    assert_eq!(late.verdict(), "403 AuthenticationFailed");
}
