//! Whose tables: hosts, secondaries, and other accounts.

use super::{get, put, rows, with_table};
use lazuli::config::WELL_KNOWN_KEY;
use lazuli::op::Kind;

#[tokio::test]
async fn the_secondary_reads_and_does_not_write() {
    let house = with_table().await;
    put(&house, "p", "r", "").await;
    let ask = |method: &str, target: &str| {
        house.ask(method, target).of(Kind::Table).account("devstoreaccount1-secondary", WELL_KNOWN_KEY)
    };
    assert_eq!(rows(&ask("GET", "/people()").send().await), ["r"]);
    let one = ask("GET", "/people(PartitionKey='p',RowKey='r')").send().await;
    assert!(one.text().contains("devstoreaccount1-secondary/$metadata#people/@Element"), "{}", one.text());
    for (method, target, body) in [
        ("POST", "/people", r#"{"PartitionKey":"p","RowKey":"s"}"#),
        ("PUT", "/people(PartitionKey='p',RowKey='s')", "{}"),
        ("POST", "/Tables", r#"{"TableName":"other"}"#),
        ("DELETE", "/Tables('people')", ""),
    ] {
        let answer = ask(method, target).body(body).send().await;
        assert_eq!(answer.verdict(), "403 InsufficientAccountPermissions", "{method} {target}");
    }
    assert_eq!(rows(&get(&house, "/people()").await), ["r"]);
}

#[tokio::test]
async fn a_preflight_asks_and_is_answered_by_the_rules() {
    let house = with_table().await;
    let rule = "<CorsRule><AllowedOrigins>http://page</AllowedOrigins><AllowedMethods>MERGE,GET</AllowedMethods>\
                <AllowedHeaders>*</AllowedHeaders><ExposedHeaders>etag</ExposedHeaders><MaxAgeInSeconds>9</MaxAgeInSeconds></CorsRule>";
    let document = format!("<StorageServiceProperties><Cors>{rule}</Cors></StorageServiceProperties>");
    let set = house.ask("PUT", "/?restype=service&comp=properties").of(Kind::Table).body(document).send().await;
    assert_eq!(set.verdict(), "202", "{}", set.text());
    for (method, status) in [("MERGE", 200), ("DELETE", 403)] {
        let asked = house.ask("OPTIONS", "/people(PartitionKey='p',RowKey='r')").of(Kind::Table).anonymous();
        let answer = asked.headers(&[("origin", "http://page"), ("access-control-request-method", method)]).send().await;
        assert_eq!(answer.status, status, "{method}: {}", answer.text());
    }
    let read = house.ask("GET", "/people()").of(Kind::Table).header("origin", "http://page").send().await;
    assert_eq!(read.header("access-control-allow-origin"), "http://page");
}
