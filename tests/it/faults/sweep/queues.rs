//! Queues and their messages.

use super::{RandomRequest, encoded};
use crate::rng::Rng;
use crate::server::TestServer;
use lazuli::ServiceKind;

/// Operations: method, path, query, and parameters that get any value.
const OPERATIONS: [(&str, &str, &str, &[&str]); 22] = [
    ("GET", "/", "comp=list", &["marker", "maxresults", "prefix", "include"]),
    ("GET", "/", "restype=service&comp=properties", &[]),
    ("PUT", "/", "restype=service&comp=properties", &[]),
    ("POST", "/", "restype=service&comp=userdelegationkey", &[]),
    ("PUT", "/{queue}", "", &[]),
    ("DELETE", "/gone", "", &[]),
    ("GET", "/{queue}", "comp=metadata", &[]),
    ("PUT", "/{queue}", "comp=metadata", &[]),
    ("GET", "/{queue}", "comp=acl", &[]),
    ("PUT", "/{queue}", "comp=acl", &[]),
    ("POST", "/{queue}/messages", "", &[]),
    ("POST", "/{queue}/messages", "", &["visibilitytimeout", "messagettl"]),
    ("GET", "/{queue}/messages", "", &[]),
    ("GET", "/{queue}/messages", "", &["numofmessages", "visibilitytimeout", "peekonly"]),
    ("GET", "/{queue}/messages", "peekonly=true", &["numofmessages"]),
    ("DELETE", "/{queue}/messages", "", &[]),
    ("PUT", "/{queue}/messages/{id}", "visibilitytimeout=0", &["popreceipt"]),
    ("PUT", "/{queue}/messages/{id}", "", &["popreceipt", "visibilitytimeout"]),
    ("DELETE", "/{queue}/messages/{id}", "", &["popreceipt"]),
    ("OPTIONS", "/{queue}/messages", "", &[]),
    ("HEAD", "/{queue}", "comp=metadata", &[]),
    ("PATCH", "/{queue}", "comp=none", &[]),
];

const HEADERS: [&str; 10] = [
    "x-ms-version",
    "x-ms-client-request-id",
    "x-ms-meta-a",
    "x-ms-meta-a-b",
    "x-ms-date",
    "content-type",
    "content-md5",
    "origin",
    "access-control-request-method",
    "expect",
];

const VALUES: [&str; 38] = [
    "",
    "0",
    "1",
    "-1",
    "32",
    "33",
    "00001",
    "+5",
    "5.5",
    "1e3",
    "NaN",
    "１２",
    "604800",
    "604801",
    "2147483647",
    "2147483648",
    "9223372036854775808",
    "18446744073709551616",
    "99999999999999999999999999",
    "true",
    "TRUE",
    "null",
    "*",
    "%zz",
    "../..",
    "//",
    "&=;,",
    "<a>&\"'",
    "\u{1}",
    "\u{7f}",
    "é",
    "\u{ffff}",
    "😀",
    "metadata",
    "2021-12-02",
    "AgAAAAMAAAAAAAAAOS1PJpEC2AE=",
    "/////////////////////////////////w==",
    "b8a15c1e-6a3f-4f8e-9c3d-2f1e0d9c8b7a",
];

const BODIES: [&str; 14] = [
    "",
    "<",
    "<a/>",
    "<QueueMessage><MessageText>x</MessageText></QueueMessage>",
    "<QueueMessage><MessageText></MessageText></QueueMessage>",
    "<QueueMessage><MessageText>&#0;&b;</MessageText></QueueMessage>",
    "<QueueMessage><MessageText a=\"1\">x<b/>y</MessageText></QueueMessage>",
    "\u{feff}<QueueMessage><MessageText><![CDATA[]]]]><![CDATA[>]]></MessageText></QueueMessage>",
    "<!DOCTYPE a [<!ENTITY b \"c\">]><QueueMessage><MessageText>&b;</MessageText></QueueMessage>",
    "<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Start>x</Start></AccessPolicy></SignedIdentifier></SignedIdentifiers>",
    "<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>",
    "<StorageServiceProperties><Cors><CorsRule/></Cors></StorageServiceProperties>",
    "<KeyInfo><Expiry>9999-12-31T23:59:59Z</Expiry></KeyInfo>",
    "plain text",
];

/// Puts back what an earlier request may have taken away: a queue, and a message.
pub async fn stock(server: &TestServer) {
    let made = server.request("PUT", "/kept").of(ServiceKind::Queue).send().await;
    assert!([201, 204, 409].contains(&made.status), "{}", made.verdict());
    let put = server.request("POST", "/kept/messages").of(ServiceKind::Queue).body(BODIES[3]).send().await;
    assert_eq!(put.status, 201, "{}", put.verdict());
}

/// Any request to them.
pub fn request(rng: &mut Rng) -> RandomRequest {
    let (method, path, query, parameters) = rng.pick(&OPERATIONS);
    let queue = if rng.roll(10) == 0 { encoded(rng.pick(&VALUES)) } else { rng.pick(&["kept", "kept", "gone"]).to_owned() };
    let mut target = path.replace("{queue}", &queue).replace("{id}", &encoded(rng.pick(&VALUES)));
    target += &format!("?{query}");
    for parameter in parameters {
        target += &format!("&{parameter}={}", encoded(rng.pick(&VALUES)));
    }
    if rng.roll(10) == 0 {
        let any = rng.pick(&["comp", "restype", "resource", "timeout", "maxresults", "popreceipt", "sv", "x"]);
        target += &format!("&{any}={}", encoded(rng.pick(&VALUES)));
    }
    let headers = (0..rng.pick(&[0, 0, 1, 2])).map(|_| (rng.pick(&HEADERS), rng.pick(&VALUES))).collect();
    let body = if matches!(method, "PUT" | "POST") { rng.pick(&BODIES) } else { "" };
    RandomRequest { method, target, headers, body: body.to_owned() }
}
