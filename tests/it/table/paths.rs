//! Paths and endpoints of tables.

use super::{check, get, put, request, rows, with_table};
use lazuli::config::WELL_KNOWN_KEY;
use lazuli::operation::ServiceKind;

#[tokio::test]
async fn the_secondary_answers_reads_and_refuses_writes() {
    let server = with_table().await;
    put(&server, "p", "r", "").await;
    let request = |method: &str, target: &str| {
        server.request(method, target).of(ServiceKind::Table).account("devstoreaccount1-secondary", WELL_KNOWN_KEY)
    };
    assert_eq!(rows(&request("GET", "/people()").send().await), ["r"]);
    let one = request("GET", "/people(PartitionKey='p',RowKey='r')").send().await;
    assert!(one.text().contains("devstoreaccount1-secondary/$metadata#people/@Element"), "{}", one.text());
    for (method, target, body) in [
        ("POST", "/people", r#"{"PartitionKey":"p","RowKey":"s"}"#),
        ("PUT", "/people(PartitionKey='p',RowKey='s')", "{}"),
        ("POST", "/Tables", r#"{"TableName":"other"}"#),
        ("DELETE", "/Tables('people')", ""),
    ] {
        let answer = request(method, target).body(body).send().await;
        assert_eq!(answer.verdict(), "403 InsufficientAccountPermissions", "{method} {target}");
    }
    assert_eq!(rows(&get(&server, "/people()").await), ["r"]);
}

#[tokio::test]
async fn preflight_requests_follow_the_rules_of_the_service() {
    let server = with_table().await;
    let rule = "<CorsRule><AllowedOrigins>http://page</AllowedOrigins><AllowedMethods>MERGE,GET</AllowedMethods>\
                <AllowedHeaders>*</AllowedHeaders><ExposedHeaders>etag</ExposedHeaders><MaxAgeInSeconds>9</MaxAgeInSeconds></CorsRule>";
    let document = format!("<StorageServiceProperties><Cors>{rule}</Cors></StorageServiceProperties>");
    let set = server.request("PUT", "/?restype=service&comp=properties").of(ServiceKind::Table).body(document).send().await;
    assert_eq!(set.verdict(), "202", "{}", set.text());
    for (method, status) in [("MERGE", 200), ("DELETE", 403)] {
        let builder = server.request("OPTIONS", "/people(PartitionKey='p',RowKey='r')").of(ServiceKind::Table).anonymous();
        let answer = builder.headers(&[("origin", "http://page"), ("access-control-request-method", method)]).send().await;
        assert_eq!(answer.status, status, "{method}: {}", answer.text());
    }
    let read = server.request("GET", "/people()").of(ServiceKind::Table).header("origin", "http://page").send().await;
    assert_eq!(read.header("access-control-allow-origin"), "http://page");
}

#[tokio::test]
async fn a_trailing_slash_is_ignored() {
    check(
        r#"
        GET /Tables/ | accept: application/json;odata=nometadata → 200 | | {"value":[{"TableName":"people"}]}
        GET /Tables('people')/ → 200
        POST /Tables/ | | {"TableName":"other"} → 201
        POST /people/ | | {"PartitionKey":"p","RowKey":"r"} → 201
        GET /people/ → 200 | | ~"RowKey":"r"
        GET /people()/?$top=1 → 200 | | ~"RowKey":"r"
        PUT /people(PartitionKey='p',RowKey='r')/ | | {"a":1} → 204
        GET /people(PartitionKey='p',RowKey='r')/ → 200 | | ~"a":1
        GET /people/?comp=acl → 200
        GET /people// → 400 InvalidResourceName
        DELETE /Tables('people')/ → 204
        GET /people/ → 404 TableNotFound
        "#,
    )
    .await;
}

/// A client may be given a table's address for the account's.
#[tokio::test]
async fn resources_of_the_account_below_a_table_are_refused() {
    let server = with_table().await;
    for (method, target, body, without, with) in [
        ("POST", "/{t}/Tables", r#"{"TableName":"people"}"#, "404 TableNotFound", "400 PropertiesNeedValue"),
        ("POST", "/{t}/Tables", r#"{"PartitionKey":"p","RowKey":"r"}"#, "404 TableNotFound", "400 PropertiesNeedValue"),
        ("DELETE", "/{t}/Tables('people')", "", "404 TableNotFound", "400 InvalidInput"),
        ("GET", "/{t}/Tables('people')", "", "404 TableNotFound", "400 InvalidInput"),
        ("GET", "/{t}/Tables", "", "404 TableNotFound", "400 InvalidUri"),
        ("GET", "/{t}/Tables()", "", "404 TableNotFound", "400 InvalidUri"),
        ("POST", "/{t}/$batch", "", "415 MediaTypeNotSupported", "415 MediaTypeNotSupported"),
        ("GET", "/{t}/?restype=service&comp=properties", "", "400 InvalidQueryParameterValue", "400 InvalidQueryParameterValue"),
        ("PUT", "/{t}/?restype=service&comp=properties", "", "400 InvalidQueryParameterValue", "400 InvalidQueryParameterValue"),
        ("GET", "/{t}/other(PartitionKey='p',RowKey='r')", "", "400 InvalidResourceName", "400 InvalidResourceName"),
    ] {
        for (table, verdict) in [("nobody", without), ("people", with)] {
            let target = target.replace("{t}", table);
            let kind = if target.ends_with("$batch") { "multipart/mixed; boundary=b" } else { "application/json" };
            let builder = server.request(method, &target).of(ServiceKind::Table).header("content-type", kind).body(body);
            let answer = builder.send().await;
            assert_eq!(answer.verdict(), verdict, "{method} {target}: {}", answer.text());
        }
    }
    let deleted = request(&server, "DELETE", "/people/Tables('people')", "").await;
    assert!(
        deleted
            .text()
            .contains("The number of keys specified in the URI does not match number of key properties for the resource"),
        "{}",
        deleted.text()
    );
    assert_eq!(rows(&get(&server, "/people()").await), Vec::<String>::new());
}
