//! Entity group transactions: all changes or none, and no reader sees only some.

use super::{create, get, put, rows, with_table};
use crate::support::batch::{HTTP, change, changeset, insert, send};
use lazuli::{ServiceKind, WELL_KNOWN_KEY};

/// The text with ids and times replaced.
fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    for (begin, end) in [("response_", "\r\n"), ("datetime'", "'"), ("RequestId:", "\\n"), ("Time:", "\"")] {
        let mut from = 0;
        while let Some(at) = text[from..].find(begin).map(|at| from + at + begin.len()) {
            let length = text[at..].find(end).unwrap_or_default();
            let dashes = if text[at..at + length].ends_with("--") { "--" } else { "" };
            text.replace_range(at..at + length, &format!("*{dashes}"));
            from = at;
        }
    }
    text
}

#[tokio::test]
async fn a_transaction_of_all_operations_is_answered_as_recorded() {
    let server = with_table().await;
    for row in ["1", "2", "3", "4"] {
        put(&server, "p", row, r#""a":1"#).await;
    }
    let any = "If-Match: *\r\nContent-Type: application/json\r\n";
    let requests = [
        insert("p", "new").replace("Prefer", "Content-ID: 1\r\nPrefer"),
        change("DELETE", "1", "If-Match: *\r\n", ""),
        change("PUT", "2", any, r#"{"b":2}"#),
        change("MERGE", "3", any, r#"{"b":2}"#),
        change("PATCH", "4", "", r#"{"b":2}"#),
        change("PUT", "5", "", "{}"),
        insert("p", "shown").replace("Prefer: return-no-content", "x-ms-client-request-id: x"),
    ];
    let answer = send(&server, &changeset(&requests)).await;
    assert_eq!((answer.status, answer.header("cache-control")), (202, "no-cache"), "{}", answer.text());
    assert!(answer.header("content-type").starts_with("multipart/mixed; boundary=batchresponse_"));
    let url = server.emulator.endpoint(ServiceKind::Table, "devstoreaccount1").unwrap();
    let entity = |row: &str| format!("{url}/people(PartitionKey='p',RowKey='{row}')");
    let part = format!("--changesetresponse_*\r\n{HTTP}");
    let common = "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n";
    let tag = "ETag: W/\"datetime'*'\"\r\n\r\n";
    let changed = format!("{part}HTTP/1.1 204 No Content\r\n{common}DataServiceVersion: 1.0;\r\n{tag}\r\n");
    let expected = [
        "--batchresponse_*\r\nContent-Type: multipart/mixed; boundary=changesetresponse_*\r\n\r\n".to_owned(),
        format!("{part}HTTP/1.1 204 No Content\r\nContent-ID: 1\r\n{common}Preference-Applied: return-no-content\r\n"),
        format!("DataServiceVersion: 3.0;\r\nLocation: {0}\r\nDataServiceId: {0}\r\n{tag}\r\n", entity("new")),
        format!("{part}HTTP/1.1 204 No Content\r\n{common}DataServiceVersion: 1.0;\r\n\r\n\r\n"),
        changed.repeat(4),
        format!("{part}HTTP/1.1 201 Created\r\nDataServiceVersion: 3.0;\r\n"),
        format!("Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8\r\n{common}"),
        format!("Location: {}\r\n{tag}", entity("shown")),
        format!(r#"{{"odata.metadata":"{url}/$metadata#people/@Element","odata.etag":"W/\"datetime'*'\"","#),
    ];
    let seen = plain(answer.text());
    assert!(seen.starts_with(&expected.concat()), "{seen}\n{}", expected.concat());
    assert!(seen.ends_with("--changesetresponse_*--\r\n--batchresponse_*--\r\n"), "{seen}");
    assert_eq!(rows(&get(&server, "/people()").await), ["2", "3", "4", "5", "new", "shown"]);
}

#[tokio::test]
async fn a_change_that_fails_undoes_all_and_names_its_index() {
    let server = with_table().await;
    put(&server, "p", "there", "").await;
    create(&server, "others").await;
    let old = "If-Match: W/\"datetime'2012-06-15T22%3A51%3A44.9662825Z'\"\r\n";
    let many: Vec<String> = (0..101).map(|n| insert("p", &format!("{n}"))).collect();
    for (requests, expected) in [
        (
            vec![insert("p", "a"), insert("p", "there")],
            r#"409 Conflict;"EntityAlreadyExists";"1:The specified entity already exists."#,
        ),
        (vec![insert("p", "there")], r#"409 Conflict;"EntityAlreadyExists";"The specified entity already exists."#),
        (
            vec![change("PUT", "there", old, "{}")],
            r#"412 Precondition Failed;"UpdateConditionNotSatisfied";"The update condition"#,
        ),
        (
            vec![insert("p", "a"), insert("p", "b"), change("DELETE", "there", old, "")],
            r#"412 Precondition Failed;"UpdateConditionNotSatisfied";"2:The update condition"#,
        ),
        (vec![change("DELETE", "no", "If-Match: *\r\n", "")], r#"404 Not Found;"ResourceNotFound";"The specified resource"#),
        (
            vec![insert("p", "a"), insert("q", "b")],
            r#"400 Bad Request;"CommandsInBatchActOnDifferentPartitions";"1:All commands in a batch must operate on same entity group."#,
        ),
        (
            vec![insert("p", "a"), insert("p", "b").replace("/people", "/others")],
            r#"400 Bad Request;"CommandsInBatchActOnDifferentPartitions";"1:"#,
        ),
        (
            vec![insert("p", "a"), change("PATCH", "a", "", "{}")],
            r#"400 Bad Request;"InvalidDuplicateRow";"1:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request."#,
        ),
        (
            vec![insert("p", "a").replace("/people", "/nobody")],
            r#"404 Not Found;"TableNotFound";"0:The table specified does not exist."#,
        ),
        (
            vec![insert("p", "a"), insert("p", "b").replace("\"RowKey\"", "\"Row\"")],
            r#"400 Bad Request;"PropertiesNeedValue";"1:"#,
        ),
        (vec![insert("p", "a"), change("DELETE", "there", "", "")], r#"400 Bad Request;"MissingRequiredHeader";"1:"#),
        (
            vec![insert("p", "a"), "POST /devstoreaccount1/Tables HTTP/1.1\r\n\r\n{}".into()],
            r#"400 Bad Request;"InvalidInput";"1:"#,
        ),
        (
            many,
            r#"400 Bad Request;"InvalidInput";"99:The batch request operation exceeds the maximum 100 changes per change set."#,
        ),
    ] {
        let answer = send(&server, &changeset(&requests)).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        let text = answer.text();
        assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "one part, that of the one: {text}");
        for word in expected.split(';') {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert_eq!(text.contains("Cache-Control"), !text.contains("TableNotFound"), "as recorded");
        assert_eq!(rows(&get(&server, "/people()").await), ["there"], "{expected}");
    }
    let hundred: Vec<String> = (0..100).map(|n| insert("p", &format!("{n}"))).collect();
    assert_eq!(send(&server, &changeset(&hundred)).await.text().matches("204 No Content").count(), 100);
}

#[tokio::test]
async fn a_transaction_without_changes_succeeds() {
    let server = with_table().await;
    let answer = send(&server, &changeset(&[])).await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    let head = "--batchresponse_*\r\nContent-Type: multipart/mixed; boundary=changesetresponse_*\r\n\r\n";
    let text = plain(answer.text());
    assert_eq!(text, format!("{head}--changesetresponse_*--\r\n--batchresponse_*--\r\n"));
}

/// The secondary endpoint answers a query, and refuses changes.
#[tokio::test]
async fn the_secondary_answers_queries_and_refuses_changes() {
    let server = with_table().await;
    put(&server, "p", "r", "").await;
    let query = format!(
        "--batch_1\r\n{HTTP}GET /devstoreaccount1-secondary/people() HTTP/1.1\r\nAccept: application/json\r\n\r\n--batch_1--"
    );
    let plain = query.replace("-secondary", "");
    for (body, verdict) in [
        (query, "202"),
        (plain, "202"),
        (changeset(&[insert("p", "s")]), "403 InsufficientAccountPermissions"),
        (changeset(&[]), "403 InsufficientAccountPermissions"),
    ] {
        let request =
            server.request("POST", "/$batch").of(ServiceKind::Table).account("devstoreaccount1-secondary", WELL_KNOWN_KEY);
        let answer = request.header("content-type", "multipart/mixed; boundary=batch_1").body(body).send().await;
        assert_eq!(answer.verdict(), verdict, "{}", answer.text());
        assert_eq!(answer.text().contains(r#""RowKey":"r""#), verdict == "202", "{}", answer.text());
    }
    assert_eq!(rows(&get(&server, "/people()").await), ["r"]);
}

/// Clients differ in how they write transactions.
#[tokio::test]
async fn transactions_of_all_clients_are_read() {
    let server = with_table().await;
    let one = |row: &str| changeset(&[insert("p", row)]);
    let bodies = [
        one("1"),
        one("2").replace("\r\n", "\n"),
        one("3").replace("Prefer", "Content-Length: 999\r\nPrefer"),
        one("4").replace("http://127.0.0.1/devstoreaccount1/people", "/people"),
        one("5").replace("http://127.0.0.1/devstoreaccount1/people", "https://devstoreaccount1.table.core.windows.net/people()"),
        one("6").replace("people HTTP", "people()?$format=application%2Fjson%3Bodata%3Dminimalmetadata HTTP"),
        one("7").replace("--changeset_1--\r\n", "--changeset_1--\r\n\r\n"),
        one("8").replace("Content-Transfer-Encoding: binary\r\n", ""),
        changeset(&[change("POST", "9", "X-HTTP-Method: MERGE\r\n", "{}")]),
        one("A").replace("people", "PEOPLE"),
    ];
    for body in &bodies {
        let answer = send(&server, body).await;
        assert!(answer.text().contains("HTTP/1.1 204 No Content"), "{body}: {}", answer.text());
    }
    assert_eq!(rows(&get(&server, "/people()").await), ["1", "2", "3", "4", "5", "6", "7", "8", "9", "A"]);
}

#[tokio::test]
async fn a_single_query_is_answered() {
    let server = with_table().await;
    put(&server, "p", "r", r#""a":1"#).await;
    let query = |target: &str| {
        format!("--batch_1\r\n{HTTP}GET {target} HTTP/1.1\r\nAccept: application/json;odata=nometadata\r\n\r\n--batch_1--\r\n")
    };
    for (target, status, found) in [
        ("http://127.0.0.1/devstoreaccount1/people(PartitionKey='p',RowKey='r')", "200 OK", r#""a":1}"#),
        ("/devstoreaccount1/people()?$filter=a%20eq%201&$top=5", "200 OK", r#"{"value":[{"PartitionKey":"p""#),
        ("/devstoreaccount1/people(PartitionKey='p',RowKey='s')", "404 Not Found", "ResourceNotFound"),
        ("/devstoreaccount1/nobody()", "404 Not Found", "TableNotFound"),
    ] {
        let answer = send(&server, &query(target)).await;
        assert_eq!(answer.status, 202);
        let text = answer.text();
        assert!(text.starts_with("--batchresponse_") && !text.contains("changesetresponse"), "{text}");
        assert!(text.contains(&format!("HTTP/1.1 {status}\r\n")) && text.contains(found), "{target}: {text}");
    }
    let two = query("/devstoreaccount1/people()").replace("--batch_1--", "") + &query("/devstoreaccount1/people()");
    for body in [two.as_str(), "", "{}"] {
        assert_eq!(send(&server, body).await.verdict(), "400 InvalidInput", "{body}");
    }
    let large = changeset(&[insert("p", "x").replace("\"RowKey\"", &format!("\"big\":\"{}\",\"RowKey\"", "x".repeat(4 << 20)))]);
    assert_eq!(send(&server, &large).await.verdict(), "413 RequestBodyTooLarge");
    let kind = server
        .request("POST", "/$batch")
        .of(ServiceKind::Table)
        .header("content-type", "application/json")
        .body("{}")
        .send()
        .await;
    assert_eq!(kind.verdict(), "400 InvalidHeaderValue", "{}", kind.text());
}

/// Writers repeatedly put two entities in one transaction; no reader sees one without the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_never_sees_half_of_a_transaction() {
    let server = with_table().await;
    let both = |number: usize| changeset(&["1", "2"].map(|row| change("PUT", row, "", &format!(r#"{{"n":{number}}}"#))));
    assert_eq!(send(&server, &both(0)).await.status, 202);
    let write = async {
        for number in 1..150 {
            assert_eq!(send(&server, &both(number)).await.text().matches("204 No Content").count(), 2);
        }
    };
    let read = async {
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..150 {
            let page = super::json(&get(&server, "/people()").await);
            let numbers: Vec<u64> =
                page["value"].as_array().unwrap().iter().map(|entity| entity["n"].as_u64().unwrap()).collect();
            assert_eq!(numbers.len(), 2);
            assert_eq!(numbers[0], numbers[1]);
            seen.insert(numbers[0]);
        }
        seen.len()
    };
    let ((), states) = futures::join!(write, read);
    assert!(states > 1, "the reader saw writes happen");
}
