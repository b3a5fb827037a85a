//! Authorization of requests to queues: signatures of every kind, and none.

use super::{document, request, with_queue};
use crate::auth::token;
use crate::server::{Answer, TestServer, hmac};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The query of a service SAS for a queue, signed as the reference specifies; fields are written `sv=…&sp=…`.
fn signature(queue: &str, fields: &str) -> String {
    let field = |name: &str| {
        let pairs = fields.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
    };
    let canonical = format!("{}/{WELL_KNOWN_ACCOUNT}/{queue}", if field("sv") < "2015-02-21" { "" } else { "/queue" });
    let lines = match field("sv") < "2015-04-05" {
        true => vec![field("sp"), field("st"), field("se"), &canonical, field("si"), field("sv")],
        false => vec![field("sp"), field("st"), field("se"), &canonical, field("si"), field("sip"), field("spr"), field("sv")],
    };
    let mac = hmac(&lines.join("\n"), WELL_KNOWN_KEY);
    let encoded =
        |pair: &str| pair.split_once('=').map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
    let pairs: Vec<String> = fields.split('&').filter_map(encoded).collect();
    format!("{}&sig={}", pairs.join("&"), utf8_percent_encode(&mac, NON_ALPHANUMERIC))
}

/// Sends a request with a signature instead of a key.
async fn with(server: &TestServer, method: &str, target: &str, sas: &str) -> Answer {
    let joint = if target.contains('?') { '&' } else { '?' };
    let body = if method == "POST" { document("x") } else { String::new() };
    request(server, method, &format!("{target}{joint}{sas}")).anonymous().body(body).send().await
}

/// Every operation: the request, the letters of an account SAS and its level, the letters of a service SAS.
const OPERATIONS: &[(&str, &str, &str, char, &str)] = &[
    ("GET", "/?comp=list", "l", 's', ""),
    ("GET", "/?restype=service&comp=properties", "r", 's', ""),
    ("PUT", "/?restype=service&comp=properties", "w", 's', ""),
    ("PUT", "/other", "cw", 'c', ""),
    ("GET", "/work?comp=metadata", "r", 'c', "r"),
    ("PUT", "/work?comp=metadata", "w", 'c', ""),
    ("GET", "/work?comp=acl", "", 'c', ""),
    ("PUT", "/work?comp=acl", "", 'c', ""),
    ("POST", "/work/messages", "a", 'o', "a"),
    ("GET", "/work/messages?peekonly=true", "r", 'o', "r"),
    ("GET", "/work/messages", "p", 'o', "p"),
    ("PUT", "/work/messages/m?popreceipt=AgAAAAMAAAAAAAAAOS1PJpEC2AE%3D&visibilitytimeout=1", "u", 'o', "u"),
    ("DELETE", "/work/messages/m?popreceipt=AgAAAAMAAAAAAAAAOS1PJpEC2AE%3D", "p", 'o', "p"),
    ("DELETE", "/work/messages", "d", 'o', ""),
    ("DELETE", "/none", "d", 'c', ""),
];

#[tokio::test]
async fn each_operation_requires_its_letters() {
    let server = with_queue().await;
    for (method, target, letters, level, service) in OPERATIONS {
        for letter in "rwdlacup".chars() {
            let account = token::account(&format!("sv=2021-12-02&ss=q&srt={level}&sp={letter}&se=2099-01-01"));
            let answer = with(&server, method, target, &account).await;
            let row = format!("{method} {target} account {letter}");
            match (letters.is_empty(), letters.contains(letter)) {
                (true, _) => assert_eq!(answer.verdict(), "403 AuthorizationFailure", "{row}"),
                (_, false) => assert_eq!(answer.verdict(), "403 AuthorizationPermissionMismatch", "{row}"),
                (_, true) => assert!(![401, 403].contains(&answer.status), "{row}: {}", answer.verdict()),
            }
        }
        for letter in "raup".chars() {
            let queue = target[1..].split(['/', '?']).next().filter(|name| !name.is_empty());
            let Some(queue) = queue else { continue };
            let sas = signature(queue, &format!("sv=2021-12-02&sp={letter}&se=2099-01-01"));
            let answer = with(&server, method, target, &sas).await;
            let row = format!("{method} {target} service {letter}");
            match (service.is_empty(), service.contains(letter)) {
                (true, _) => assert_eq!(answer.verdict(), "403 AuthorizationFailure", "{row}"),
                (_, false) => assert_eq!(answer.verdict(), "403 AuthorizationPermissionMismatch", "{row}"),
                (_, true) => assert!(![401, 403].contains(&answer.status), "{row}: {}", answer.verdict()),
            }
        }
        let anonymous = with(&server, method, target, "x=y").await;
        assert_eq!(anonymous.verdict(), "401 NoAuthenticationInformation", "{method} {target}");
        assert!(anonymous.header("www-authenticate").starts_with("Bearer "), "{method} {target}");
        // The right letters at another level, or for another service.
        if let Some(letter) = letters.chars().next() {
            for (fields, code) in [
                (format!("ss=q&srt={}&sp={letter}", if *level == 's' { 'o' } else { 's' }), "AuthorizationResourceTypeMismatch"),
                (format!("ss=btf&srt=sco&sp={letter}"), "AuthorizationServiceMismatch"),
            ] {
                let sas = token::account(&format!("sv=2021-12-02&{fields}&se=2099-01-01"));
                let answer = with(&server, method, target, &sas).await;
                assert_eq!(answer.verdict(), format!("403 {code}"), "{method} {target} {fields}");
            }
        }
    }
}

#[tokio::test]
async fn a_signature_is_valid_for_its_queue_and_its_time() {
    let server = with_queue().await;
    assert_eq!(request(&server, "PUT", "/other").send().await.verdict(), "201");
    let no = "403 AuthenticationFailed";
    for (queue, fields, verdict) in [
        ("work", "sv=2021-12-02&sp=raup&se=2099-01-01", "200"),
        ("work", "sv=2018-03-28&sp=r&se=2099-01-01", "200"),
        ("work", "sv=2015-02-21&sp=r&se=2099-01-01", "200"),
        ("work", "sv=2013-08-15&sp=r&se=2099-01-01", "200"),
        ("work", "sv=2021-12-02&sp=r&st=2020-01-01&se=2099-01-01T00:00:00Z&spr=https,http&sip=127.0.0.1", "200"),
        ("work", "sv=2021-12-02&sp=r&se=2099-01-01&sip=10.0.0.1", "403 AuthorizationSourceIPMismatch"),
        ("work", "sv=2021-12-02&sp=r&se=2099-01-01&spr=https", "403 AuthorizationProtocolMismatch"),
        ("work", "sv=2021-12-02&sp=r&se=2020-01-01", no),
        ("work", "sv=2021-12-02&sp=r&st=2098-01-01&se=2099-01-01", no),
        ("work", "sv=2021-12-02&sp=pr&se=2099-01-01", no),
        ("work", "sv=2021-12-02&sp=rd&se=2099-01-01", no),
        ("other", "sv=2021-12-02&sp=r&se=2099-01-01", no),
        ("", "sv=2021-12-02&sp=r&se=2099-01-01", no),
    ] {
        let answer = with(&server, "GET", "/work/messages?peekonly=true", &signature(queue, fields)).await;
        assert_eq!(answer.verdict(), verdict, "{queue} {fields}: {}", answer.text());
    }
    // A signature for a blob container of the same name.
    let blob = token::service("work", "sv=2021-12-02&sr=c&sp=r&se=2099-01-01");
    assert_eq!(with(&server, "GET", "/work/messages?peekonly=true", &blob).await.verdict(), no);
}

#[tokio::test]
async fn a_stored_policy_completes_the_signature() {
    let server = with_queue().await;
    let policy = |id: &str, letters: &str| {
        format!(
            "<SignedIdentifier><Id>{id}</Id><AccessPolicy><Expiry>2099-01-01</Expiry><Permission>{letters}</Permission></AccessPolicy></SignedIdentifier>"
        )
    };
    let set = async |policies: &str| {
        let body = format!("<SignedIdentifiers>{policies}</SignedIdentifiers>");
        assert_eq!(request(&server, "PUT", "/work?comp=acl").body(body).send().await.verdict(), "204");
    };
    set(&(policy("readers", "r") + &policy("workers", "p"))).await;
    let (peek, take) = ("/work/messages?peekonly=true", "/work/messages");
    let sas = |id: &str| signature("work", &format!("sv=2021-12-02&si={id}"));
    for (id, target, verdict) in [
        ("readers", peek, "200"),
        ("readers", take, "403 AuthorizationPermissionMismatch"),
        ("workers", take, "200"),
        ("workers", peek, "403 AuthorizationPermissionMismatch"),
        ("nobody", peek, "403 AuthenticationFailed"),
    ] {
        assert_eq!(with(&server, "GET", target, &sas(id)).await.verdict(), verdict, "{id} {target}");
    }
    set("").await;
    assert_eq!(with(&server, "GET", peek, &sas("readers")).await.verdict(), "403 AuthenticationFailed", "revoked");
}

#[tokio::test]
async fn shared_key_lite_is_accepted() {
    let server = with_queue().await;
    let date = server.machine_time().rfc1123();
    for (method, target, resource) in [
        ("GET", "/work?comp=metadata", "/devstoreaccount1/devstoreaccount1/work?comp=metadata"),
        ("GET", "/work/messages?peekonly=true&numofmessages=2", "/devstoreaccount1/devstoreaccount1/work/messages"),
    ] {
        let signed = format!("{method}\n\n\n\nx-ms-date:{date}\nx-ms-version:2021-12-02\n{resource}");
        for (key, verdict) in [(WELL_KNOWN_KEY, "200"), ("c2Vjb25k", "403 AuthenticationFailed")] {
            let authorization = format!("SharedKeyLite {WELL_KNOWN_ACCOUNT}:{}", hmac(&signed, key));
            let request =
                request(&server, method, target).anonymous().header("x-ms-date", &date).header("authorization", authorization);
            assert_eq!(request.send().await.verdict(), verdict, "{method} {target}");
        }
    }
}

#[tokio::test]
async fn the_secondary_answers_reads_and_refuses_writes() {
    let server = with_queue().await;
    super::put(&server, "", "kept").await;
    let refused = "403 InsufficientAccountPermissions";
    for (method, target, _, _, _) in OPERATIONS {
        let request = server.request(method, target).of(ServiceKind::Queue).account("devstoreaccount1-secondary", WELL_KNOWN_KEY);
        let reads = *method == "GET" && *target != "/work/messages";
        let answer = request.body(if *method == "POST" { document("x") } else { String::new() }).send().await;
        assert_eq!(answer.verdict(), if reads { "200" } else { refused }, "{method} {target}");
        if reads && target.contains("peekonly") {
            assert_eq!(answer.element("MessageText"), "kept");
        }
    }
    assert_eq!(super::count(&server).await, "1");
}
