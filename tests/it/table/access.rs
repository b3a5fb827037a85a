//! Shared access signatures of tables: their letters, their bounds, their policies.

use super::{create, put, request, rows, with_table};
use crate::server::{Answer, TestServer, hmac};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};

const VERSION: &str = "2019-02-02";

/// The query of a table SAS, from fields written `sp=r&spk=a`. It shares no code with the server.
pub fn table_sas(table: &str, fields: &str) -> String {
    let field = |name: &str| {
        let found = fields.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        found.unwrap_or_default().to_owned()
    };
    let canonical = format!("/table/{WELL_KNOWN_ACCOUNT}/{}", table.to_lowercase());
    let lines = [
        field("sp"),
        String::new(),
        field("se"),
        canonical,
        field("si"),
        String::new(),
        String::new(),
        VERSION.to_owned(),
        field("spk"),
        field("srk"),
        field("epk"),
        field("erk"),
    ];
    let signature = hmac(&lines.join("\n"), WELL_KNOWN_KEY);
    let given: Vec<String> = fields
        .split('&')
        .map(|pair| pair.split_once('=').map(|(name, value)| format!("{name}={}", super::encoded(value))).unwrap())
        .collect();
    format!("{}&sv={VERSION}&tn={table}&sig={}", given.join("&"), super::encoded(&signature))
}

async fn send(server: &TestServer, method: &str, target: &str, sas: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let joined = format!("{target}{}{sas}", if target.contains('?') { '&' } else { '?' });
    let request = server.request(method, &joined).of(ServiceKind::Table).anonymous().header("x-ms-version", VERSION);
    request.headers(headers).body(body.to_owned()).send().await
}

fn entity(partition: &str, row: &str) -> String {
    format!("/people(PartitionKey='{partition}',RowKey='{row}')")
}

#[tokio::test]
async fn each_operation_requires_its_letters() {
    let server = with_table().await;
    let any = &[("if-match", "*")][..];
    for (letters, method, target, headers, body, verdict) in [
        ("a", "POST", "/people".to_owned(), &[][..], r#"{"PartitionKey":"p","RowKey":"r"}"#, "201"),
        ("rud", "POST", "/people".to_owned(), &[], r#"{"PartitionKey":"p","RowKey":"s"}"#, "403 AuthorizationPermissionMismatch"),
        ("r", "GET", entity("p", "r"), &[], "", "200"),
        ("r", "GET", "/PEOPLE()".to_owned(), &[], "", "200"),
        ("aud", "GET", "/people()".to_owned(), &[], "", "403 AuthorizationPermissionMismatch"),
        ("u", "PUT", entity("p", "r"), any, "{}", "204"),
        ("u", "PATCH", entity("p", "r"), any, "{}", "204"),
        ("a", "PUT", entity("p", "r"), any, "{}", "403 AuthorizationPermissionMismatch"),
        ("u", "PUT", entity("p", "r"), &[], "{}", "403 AuthorizationPermissionMismatch"),
        ("a", "MERGE", entity("p", "r"), &[], "{}", "403 AuthorizationPermissionMismatch"),
        ("au", "MERGE", entity("p", "r"), &[], "{}", "204"),
        ("rau", "DELETE", entity("p", "r"), any, "", "403 AuthorizationPermissionMismatch"),
        ("d", "DELETE", entity("p", "r"), any, "", "204"),
        ("raud", "GET", "/Tables".to_owned(), &[], "", "403 AuthorizationFailure"),
        ("raud", "DELETE", "/Tables('people')".to_owned(), &[], "", "403 AuthorizationFailure"),
        ("raud", "GET", "/people?comp=acl".to_owned(), &[], "", "403 AuthorizationFailure"),
        ("r", "GET", "/others()".to_owned(), &[], "", "403 AuthenticationFailed"),
    ] {
        let sas = table_sas("people", &format!("sp={letters}&se=2100-01-01"));
        let answer = send(&server, method, &target, &sas, headers, body).await;
        assert_eq!(answer.verdict(), verdict, "{letters} {method} {target}: {}", answer.text());
    }
    let late = table_sas("people", "sp=r&se=2001-01-01");
    assert_eq!(send(&server, "GET", "/people()", &late, &[], "").await.verdict(), "403 AuthenticationFailed");
    let forged = table_sas("people", "sp=r&se=2100-01-01").replace("sp=r", "sp=raud");
    assert_eq!(send(&server, "GET", "/people()", &forged, &[], "").await.verdict(), "403 AuthenticationFailed");
}

/// An empty `If-Match` counts as absent: the write may insert, so the signature must permit both letters.
#[tokio::test]
async fn an_empty_if_match_does_not_permit_an_insertion() {
    let server = with_table().await;
    let sas = |letters: &str| table_sas("people", &format!("sp={letters}&se=2100-01-01"));
    let batch = |method: &str| {
        let part = format!(
            "{method} /{WELL_KNOWN_ACCOUNT}{} HTTP/1.1\nIf-Match: \nAccept: application/json\n\n{{}}",
            entity("p", "new")
        );
        format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: application/http\n\n{part}\n--c--\n--b--")
    };
    for method in ["PUT", "PATCH", "MERGE"] {
        for empty in ["", " "] {
            for letters in ["u", "ru", "a"] {
                let headers = [("if-match", empty)];
                let answer = send(&server, method, &entity("p", "new"), &sas(letters), &headers, "{}").await;
                assert_eq!(answer.verdict(), "403 AuthorizationPermissionMismatch", "{method} {letters} {empty:?}");
                let headers = [("if-match", empty), ("x-http-method", method)];
                let answer = send(&server, "POST", &entity("p", "new"), &sas(letters), &headers, "{}").await;
                assert_eq!(answer.verdict(), "403 AuthorizationPermissionMismatch", "POST for {method} {letters} {empty:?}");
            }
        }
        let kind = [("content-type", "multipart/mixed; boundary=b")];
        let answer = send(&server, "POST", "/$batch", &sas("u"), &kind, &batch(method)).await;
        assert!(answer.text().contains("AuthorizationPermissionMismatch"), "{method}: {}", answer.text());
        assert_eq!(rows(&request(&server, "GET", "/people()", "").await), Vec::<String>::new(), "{method}");
        let allowed = send(&server, method, &entity("p", "new"), &sas("au"), &[("if-match", "")], "{}").await;
        assert_eq!(allowed.verdict(), "204", "{method}: {}", allowed.text());
        let deleted = send(&server, "DELETE", &entity("p", "new"), &sas("d"), &[("if-match", "")], "").await;
        assert_eq!(deleted.verdict(), "400 MissingRequiredHeader", "{method}");
        let deleted = send(&server, "DELETE", &entity("p", "new"), &sas("d"), &[("if-match", "*")], "").await;
        assert_eq!(deleted.verdict(), "204", "{method}");
    }
}

#[tokio::test]
async fn bounds_apply_to_reads_and_writes() {
    let server = with_table().await;
    for (partition, row) in [("a", "1"), ("b", "1"), ("b", "2"), ("b", "3"), ("c", "1")] {
        put(&server, partition, row, "").await;
    }
    for (bounds, seen) in [
        ("spk=b&srk=2&epk=b&erk=2", &["2"][..]),
        ("spk=b&srk=2", &["2", "3", "1"]),
        ("epk=b&erk=1", &["1", "1"]),
        ("spk=b&epk=b", &["1", "2", "3"]),
        ("spk=x", &[]),
    ] {
        let sas = table_sas("people", &format!("sp=raud&se=2100-01-01&{bounds}"));
        let page = send(&server, "GET", "/people()", &sas, &[], "").await;
        assert_eq!(rows(&page), *seen, "{bounds}");
        let filtered = format!("/people()?$filter={}", super::encoded("PartitionKey eq 'a' and RowKey eq '1'"));
        let page = send(&server, "GET", &filtered, &sas, &[], "").await;
        assert_eq!(rows(&page).len(), usize::from(bounds.starts_with("epk")), "{bounds}: a filter does not go beyond");
    }
    let sas = table_sas("people", "sp=raud&se=2100-01-01&spk=b&srk=2&epk=b&erk=2");
    let any = &[("if-match", "*")][..];
    for (row, read, write) in [("2", "200", "204"), ("1", "404 ResourceNotFound", "403 AuthorizationFailure")] {
        let target = entity("b", row);
        assert_eq!(send(&server, "GET", &target, &sas, &[], "").await.verdict(), read, "{row}");
        for (method, headers) in [("PUT", &[][..]), ("MERGE", &[]), ("PATCH", any), ("DELETE", any)] {
            let answer = send(&server, method, &target, &sas, headers, "{}").await;
            assert_eq!(answer.verdict(), write, "{method} {row}: {}", answer.text());
        }
    }
    let outside = send(&server, "POST", "/people", &sas, &[], r#"{"PartitionKey":"b","RowKey":"20"}"#).await;
    assert_eq!(outside.verdict(), "403 AuthorizationFailure");
    let inside = send(&server, "POST", "/people", &sas, &[], r#"{"PartitionKey":"b","RowKey":"2"}"#).await;
    assert_eq!(inside.verdict(), "201");
}

/// A `+` is signed as it is written, and must not be read as a bound that was not signed.
#[tokio::test]
async fn bounds_are_read_as_signed() {
    let server = with_table().await;
    for row in ["a b", "a+b"] {
        put(&server, "p", &super::encoded(row), "").await;
    }
    let plus = table_sas("people", "sp=r&se=2100-01-01&spk=p&srk=a+b&epk=p&erk=a+b");
    assert_eq!(rows(&send(&server, "GET", "/people()", &plus, &[], "").await), ["a+b"]);
    // An unencoded `+` is a space, in the signature and in the request.
    let signature = super::encoded(&hmac(
        &format!("r\n\n2100-01-01\n/table/{WELL_KNOWN_ACCOUNT}/people\n\n\n\n{VERSION}\np\na b\np\na b"),
        WELL_KNOWN_KEY,
    ));
    let space = format!("{}&sig={signature}", plus.replace("%2B", "+").split("&sig=").next().unwrap());
    assert_eq!(rows(&send(&server, "GET", "/people()", &space, &[], "").await), ["a b"]);
}

#[tokio::test]
async fn each_part_of_a_transaction_needs_its_permission() {
    let server = with_table().await;
    create(&server, "others").await;
    let batch = |table: &str, method: &str, row: &str| {
        let insert = format!("POST /{WELL_KNOWN_ACCOUNT}/{table} HTTP/1.1\n\n{{\"PartitionKey\":\"p\",\"RowKey\":\"{row}\"}}");
        let delete = format!("DELETE /{WELL_KNOWN_ACCOUNT}/{table}(PartitionKey='p',RowKey='{row}') HTTP/1.1\nIf-Match: *\n\n");
        let part = if method == "POST" { insert.replace("\n\n", "\nAccept: application/json\n\n") } else { delete };
        format!("--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: application/http\n\n{part}\n--c--\n--b--")
    };
    for (fields, table, method, row, expected) in [
        ("sp=a&spk=p&srk=1&epk=p&erk=5", "people", "POST", "1", "201 Created"),
        ("sp=a&spk=p&srk=1&epk=p&erk=5", "people", "POST", "6", "AuthorizationFailure"),
        ("sp=a", "people", "DELETE", "1", "AuthorizationPermissionMismatch"),
        ("sp=raud", "others", "POST", "1", "AuthorizationFailure"),
        ("sp=d", "people", "DELETE", "1", "204 No Content"),
    ] {
        let sas = table_sas("people", &format!("se=2100-01-01&{fields}"));
        let kind = [("content-type", "multipart/mixed; boundary=b")];
        let answer = send(&server, "POST", "/$batch", &sas, &kind, &batch(table, method, row)).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        assert!(answer.text().contains(expected), "{fields} {method} {table} {row}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_stored_policy_completes_the_signature() {
    let server = with_table().await;
    put(&server, "p", "r", "").await;
    let policy = |letters: &str| {
        format!(
            "<SignedIdentifiers><SignedIdentifier><Id>readers</Id><AccessPolicy><Expiry>2100-01-01</Expiry>\
             <Permission>{letters}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>"
        )
    };
    let sas = table_sas("people", "si=readers");
    assert_eq!(send(&server, "GET", "/people()", &sas, &[], "").await.verdict(), "403 AuthenticationFailed");
    for (letters, verdict) in [("r", "200"), ("a", "403 AuthorizationPermissionMismatch")] {
        assert_eq!(request(&server, "PUT", "/people?comp=acl", &policy(letters)).await.verdict(), "204");
        assert_eq!(send(&server, "GET", "/PEOPLE()", &sas, &[], "").await.verdict(), verdict);
    }
}

#[tokio::test]
async fn an_account_sas_is_limited_by_its_types() {
    let server = with_table().await;
    for (fields, method, target, body, verdict) in [
        ("ss=t&srt=o&sp=r", "GET", "/people()", "", "200"),
        ("ss=b&srt=o&sp=r", "GET", "/people()", "", "403 AuthorizationServiceMismatch"),
        ("ss=t&srt=c&sp=r", "GET", "/people()", "", "403 AuthorizationResourceTypeMismatch"),
        ("ss=t&srt=c&sp=l", "GET", "/Tables", "", "200"),
        ("ss=t&srt=c&sp=c", "POST", "/Tables", r#"{"TableName":"made"}"#, "201"),
        ("ss=t&srt=c&sp=r", "POST", "/Tables", r#"{"TableName":"more"}"#, "403 AuthorizationPermissionMismatch"),
        ("ss=t&srt=o&sp=a", "POST", "/people", r#"{"PartitionKey":"p","RowKey":"r"}"#, "201"),
        ("ss=t&srt=sco&sp=rwdlacu", "GET", "/people?comp=acl", "", "403 AuthorizationFailure"),
    ] {
        let sas = crate::auth::token::account(&format!("sv={VERSION}&se=2100-01-01&{fields}"));
        let answer = send(&server, method, target, &sas, &[], body).await;
        assert_eq!(answer.verdict(), verdict, "{fields} {method} {target}: {}", answer.text());
    }
}

/// For tables, Shared Key Lite signs only the date and the resource.
#[tokio::test]
async fn shared_key_lite_signs_the_date_and_the_resource() {
    let server = with_table().await;
    put(&server, "p", "r", "").await;
    let date = server.machine_time().rfc1123();
    let no = "403 AuthenticationFailed";
    for (method, target, resource, verdict) in [
        ("GET", "/people()", "/people()", "200"),
        ("GET", "/people()?$top=5&$filter=RowKey%20eq%20'r'", "/people()", "200"),
        ("GET", "/people(PartitionKey='p',RowKey='r')", "/people(PartitionKey='p',RowKey='r')", "200"),
        ("GET", "/people(PartitionKey=%27p%27,RowKey=%27r%27)", "/people(PartitionKey=%27p%27,RowKey=%27r%27)", "200"),
        ("GET", "/people?comp=acl", "/people?comp=acl", "200"),
        ("GET", "/people?comp=acl", "/people", no),
        ("GET", "/people()", "/others()", no),
        ("POST", "/people", "/people", "201"),
        ("DELETE", "/Tables('people')", "/Tables('people')", "204"),
    ] {
        let body = if method == "POST" { r#"{"PartitionKey":"p","RowKey":"s"}"# } else { "" };
        let signed = format!("{date}\n/{WELL_KNOWN_ACCOUNT}/{WELL_KNOWN_ACCOUNT}{resource}");
        let request = |text: &str, key: &str, name: &str| {
            let authorization = format!("SharedKeyLite {WELL_KNOWN_ACCOUNT}:{}", hmac(text, key));
            let request = server.request(method, target).of(ServiceKind::Table).anonymous().body(body);
            request.header(name, &date).header("authorization", authorization)
        };
        for (text, key) in [
            (&signed, "c2Vjb25k"),
            (&format!("{method}\n{signed}"), WELL_KNOWN_KEY),
            (&signed.replacen("GMT", "gmt", 1), WELL_KNOWN_KEY),
        ] {
            assert_eq!(request(text, key, "x-ms-date").send().await.verdict(), no, "{method} {target} {text}");
        }
        let name = if target.contains("acl") { "date" } else { "x-ms-date" };
        let answer = request(&signed, WELL_KNOWN_KEY, name).send().await;
        assert_eq!(answer.verdict(), verdict, "{method} {target}: {}", answer.text());
    }
}
