//! Tables and their entities.

use super::{RandomRequest, encoded};
use crate::rng::Rng;
use crate::server::TestServer;
use lazuli::ServiceKind;

/// Operations: method, path, and query options that get any value.
const OPERATIONS: [(&str, &str, &[&str]); 24] = [
    ("GET", "/Tables", &["$filter", "$top"]),
    ("GET", "/Tables", &["NextTableName", "$select", "$format"]),
    ("GET", "/Tables('{table}')", &[]),
    ("POST", "/Tables", &[]),
    ("DELETE", "/Tables('gone')", &[]),
    ("GET", "/{table}()", &["$filter"]),
    ("GET", "/{table}()", &["$filter", "$top", "$select"]),
    ("GET", "/{table}", &["NextPartitionKey", "NextRowKey"]),
    ("GET", "/{table}({keys})", &["$select"]),
    ("POST", "/{table}", &[]),
    ("PUT", "/{table}({keys})", &[]),
    ("MERGE", "/{table}({keys})", &[]),
    ("PATCH", "/{table}({keys})", &[]),
    ("DELETE", "/{table}({keys})", &[]),
    ("POST", "/{table}({keys})", &[]),
    ("POST", "/$batch", &[]),
    ("POST", "/$batch", &[]),
    ("POST", "/$batch", &[]),
    ("GET", "/{table}", &["comp"]),
    ("PUT", "/{table}", &["comp"]),
    ("PUT", "/", &["restype", "comp"]),
    ("GET", "/", &["restype", "comp"]),
    ("OPTIONS", "/{table}", &[]),
    ("HEAD", "/{table}()", &[]),
];

const KEYS: [&str; 12] = [
    "PartitionKey='p',RowKey='r'",
    "RowKey='r',PartitionKey='p'",
    "PartitionKey='p',RowKey='s'",
    "PartitionKey='',RowKey=''",
    "PartitionKey='it''s',RowKey=','",
    "PartitionKey='%F0%9F%98%80',RowKey='%EF%BF%BF'",
    "PartitionKey='a%2Fb',RowKey='%00'",
    "PartitionKey='p'",
    "'p','r'",
    "PartitionKey='p',RowKey='r'')",
    "PartitionKey='p',RowKey='%C3'",
    "((((",
];

const HEADERS: [&str; 12] = [
    "x-ms-version",
    "x-ms-client-request-id",
    "accept",
    "content-type",
    "if-match",
    "if-none-match",
    "prefer",
    "x-http-method",
    "dataserviceversion",
    "maxdataserviceversion",
    "origin",
    "access-control-request-method",
];

const VALUES: [&str; 62] = [
    "",
    "0",
    "1",
    "-1",
    "1000",
    "1001",
    "5.5",
    "99999999999999999999999999",
    "true",
    "null",
    "*",
    "%zz",
    "//",
    "&=;,",
    "<a>&\"'",
    "\u{1}",
    "é",
    "\u{ffff}",
    "😀",
    "acl",
    "service",
    "properties",
    "application/json",
    "application/json;odata=nometadata",
    "application/json;odata=fullmetadata",
    "application/json;odata=verbose",
    "application/atom+xml",
    "multipart/mixed; boundary=b",
    "multipart/mixed; boundary=",
    "return-content",
    "return-no-content",
    "MERGE",
    "PUT,DELETE",
    "W/\"datetime'2021-05-26T15%3A48%3A22.2733885Z'\"",
    "W/\"datetime'soon'\"",
    "1!4!cGs-",
    "1!4!____",
    "1!99999999999999999999!a",
    "a eq 1",
    "a eq '1' or not (b gt 5L)",
    "PartitionKey eq 'p' and RowKey ge ''",
    "PartitionKey lt '😀' or PartitionKey gt '\u{ffff}'",
    "not not not a",
    "((((((((((a))))))))))",
    "a eq",
    "a eq 'x",
    "a eq datetime'9999-99-99'",
    "a eq guid'x'",
    "a eq X'0'",
    "a eq X'é'",
    "a eq 1e999999999",
    "a eq -9223372036854775808L",
    "a eq 9223372036854775808L",
    "a eq INF",
    "substringof('a',b)",
    "a eq null",
    "é eq 1",
    "a eq 'é' and",
    "a\tEQ\n1",
    "a,b,*",
    ",,,",
    "Timestamp lt datetime'0001-01-01T00:00:00Z'",
];

const BODIES: [&str; 22] = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    "{\"TableName\":\"kept\"}",
    "{\"TableName\":1}",
    "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"a\":1}",
    "{\"PartitionKey\":\"p\",\"RowKey\":null}",
    "{\"a\":1,\"a\":2,\"a@odata.type\":\"Edm.Int64\"}",
    "{\"a\":\"x\",\"a@odata.type\":\"Edm.Guid\"}",
    "{\"a\":\"9999-12-31T23:59:59.9999999-14:00\",\"a@odata.type\":\"Edm.DateTime\"}",
    "{\"a\":1e999}",
    "{\"a\":-0.0,\"b\":\"-INF\",\"b@odata.type\":\"Edm.Double\"}",
    "{\"@odata.type\":\"x\",\"odata.etag\":5,\"é\":[]}",
    "{\"a\":\"\\ud800\"}",
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    "--b\n\n--b--",
    "--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: application/http\n\nDELETE /kept(PartitionKey='p',RowKey='r') HTTP/1.1\nIf-Match: *\n\n--c--\n--b--",
    "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nPUT http://x/devstoreaccount1/kept(PartitionKey='p',RowKey='s') HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n{}\r\n--c\r\n\r\n--c--\r\n--b--",
    "--b\nContent-Type: application/http\n\nGET /kept()?$filter=( HTTP/1.1\nAccept: \u{1}\n\n--b--",
    "<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>",
];

/// Puts back what an earlier request may have taken away: a table, and an entity.
pub async fn stock(server: &TestServer) {
    let made = server.request("POST", "/Tables").of(ServiceKind::Table).body(r#"{"TableName":"kept"}"#).send().await;
    assert!([201, 409].contains(&made.status), "{}", made.verdict());
    let entity = "/kept(PartitionKey='p',RowKey='r')";
    let put = server.request("PUT", entity).of(ServiceKind::Table).body(r#"{"a":1,"b":"x"}"#).send().await;
    assert_eq!(put.status, 204, "{}", put.verdict());
}

/// Any request to them.
pub fn request(rng: &mut Rng) -> RandomRequest {
    let (method, path, options) = rng.pick(&OPERATIONS);
    let table = if rng.roll(10) == 0 { encoded(rng.pick(&VALUES)) } else { rng.pick(&["kept", "KEPT", "gone"]).to_owned() };
    let mut target = path.replace("{table}", &table).replace("{keys}", rng.pick(&KEYS)) + "?";
    let extra = ["$orderby", "$skip", "$format", "timeout", "comp", "$filter", "x"];
    let extra = (rng.roll(10) == 0).then(|| rng.pick(&extra));
    for option in options.iter().copied().chain(extra) {
        target += &format!("&{option}={}", encoded(rng.pick(&VALUES)));
    }
    let mut headers = Vec::new();
    for (name, value) in [
        ("accept", "application/json"),
        ("if-match", "*"),
        ("content-type", if path == "/$batch" { "multipart/mixed; boundary=b" } else { "application/json" }),
    ] {
        if rng.roll(4) > 0 {
            headers.push((name, value));
        }
    }
    for _ in 0..rng.pick(&[0, 0, 1, 2]) {
        headers.push((rng.pick(&HEADERS), rng.pick(&VALUES)));
    }
    let body = if matches!(method, "GET" | "HEAD" | "OPTIONS") { "" } else { rng.pick(&BODIES) };
    RandomRequest { method, target, headers, body: body.to_owned() }
}
