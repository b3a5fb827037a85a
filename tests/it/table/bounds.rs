//! The bounds of a table SAS limit every operation, alone or in a transaction, with a key of the account or of a user.

use super::access::table_sas;
use super::{create, put, rows};
use crate::auth::{queue_table_delegation, token};
use crate::server::{Answer, TestServer};
use lazuli::config::WELL_KNOWN_ACCOUNT;
use lazuli::operation::ServiceKind;

/// From `b`, `2` to `d`, `2`, inclusive.
const BOUNDS: &str = "spk=b&srk=2&epk=d&erk=2";
const INSIDE: [(&str, &str); 5] = [("b", "2"), ("b", "3"), ("c", "1"), ("d", "1"), ("d", "2")];
const OUTSIDE: [(&str, &str); 5] = [("a", "9"), ("b", "1"), ("d", "20"), ("d", "3"), ("e", "1")];
const ANY: &[(&str, &str)] = &[("if-match", "*")];

/// An operation on an entity: name, method, headers, and the answers within the bounds and beyond.
type Operation = (&'static str, &'static str, &'static [(&'static str, &'static str)], &'static str, &'static str);

/// Every operation.
const OPERATIONS: [Operation; 10] = [
    ("Insert Or Replace", "PUT", &[], "204", "403 AuthorizationFailure"),
    ("Insert Or Merge", "MERGE", &[], "204", "403 AuthorizationFailure"),
    ("Insert Or Merge", "PATCH", &[], "204", "403 AuthorizationFailure"),
    ("Update", "PUT", ANY, "204", "403 AuthorizationFailure"),
    ("Merge", "MERGE", ANY, "204", "403 AuthorizationFailure"),
    ("Merge", "PATCH", ANY, "204", "403 AuthorizationFailure"),
    ("Merge by way of POST", "POST", &[("if-match", "*"), ("x-http-method", "MERGE")], "204", "403 AuthorizationFailure"),
    ("Get", "GET", &[], "200", "404 ResourceNotFound"),
    ("Delete", "DELETE", ANY, "204", "403 AuthorizationFailure"),
    ("Insert", "POST", &[], "201", "403 AuthorizationFailure"),
];

/// A server with a table with entities within the bounds and beyond, and two signatures with these bounds.
async fn server() -> (TestServer, [String; 2]) {
    let server = TestServer::with(&["--oauth=dev"]).await;
    create(&server, "people").await;
    for (partition, row) in INSIDE.into_iter().chain(OUTSIDE) {
        put(&server, partition, row, r#""a":1"#).await;
    }
    let (key, user_key) = queue_table_delegation::delegation_key(&server, ServiceKind::Table).await;
    let fields = format!("sv=2026-04-06&tn=people&sp=raud&se={}&{BOUNDS}{user_key}", token::moment(&server, 600));
    let delegated = token::delegated_of("table", "people", &fields, &key);
    (server, [table_sas("people", &format!("sp=raud&se=2100-01-01&{BOUNDS}")), delegated])
}

fn target(name: &str, (partition, row): (&str, &str)) -> String {
    match name {
        "Insert" => "/people".to_owned(),
        _ => format!("/people(PartitionKey='{partition}',RowKey='{row}')"),
    }
}

fn body(name: &str, (partition, row): (&str, &str)) -> String {
    match name {
        "Get" | "Delete" => String::new(),
        "Insert" => format!(r#"{{"PartitionKey":"{partition}","RowKey":"{row}","a":1}}"#),
        _ => r#"{"a":2}"#.to_owned(),
    }
}

async fn send(server: &TestServer, method: &str, target: &str, sas: &str, headers: &[(&str, &str)], body: String) -> Answer {
    let joint = if target.contains('?') { '&' } else { '?' };
    server
        .request(method, &format!("{target}{joint}{sas}"))
        .of(ServiceKind::Table)
        .anonymous()
        .headers(headers)
        .body(body)
        .send()
        .await
}

/// All entities beyond the bounds.
async fn beyond(server: &TestServer) -> String {
    let mut seen = String::new();
    for key in OUTSIDE {
        let answer = super::get(server, &target("Get", key)).await;
        assert_eq!(answer.verdict(), "200", "{key:?}");
        seen.push_str(answer.text());
    }
    seen
}

#[tokio::test]
async fn no_operation_reaches_beyond() {
    let (server, signatures) = server().await;
    let before = beyond(&server).await;
    for sas in &signatures {
        for (name, method, headers, inside, outside) in OPERATIONS {
            for (keys, verdict) in [(INSIDE, inside), (OUTSIDE, outside)] {
                for key in keys {
                    let answer = send(&server, method, &target(name, key), sas, headers, body(name, key)).await;
                    assert_eq!(answer.verdict(), verdict, "{name} {method} {key:?} {sas}: {}", answer.text());
                }
            }
        }
        // The bounds also apply to entities that do not exist.
        for key in [("b", "1a"), ("d", "2\u{1F600}"), ("A", "1")] {
            let answer = send(&server, "POST", "/people", sas, &[], body("Insert", key)).await;
            assert_eq!(answer.verdict(), "403 AuthorizationFailure", "{key:?}");
        }
    }
    assert_eq!(beyond(&server).await, before);
}

#[tokio::test]
async fn no_query_returns_entities_beyond() {
    let (server, signatures) = server().await;
    for sas in &signatures {
        for (filter, expected) in [
            ("", "2 3 1 1 2"),
            ("a eq 1", "2 3 1 1 2"),
            ("PartitionKey eq 'b'", "2 3"),
            ("PartitionKey eq 'a' or PartitionKey eq 'd'", "1 2"),
            ("PartitionKey eq 'e' and RowKey eq '1'", ""),
            ("not (PartitionKey eq 'c')", "2 3 1 2"),
            ("RowKey ge '3'", "3"),
        ] {
            let query = if filter.is_empty() { String::new() } else { format!("?$filter={}", super::encoded(filter)) };
            let page = send(&server, "GET", &format!("/people(){query}"), sas, &[], String::new()).await;
            assert_eq!(rows(&page).join(" "), expected, "{filter}");
        }
        // Forged continuations, before the bounds and after them.
        for (partition, row, expected) in [("YQ--", "OQ--", "2 3 1 1 2"), ("Yw--", "MQ--", "1 1 2"), ("ZQ--", "MQ--", "")] {
            let target = format!("/people()?NextPartitionKey=1!4!{partition}&NextRowKey=1!4!{row}");
            let page = send(&server, "GET", &target, sas, &[], String::new()).await;
            assert_eq!(rows(&page).join(" "), expected, "{partition} {row}");
        }
        let first = send(&server, "GET", "/people()?$top=4", sas, &[], String::new()).await;
        assert_eq!(first.header("x-ms-continuation-nextpartitionkey"), "1!4!ZA--");
        let all = send(&server, "GET", "/people()?$top=5", sas, &[], String::new()).await;
        assert_eq!(all.header("x-ms-continuation-nextpartitionkey"), "", "nothing more, as far as this caller may know");
    }
}

#[tokio::test]
async fn no_transaction_reaches_beyond() {
    let (server, signatures) = server().await;
    let before = beyond(&server).await;
    let kind = [("content-type", "multipart/mixed; boundary=b")];
    let request = |name: &str, method: &str, headers: &[(&str, &str)], key| {
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        let (target, body) = (target(name, key), body(name, key));
        format!(
            "Content-Type: application/http\n\n{method} /{WELL_KNOWN_ACCOUNT}{target} HTTP/1.1\nAccept: application/json\n{lines}\n{body}\n"
        )
    };
    let whole = |parts: &[String]| match parts {
        [one] if one.contains("GET ") => format!("--b\n{one}--b--"),
        parts => {
            let parts: String = parts.iter().map(|part| format!("--c\n{part}")).collect();
            format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n{parts}--c--\n--b--")
        }
    };
    for sas in &signatures {
        for (name, method, headers, inside, outside) in OPERATIONS {
            for (keys, verdict) in [(INSIDE, inside), (OUTSIDE, outside)] {
                for key in keys {
                    let answer =
                        send(&server, "POST", "/$batch", sas, &kind, whole(&[request(name, method, headers, key)])).await;
                    let (status, code) = verdict.split_once(' ').unwrap_or((verdict, ""));
                    let text = answer.text();
                    assert!(text.contains(&format!("HTTP/1.1 {status} ")) && text.contains(code), "{name} {key:?}: {text}");
                }
            }
        }
        // One change beyond the bounds fails the transaction; a query in a transaction returns no more than one alone.
        let parts = [request("", "PUT", &[], ("b", "2")), request("", "PUT", &[], ("b", "1"))];
        let answer = send(&server, "POST", "/$batch", sas, &kind, whole(&parts)).await;
        assert!(answer.text().contains("\"AuthorizationFailure\"") && answer.text().contains("\"1:"), "{}", answer.text());
        let kept = super::get(&server, &target("Get", ("b", "2"))).await;
        assert!(kept.text().contains("\"a\":1"), "{}", kept.text());
        let query = format!(
            "Content-Type: application/http\n\nGET /{WELL_KNOWN_ACCOUNT}/people() HTTP/1.1\nAccept: application/json\n\n"
        );
        let answer = send(&server, "POST", "/$batch", sas, &kind, whole(&[query])).await;
        assert_eq!(answer.text().matches("\"RowKey\"").count(), INSIDE.len(), "{}", answer.text());
    }
    assert_eq!(beyond(&server).await, before);
}

/// Bounds that are not signed have no effect: with an account SAS, and with the key.
#[tokio::test]
async fn bounds_that_are_not_signed_have_no_effect() {
    let (server, _) = server().await;
    let account = token::account("sv=2021-12-02&ss=t&srt=sco&sp=r&se=2100-01-01");
    let page = send(&server, "GET", &format!("/people()?{BOUNDS}"), &account, &[], String::new()).await;
    assert_eq!(rows(&page).len(), INSIDE.len() + OUTSIDE.len());
    assert_eq!(rows(&super::get(&server, &format!("/people()?{BOUNDS}")).await).len(), INSIDE.len() + OUTSIDE.len());
    // A bound of rows without one of partitions is refused.
    for half in ["srk=2", "erk=2", "spk=b&srk=2&erk=2"] {
        let sas = table_sas("people", &format!("sp=raud&se=2100-01-01&{half}"));
        let answer = send(&server, "GET", "/people()", &sas, &[], String::new()).await;
        assert_eq!(answer.verdict(), "403 AuthenticationFailed", "{half}");
    }
}
