//! User delegation keys of the Queue and Table services, and signatures with them.

use super::jwt::{self, ANN, BOB};
use super::token::{self, moment};
use crate::server::{Answer, TestServer};
use lazuli::ServiceKind;

const FAILED: &str = "403 AuthenticationFailed";
const DENIED: &str = "403 AuthorizationPermissionMismatch";
const KEY_REQUEST: &str = "/?restype=service&comp=userdelegationkey";
const NEWEST: &str = "2026-04-06";
const MESSAGE: &str = "<QueueMessage><MessageText>x</MessageText></QueueMessage>";

/// The key of an answer: its value, and the fields of a signature that name it.
pub fn key(answer: &Answer) -> (String, String) {
    assert_eq!(answer.verdict(), "200", "{}", answer.text());
    let mut fields = String::new();
    for (name, element) in [
        ("skoid", "SignedOid"),
        ("sktid", "SignedTid"),
        ("skt", "SignedStart"),
        ("ske", "SignedExpiry"),
        ("sks", "SignedService"),
        ("skv", "SignedVersion"),
        ("skdutid", "SignedDelegatedUserTid"),
    ] {
        let value = answer.element(element);
        fields.push_str(&if value.is_empty() { String::new() } else { format!("&{name}={value}") });
    }
    (answer.element("Value").to_owned(), fields)
}

/// Gets a user delegation key of this service for Ann, valid for an hour.
pub async fn delegation_key(server: &TestServer, kind: ServiceKind) -> (String, String) {
    let body = format!("<KeyInfo><Expiry>{}</Expiry></KeyInfo>", moment(server, 3600));
    let request = server.request("POST", KEY_REQUEST).of(kind).anonymous().header("authorization", jwt::of(ANN));
    key(&request.header("x-ms-version", NEWEST).body(body).send().await)
}

/// A server that accepts tokens, with the queues `work` and `other`, and the tables `people` and `others`.
async fn server() -> TestServer {
    let server = TestServer::with(&["--oauth=dev"]).await;
    for queue in ["/work", "/other"] {
        assert_eq!(server.request("PUT", queue).of(ServiceKind::Queue).send().await.verdict(), "201");
    }
    for table in ["people", "others"] {
        let body = format!(r#"{{"TableName":"{table}"}}"#);
        assert_eq!(server.request("POST", "/Tables").of(ServiceKind::Table).body(body).send().await.verdict(), "201");
    }
    server
}

async fn send(
    server: &TestServer,
    kind: ServiceKind,
    method: &str,
    target: &str,
    sas: &str,
    user: Option<(&str, &str)>,
) -> Answer {
    let joint = if target.contains('?') { '&' } else { '?' };
    let token = user.map(jwt::of);
    let headers: Vec<_> = token.iter().map(|token| ("authorization", token.as_str())).collect();
    let body = if method == "POST" && kind == ServiceKind::Queue { MESSAGE } else { "{}" };
    let request = server.request(method, &format!("{target}{joint}{sas}")).of(kind).anonymous().headers(&headers);
    request.body(if method == "GET" { "" } else { body }).send().await
}

#[tokio::test]
async fn a_queues_signature_permits_what_it_says() {
    let server = server().await;
    let (value, user_key) = delegation_key(&server, ServiceKind::Queue).await;
    assert!(user_key.contains("&sks=q&"), "{user_key}");
    let sas = |more: &str| {
        let fields = format!("sv={NEWEST}&se={}{user_key}&{more}", moment(&server, 600));
        token::delegated_of("queue", "work", &fields, &value)
    };
    for (more, method, target, verdict) in [
        ("sp=a", "POST", "/work/messages", "201"),
        ("sp=rup", "POST", "/work/messages", DENIED),
        ("sp=r", "GET", "/work/messages?peekonly=true", "200"),
        ("sp=p", "GET", "/work/messages", "200"),
        ("sp=r", "GET", "/work/messages", DENIED),
        ("sp=r", "GET", "/work?comp=metadata", "200"),
        ("sp=raup", "DELETE", "/work/messages", "403 AuthorizationFailure"),
        ("sp=raup", "GET", "/work?comp=acl", "403 AuthorizationFailure"),
        ("sp=raup", "PUT", "/new", FAILED),
        ("sp=r", "GET", "/other/messages?peekonly=true", FAILED),
        ("sp=r&si=p", "GET", "/work/messages?peekonly=true", FAILED),
        ("sp=r&sip=10.0.0.1", "GET", "/work/messages?peekonly=true", "403 AuthorizationSourceIPMismatch"),
        ("sp=r&spr=https", "GET", "/work/messages?peekonly=true", "403 AuthorizationProtocolMismatch"),
    ] {
        let answer = send(&server, ServiceKind::Queue, method, target, &sas(more), None).await;
        assert_eq!(answer.verdict(), verdict, "{more} {method} {target}: {}", answer.text());
    }
    // The signature is invalid if any field is changed, and in versions before queues had such signatures.
    let peek = "/work/messages?peekonly=true";
    let good = sas("sp=r&sip=127.0.0.1&spr=https,http&st=2020-01-01");
    assert_eq!(send(&server, ServiceKind::Queue, "GET", peek, &good, None).await.verdict(), "200");
    for name in ["sv", "se", "sp", "sip", "spr", "st", "skoid", "sktid", "skt", "ske", "sks", "skv"] {
        let wrong = good.replacen(&format!("{name}="), &format!("{name}=1"), 1);
        assert_eq!(send(&server, ServiceKind::Queue, "GET", peek, &wrong, None).await.verdict(), FAILED, "{name}");
    }
    let fields = format!("sv=2025-11-05&sp=r&se={}{user_key}", moment(&server, 600));
    let early = token::delegated_of("queue", "work", &fields, &value);
    assert_eq!(send(&server, ServiceKind::Queue, "GET", peek, &early, None).await.verdict(), FAILED);
    // It expires with its key.
    let long = token::delegated_of("queue", "work", &format!("sv={NEWEST}&sp=r&se={}{user_key}", moment(&server, 7200)), &value);
    for (wait, verdict) in [(3599, "200"), (1, FAILED)] {
        server.wait(wait);
        assert_eq!(send(&server, ServiceKind::Queue, "GET", peek, &long, None).await.verdict(), verdict, "{wait} s later");
    }
}

#[tokio::test]
async fn a_tables_signature_permits_what_it_says() {
    let server = server().await;
    let (value, user_key) = delegation_key(&server, ServiceKind::Table).await;
    assert!(user_key.contains("&sks=t&"), "{user_key}");
    let sas = |more: &str| {
        let fields = format!("sv={NEWEST}&tn=People&se={}{user_key}&{more}", moment(&server, 600));
        token::delegated_of("table", "people", &fields, &value)
    };
    let entity = "/people(PartitionKey='p',RowKey='r')";
    for (more, method, target, verdict) in [
        ("sp=au", "PUT", entity, "204"),
        ("sp=u", "PUT", entity, DENIED),
        ("sp=r", "GET", entity, "200"),
        ("sp=r", "GET", "/PEOPLE()", "200"),
        ("sp=aud", "GET", "/people()", DENIED),
        ("sp=raud", "GET", "/people?comp=acl", "403 AuthorizationFailure"),
        ("sp=raud", "GET", "/Tables", "403 AuthorizationFailure"),
        ("sp=r", "GET", "/others()", FAILED),
        ("sp=r&si=p", "GET", "/people()", FAILED),
        ("sp=r&spk=p&srk=r&epk=p&erk=r", "GET", entity, "200"),
        ("sp=r&spk=q", "GET", entity, "404 ResourceNotFound"),
    ] {
        let answer = send(&server, ServiceKind::Table, method, target, &sas(more), None).await;
        assert_eq!(answer.verdict(), verdict, "{more} {method} {target}: {}", answer.text());
    }
    let good = sas("sp=r&spk=p&srk=a&epk=p&erk=z&st=2020-01-01&sip=127.0.0.1&spr=https,http");
    assert_eq!(send(&server, ServiceKind::Table, "GET", entity, &good, None).await.verdict(), "200");
    for name in ["sv", "se", "sp", "tn", "spk", "srk", "epk", "erk", "sip", "st", "skoid", "sktid", "skt", "ske", "sks", "skv"] {
        let wrong = good.replacen(&format!("{name}="), &format!("{name}=1"), 1);
        assert_eq!(send(&server, ServiceKind::Table, "GET", entity, &wrong, None).await.verdict(), FAILED, "{name}");
        if name.ends_with('k') {
            let pairs: Vec<&str> = good.split('&').filter(|pair| !pair.starts_with(&format!("{name}="))).collect();
            assert_eq!(
                send(&server, ServiceKind::Table, "GET", entity, &pairs.join("&"), None).await.verdict(),
                FAILED,
                "without {name}"
            );
        }
    }
}

/// A key is valid for the service that returned it; a signature for one user, for that user.
#[tokio::test]
async fn a_key_serves_its_own_service_and_perhaps_one_user() {
    let server = server().await;
    let (queues, tables) = (delegation_key(&server, ServiceKind::Queue).await, delegation_key(&server, ServiceKind::Table).await);
    assert_ne!(queues.0, tables.0);
    let until = moment(&server, 600);
    for ((value, user_key), good) in [(&queues, false), (&tables, true)] {
        let named = user_key.replace("sks=q", "sks=t");
        for user_key in [user_key, &named] {
            let fields = format!("sv={NEWEST}&tn=people&sp=r&se={until}{user_key}");
            let sas = token::delegated_of("table", "people", &fields, value);
            let answer = send(&server, ServiceKind::Table, "GET", "/people()", &sas, None).await;
            assert_eq!(answer.verdict(), if good { "200" } else { FAILED }, "{user_key}");
        }
    }
    for (user, verdict) in [(Some(BOB), "200"), (Some(ANN), FAILED), (None, FAILED)] {
        let fields = |key: &str| format!("sv={NEWEST}&sp=r&se={until}{key}&sduoid={}", BOB.0);
        let sas = token::delegated_of("queue", "work", &fields(&queues.1), &queues.0);
        let answer = send(&server, ServiceKind::Queue, "GET", "/work/messages?peekonly=true", &sas, user).await;
        assert_eq!(answer.verdict(), verdict, "{user:?}");
        let sas = token::delegated_of("table", "people", &fields(&format!("{}&tn=people", tables.1)), &tables.0);
        assert_eq!(send(&server, ServiceKind::Table, "GET", "/people()", &sas, user).await.verdict(), verdict, "{user:?}");
        // The signature limits the user.
        let denied = if verdict == "200" { DENIED } else { FAILED };
        assert_eq!(
            send(&server, ServiceKind::Queue, "POST", "/work/messages", &sas, user).await.verdict(),
            FAILED,
            "another service's"
        );
        let target = "/people(PartitionKey='p',RowKey='r')";
        assert_eq!(send(&server, ServiceKind::Table, "PUT", target, &sas, user).await.verdict(), denied, "{user:?}");
    }
}
