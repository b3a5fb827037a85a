//! Conditional headers: every kind of operation with every header, met and failed.

use crate::scenario::check_in;
use crate::server::TestServer;

/// A server with a blob `{e}`, last changed ten seconds ago, tagged `k=v`; nothing exists at `none`.
async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server
}

/// How an operation treats conditions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Read,
    Write,
    Create,
    Delete,
}

/// The operations that support conditions: request, further headers, body, success.
fn operations(server: &TestServer) -> Vec<(Kind, &'static str, String, &'static str, &'static str)> {
    use Kind::{Create, Delete, Read, Write};
    let source = format!("x-ms-copy-source: {}/box/source; ", server.blob_url());
    let plain = [
        (Read, "GET /box/b", "", "", "200"),
        (Read, "HEAD /box/b", "", "", "200"),
        (Read, "GET /box/b?comp=metadata", "", "", "200"),
        (Read, "HEAD /box/b?comp=metadata", "", "", "200"),
        (Write, "PUT /box/b?comp=metadata", "", "", "200"),
        (Write, "PUT /box/b?comp=properties", "", "", "200"),
        (Write, "PUT /box/b?comp=lease", "x-ms-lease-action: acquire; x-ms-lease-duration: -1; ", "", "201"),
        (Delete, "DELETE /box/b", "", "", "202"),
        (Create, "PUT /box/b", "x-ms-blob-type: BlockBlob; ", "new", "201"),
        (Create, "PUT /box/b?comp=blocklist", "", "<BlockList/>", "201"),
        (Create, "PUT /box/b", &source, "", "202"),
    ];
    plain.map(|(kind, request, headers, body, success)| (kind, request, headers.to_owned(), body, success)).to_vec()
}

const MET: &str = "met";
const FAILED: &str = "412 ConditionNotMet";
/// The error of Copy Blob for a failed condition on its destination, other than on tags.
const TARGET: &str = "412 TargetConditionNotMet";

#[tokio::test]
async fn every_operation_checks_every_condition() {
    let server = server().await;
    server.blob("/box/source", "source").await;
    let unchanged = "304 ConditionNotMet";
    let many = "400 MultipleConditionHeadersNotSupported";
    // Headers; the answers to a reader, a writer, a creator.
    let table = [
        ("if-match: {e}", [MET, MET, MET]),
        ("if-match: {bare}", [MET, MET, MET]),
        ("if-match: *", [MET, MET, MET]),
        ("if-match: \"0x1\"", [FAILED, FAILED, FAILED]),
        ("if-match: garbage", [FAILED, FAILED, FAILED]),
        ("if-none-match: \"0x1\"", [MET, MET, MET]),
        ("if-none-match: {e}", [unchanged, FAILED, FAILED]),
        ("if-none-match: {bare}", [unchanged, FAILED, FAILED]),
        ("if-none-match: *", ["400 UnsatisfiableCondition", FAILED, "409 BlobAlreadyExists"]),
        // Dates have whole seconds.
        ("if-modified-since: {at-11}", [MET, MET, MET]),
        ("if-modified-since: {at-10}", [unchanged, FAILED, FAILED]),
        ("if-modified-since: {at}", [unchanged, FAILED, FAILED]),
        ("if-unmodified-since: {at-11}", [FAILED, FAILED, FAILED]),
        ("if-unmodified-since: {at-10}", [MET, MET, MET]),
        ("if-unmodified-since: {at}", [MET, MET, MET]),
        ("if-modified-since: yesterday", ["400 InvalidHeaderValue"; 3]),
        ("if-unmodified-since: 2021-01-01", ["400 InvalidHeaderValue"; 3]),
        ("x-ms-if-tags: \"k\" = 'v'", [MET, MET, MET]),
        ("x-ms-if-tags: \"k\" = 'w'", [FAILED, FAILED, FAILED]),
        ("x-ms-if-tags: \"l\" = 'v'", [FAILED, FAILED, FAILED]),
        ("x-ms-if-tags: \"k\" >= 'a' AND \"k\" < 'w'", [MET, MET, MET]),
        ("x-ms-if-tags: \"k\" = 'x' OR \"k\" <> 'w'", [MET, MET, MET]),
        ("x-ms-if-tags: k is v", ["400 InvalidHeaderValue"; 3]),
        // A reader may combine them all.
        ("if-match: {e}; if-unmodified-since: {at-11}", [FAILED, MET, MET]),
        ("if-match: \"0x1\"; if-unmodified-since: {at}", [FAILED, FAILED, FAILED]),
        ("if-none-match: {e}; if-modified-since: {at-11}", [MET, FAILED, FAILED]),
        ("if-none-match: \"0x1\"; if-modified-since: {at}", [MET, MET, MET]),
        ("if-none-match: {e}; if-modified-since: {at}", [unchanged, FAILED, FAILED]),
        ("if-match: {e}; if-none-match: \"0x1\"", [MET, many, many]),
        ("if-match: {e}; if-none-match: {e}", [unchanged, many, many]),
        ("if-match: \"0x1\"; if-none-match: {e}", [FAILED, many, many]),
        ("if-match: {e}; if-modified-since: {at-11}", [MET, many, many]),
        ("if-modified-since: {at-11}; if-unmodified-since: {at}", [MET, many, many]),
        ("if-none-match: \"0x1\"; if-unmodified-since: {at-11}", [FAILED, many, many]),
        ("if-match: \"0x1\", {e}", [MET, many, many]),
        ("if-none-match: \"0x1\", {e}", [unchanged, many, many]),
        ("if-none-match: \"0x1\", \"0x2\"", [MET, many, many]),
        // Tags count with the others.
        ("if-match: {e}; x-ms-if-tags: \"k\" = 'v'", [MET, MET, MET]),
        ("if-match: {e}; x-ms-if-tags: \"k\" = 'w'", [FAILED, FAILED, FAILED]),
        ("if-none-match: {e}; x-ms-if-tags: \"k\" = 'w'", [FAILED, FAILED, FAILED]),
        ("if-none-match: {e}; x-ms-if-tags: \"k\" = 'v'", [unchanged, FAILED, FAILED]),
    ];
    for (kind, request, headers, body, success) in operations(&server) {
        let make = "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: k=v | old → 201 | etag: $e";
        check_in(&server, make).await;
        server.wait(10);
        for (conditions, expected) in table {
            let expected = match kind {
                Kind::Delete if conditions == "if-none-match: *" => MET,
                Kind::Delete => expected[Kind::Write as usize],
                Kind::Read | Kind::Write | Kind::Create => expected[kind as usize],
            };
            let tagged = ["\"k\" = 'w'", "\"l\" = 'v'"].iter().any(|expression| conditions.contains(expression));
            let verdict = match expected {
                MET => success,
                FAILED if headers.contains("copy-source") && !tagged => TARGET,
                _ => expected,
            };
            let etag = server.request("HEAD", "/box/b").send().await.header("etag").to_owned();
            let conditions = conditions.replace("{e}", &etag).replace("{bare}", etag.trim_matches('"'));
            check_in(&server, &format!("{request} | {headers}{conditions} | {body} → {verdict}")).await;
            let now = server.request("HEAD", "/box/b").send().await;
            if expected != MET || kind == Kind::Read || request.contains("lease") {
                assert_eq!(now.header("etag"), etag, "{request} | {conditions} changed the blob");
            } else {
                assert_ne!(now.header("etag"), etag, "{request} | {conditions} did not change the blob");
            }
            if expected == MET && kind != Kind::Read {
                let released = server.request("PUT", "/box/b?comp=lease").headers(&[("x-ms-lease-action", "break")]).send().await;
                assert!([202, 404, 409].contains(&released.status));
                check_in(&server, make).await;
                server.wait(10);
            }
        }
    }
}

#[tokio::test]
async fn a_missing_blob_is_reported_before_failed_conditions() {
    let server = server().await;
    server.blob("/box/source", "source").await;
    let conditions = [
        "if-match: *",
        "if-match: \"0x1\"",
        "if-none-match: *",
        "if-none-match: \"0x1\"",
        "if-modified-since: {at}",
        "if-unmodified-since: {at-60}",
        "x-ms-if-tags: \"k\" = 'v'",
    ];
    for (kind, request, headers, body, success) in operations(&server) {
        for condition in conditions {
            let verdict = match kind {
                Kind::Read | Kind::Write | Kind::Delete => "404 BlobNotFound",
                Kind::Create if condition.starts_with("if-match") && headers.contains("copy-source") => TARGET,
                Kind::Create if condition.starts_with("if-match") => FAILED,
                Kind::Create => success,
            };
            check_in(&server, &format!("{request} | {headers}{condition} | {body} → {verdict}")).await;
            let gone = server.request("DELETE", "/box/b").send().await;
            assert_eq!(gone.status == 202, verdict.len() == 3, "{request} {condition}");
        }
    }
}

#[tokio::test]
async fn blocks_and_containers_ignore_conditions() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/b?comp=block&blockid=QQ== | if-match: \"0x1\" | x → 201
         PUT /box/b?comp=block&blockid=QQ== | if-none-match: * | x → 201
         GET /box?restype=container | if-match: \"0x1\" → 200
         GET /box?restype=container&comp=list | if-none-match: * → 200
         PUT /bin?restype=container | if-match: * → 201",
    )
    .await;
}

#[tokio::test]
async fn a_refused_reader_gets_no_body() {
    let server = server().await;
    let etag = server.blob("/box/b", "x").await;
    let unchanged = server.request("GET", "/box/b").header("if-none-match", &etag).send().await;
    assert_eq!((unchanged.verdict().as_str(), unchanged.text()), ("304 ConditionNotMet", ""));
    assert_eq!(unchanged.header("content-type"), "");
    let failed = server.request("GET", "/box/b").header("if-match", "\"0x1\"").send().await;
    assert_eq!((failed.element("Code"), failed.header("content-type")), ("ConditionNotMet", "application/xml"));
}

#[tokio::test]
async fn a_header_may_be_repeated() {
    let server = server().await;
    let made = server.request("PUT", "/open?restype=container").header("x-ms-blob-public-access", "blob").send().await;
    assert_eq!(made.verdict(), "201");
    let etag = server.blob("/open/b", "x").await;
    let request = |name, values: [&str; 2]| {
        let request = server.request("GET", "/open/b").anonymous();
        request.header(name, values[0]).header(name, values[1]).send()
    };
    assert_eq!(request("if-match", ["\"0x1\"", &etag]).await.verdict(), "200");
    assert_eq!(request("if-match", [&etag, "\"0x1\""]).await.verdict(), "200");
    assert_eq!(request("if-match", ["\"0x1\"", "\"0x2\""]).await.verdict(), FAILED);
    assert_eq!(request("if-none-match", ["\"0x1\"", &etag]).await.verdict(), "304 ConditionNotMet");
    let dates = ["Sat, 01 Jan 2000 00:00:00 GMT", "Sun, 02 Jan 2000 00:00:00 GMT"];
    assert_eq!(request("if-modified-since", dates).await.verdict(), "400 InvalidHeaderValue");
}

/// Delete Blob has conditions on the last change of the tier, and ignores `*` (the SDKs' own tests, and users of the service).
#[tokio::test]
async fn deletion_has_conditions_of_its_own() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201 | etag: $e
         wait 10
         PUT /box/b?comp=tier | x-ms-access-tier: Cool → 200
         wait 10
         DELETE /box/b | x-ms-version: 2026-04-06; x-ms-access-tier-if-modified-since: {at-5} → 412 ConditionNotMet
         DELETE /box/b | x-ms-version: 2026-04-06; x-ms-access-tier-if-unmodified-since: {at-15} → 412 ConditionNotMet
         DELETE /box/b | x-ms-version: 2026-04-06; x-ms-access-tier-if-unmodified-since: soon → 400 InvalidHeaderValue
         DELETE /box/b | if-none-match: {e} → 412 ConditionNotMet
         HEAD /box/b → 200
         DELETE /box/b | x-ms-version: 2026-04-06; x-ms-access-tier-if-modified-since: {at-15}; x-ms-access-tier-if-unmodified-since: {at-5} → 202
         # a tier that was never set is as old as the blob
         PUT /box/b | x-ms-blob-type: BlockBlob | x → 201 | etag: $e
         wait 10
         DELETE /box/b | x-ms-version: 2026-04-06; x-ms-access-tier-if-unmodified-since: {at-20} → 412 ConditionNotMet
         DELETE /box/b | x-ms-version: 2026-02-06; x-ms-access-tier-if-unmodified-since: {at-20} → 202
         PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
         DELETE /box/b | if-none-match: * → 202
         DELETE /box/b | if-none-match: * → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn versions_before_2013_do_not_combine_conditions() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201 | etag: $e
         GET /box/b | x-ms-version: 2012-02-12; if-match: {e}; if-none-match: \"0x1\" → 400
         GET /box/b | x-ms-version: 2013-08-15; if-match: {e}; if-none-match: \"0x1\" → 200",
    )
    .await;
}
