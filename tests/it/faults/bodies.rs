//! Bodies that are too long, too short, in pieces, unwanted or never sent; and their `Content-Length`.

use super::wire::{Wire, head, request, sas};
use super::{Stored, refusal};
use crate::server::VERSION;
use lazuli::ServiceKind;

const PUT: &[(&str, &str)] = &[("x-ms-blob-type", "BlockBlob")];

/// A document over its limit is refused with the limit, by its announced length, before it is sent.
#[tokio::test]
async fn oversized_documents() {
    let stored = Stored::new().await;
    for (target, limit) in [
        ("/kept?restype=container&comp=acl", 64 << 10),
        ("/?restype=service&comp=properties", 64 << 10),
        ("/kept/digits?comp=blocklist", 8 << 20),
    ] {
        let answer = stored.server.request("PUT", target).body(vec![b' '; limit + 1]).send().await;
        assert_eq!(
            (answer.verdict().as_str(), answer.element("MaxLimit")),
            ("413 RequestBodyTooLarge", limit.to_string().as_str())
        );
        refusal(&answer, "PUT", VERSION);
        stored.unchanged(target).await;
    }
}

/// A body over what its version lets a blob or a block have is refused by its announced length; nobody has to send it first.
#[tokio::test]
async fn oversized_blobs() {
    const MIB: u64 = 1 << 20;
    let stored = Stored::new().await;
    for (target, version, limit) in [
        ("/kept/digits", "2021-12-02", 5000 * MIB),
        ("/kept/digits", "2018-11-09", 256 * MIB),
        ("/kept/digits", "2015-04-05", 64 * MIB),
        ("/kept/digits?comp=block&blockid=YWE%3D", "2021-12-02", 4000 * MIB),
        ("/kept/digits?comp=block&blockid=YWE%3D", "2018-11-09", 100 * MIB),
        ("/kept/digits?comp=block&blockid=YWE%3D", "2015-04-05", 4 * MIB),
    ] {
        let join = if target.contains('?') { '&' } else { '?' };
        let lines =
            format!("host: a\r\nx-ms-version: {version}\r\nx-ms-blob-type: BlockBlob\r\ncontent-length: {}\r\n", limit + 1);
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("PUT /devstoreaccount1{target}{join}{} HTTP/1.1\r\n{lines}expect: 100-continue\r\n\r\n", sas())).await;
        let answer = wire.hear("PUT").await.answer;
        assert_eq!((answer.status, answer.element("MaxLimit")), (413, limit.to_string().as_str()), "{target} {version}");
        assert_eq!(refusal(&answer, "PUT", version), "RequestBodyTooLarge");
        assert_eq!(wire.end().await, "", "the rest will not be read, so the connection ends");
    }
    stored.unchanged("an announced body").await;
}

/// A malformed or repeated Content-Length is refused as HTTP, and the connection is closed.
#[tokio::test]
async fn lengths_that_are_none() {
    let stored = Stored::new().await;
    for lines in [
        "content-length: -1\r\n",
        "content-length: +3\r\n",
        "content-length: 0x3\r\n",
        "content-length: 3.0\r\n",
        "content-length: three\r\n",
        "content-length: \r\n",
        "content-length: 3, 4\r\n",
        "content-length: 3\r\ncontent-length: 4\r\n",
        "content-length: 18446744073709551616\r\n",
        "content-length: 99999999999999999999999999\r\n",
        "content-length: 3\r\ntransfer-encoding: gzip\r\n",
        "transfer-encoding: chunked, gzip\r\n",
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{}{lines}\r\nnew", head("PUT", "/kept/digits", PUT, 3))).await;
        let said = wire.stop().await.end().await;
        assert!(said.starts_with("HTTP/1.1 400 "), "{lines}: {said:?}");
        stored.unchanged(lines).await;
    }
}

/// A length that no content can have is refused like any other that is too long.
#[tokio::test]
async fn the_longest_length() {
    let stored = Stored::new().await;
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    wire.say(format!("{}content-length: 18446744073709551600\r\n\r\nnew", head("PUT", "/kept/digits", PUT, 3))).await;
    let answer = wire.hear("PUT").await.answer;
    assert_eq!(answer.status / 100, 4, "{}", answer.text());
    stored.unchanged("the longest length").await;
}

/// Writes need a Content-Length: 411 without, with a chunked body or with none.
#[tokio::test]
async fn no_length() {
    let stored = Stored::new().await;
    for (method, target) in [("PUT", "/kept/digits"), ("PUT", "/other?restype=container"), ("PUT", "/kept/digits?comp=metadata")]
    {
        for (lines, body) in [
            ("", ""),
            ("transfer-encoding: chunked\r\n", "3\r\nnew\r\n0\r\n\r\n"),
            ("transfer-encoding: chunked\r\ncontent-length: 3\r\n", "3\r\nnew\r\n0\r\n\r\n"),
        ] {
            let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
            wire.say(format!("{}{lines}\r\n{body}", head(method, target, PUT, 0))).await;
            let spoken = wire.hear(method).await;
            assert_eq!(spoken.line, "HTTP/1.1 411 Content-Length HTTP header is missing", "{target} {lines}");
            assert_eq!(refusal(&spoken.answer, method, VERSION), "MissingContentLengthHeader");
            stored.unchanged(lines).await;
            // The body is not read as the next request.
            if spoken.answer.header("connection") != "close" {
                wire.say(request("GET", "/kept/digits", &[], "")).await;
                assert_eq!(wire.hear("GET").await.answer.text(), "0123456789", "{target} {lines}");
            }
        }
    }
}

/// Endless or malformed chunks do not delay other requests.
#[tokio::test]
async fn endless_and_broken_chunks() {
    let stored = Stored::new().await;
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    wire.say(format!("{}transfer-encoding: chunked\r\n\r\n", head("PUT", "/kept/digits", PUT, 0))).await;
    // The server reads for a limited time, then answers and closes.
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
    for _ in 0..80 {
        wire.say(&chunk).await;
    }
    wire.stop().await.end().await;
    stored.unchanged("endless chunks").await;

    for chunks in ["zz\r\nnew\r\n", "-3\r\nnew\r\n", "ffffffffffffffffff\r\nnew\r\n", "3\r\nnew", "3\r\nnewer\r\n"] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{}transfer-encoding: chunked\r\n\r\n{chunks}", head("PUT", "/kept/digits", PUT, 0))).await;
        let said = wire.stop().await.end().await;
        assert!(said.starts_with("HTTP/1.1 411 ") || said.starts_with("HTTP/1.1 400 "), "{chunks:?}: {said:?}");
        stored.unchanged(chunks).await;
    }
}

/// A connection that ends in the middle of a body leaves nothing behind.
#[tokio::test]
async fn half_a_body() {
    let stored = Stored::new().await;
    let document = "<BlockList><Latest>YWE=</Latest></BlockList>";
    for (target, body) in [
        ("/kept/digits", "new"),
        ("/kept/new", "new"),
        ("/kept/waiting?comp=block&blockid=YWE%3D", "new"),
        ("/kept/waiting?comp=blocklist", document),
        ("/kept?restype=container&comp=acl", "<SignedIdentifiers/>"),
        ("/?restype=service&comp=properties", "<StorageServiceProperties/>"),
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        let length = body.len() + 100;
        wire.say(format!("{}content-length: {length}\r\n\r\n{body}", head("PUT", target, PUT, length))).await;
        let said = wire.stop().await.end().await;
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 400 "), "{target}: {said:?}");
        stored.unchanged(target).await;
        // Without a TCP shutdown.
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{}content-length: {length}\r\n\r\n{body}", head("PUT", target, PUT, length))).await;
        drop(wire);
        stored.unchanged(target).await;
    }
}

/// What follows the announced length of a body is the next request, and malformed.
#[tokio::test]
async fn more_than_announced() {
    let stored = Stored::new().await;
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    wire.say(format!("{}content-length: 3\r\n\r\nnewGARBAGE\r\n\r\n", head("PUT", "/kept/new", PUT, 3))).await;
    assert_eq!(wire.hear("PUT").await.answer.verdict(), "201");
    assert!(wire.end().await.starts_with("HTTP/1.1 400 "));
    assert_eq!(stored.server.request("GET", "/kept/new").send().await.text(), "new");
}

/// An unneeded body is read, so that the connection remains: that of an operation without a body, and of a refused request.
#[tokio::test]
async fn bodies_that_nobody_reads() {
    let stored = Stored::new().await;
    let body = "x".repeat(8 << 20);
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    for (method, target, headers, verdict) in [
        ("GET", "/kept/digits", &[][..], "200"),
        ("HEAD", "/kept/digits", &[], "200"),
        ("DELETE", "/kept/nothing", &[], "404 BlobNotFound"),
        ("GET", "/kept/digits?comp=foo", &[], "400 InvalidQueryParameterValue"),
        ("PUT", "/nowhere/new", PUT, "404 ContainerNotFound"),
        ("PUT", "/kept/new", &[("x-ms-blob-type", "AppendBlob")], "400 InvalidHeaderValue"),
        ("PUT", "/kept?restype=container", &[], "409 ContainerAlreadyExists"),
        ("PUT", "/kept?restype=container&comp=acl", &[], "413 RequestBodyTooLarge"),
        ("PUT", "/kept/digits", &[("x-ms-blob-type", "BlockBlob"), ("content-md5", "short")], "400 InvalidMd5"),
    ] {
        wire.say(request(method, target, headers, &body)).await;
        let answer = wire.hear(method).await.answer;
        assert_eq!(answer.verdict(), verdict, "{method} {target}");
        assert_eq!(answer.header("connection"), "", "{method} {target}");
        stored.unchanged(target).await;
    }
    wire.say(request("GET", "/kept/digits", &[], "")).await;
    assert_eq!(wire.hear("GET").await.answer.text(), "0123456789", "the connection is still good");
}

/// The size of a body that is too long for every buffer on its way.
const LARGE: usize = 200_000_000;

/// Requests that are refused by their heads, in every service.
fn refused_by_their_heads() -> [(ServiceKind, String, &'static str); 7] {
    let plain = |method: &str, target: &str| {
        format!("{method} /devstoreaccount1{target} HTTP/1.1\r\nhost: a\r\nx-ms-version: {VERSION}\r\n")
    };
    [
        (ServiceKind::Blob, head("PUT", "/nowhere/new", PUT, LARGE), "404 ContainerNotFound"),
        (ServiceKind::Blob, head("PUT", "/kept?restype=container&comp=acl", &[], LARGE), "413 RequestBodyTooLarge"),
        (ServiceKind::Blob, head("PUT", "/kept/digits?comp=foo", PUT, LARGE), "400 InvalidQueryParameterValue"),
        (ServiceKind::Blob, head("PUT", "/kept/new", PUT, 7), "403 AuthenticationFailed"),
        (ServiceKind::Queue, plain("POST", "/queue/messages"), "401 NoAuthenticationInformation"),
        (ServiceKind::Table, plain("POST", "/table"), "401 NoAuthenticationInformation"),
        (ServiceKind::File, plain("PUT", "/share/file?comp=range"), "401 NoAuthenticationInformation"),
    ]
}

/// A client that does not wait for permission, and reads nothing before it has sent 200 MB, reads the refusal then, and goes on.
#[tokio::test]
async fn refusals_are_read_after_sending() {
    let stored = Stored::new().await;
    let piece = vec![b'x'; LARGE / 25];
    for (kind, head, verdict) in refused_by_their_heads() {
        let mut wire = Wire::to(&stored.server, kind).await;
        wire.say(format!("{head}content-length: {LARGE}\r\n\r\n")).await;
        for _ in 0..25 {
            wire.say(&piece).await;
        }
        let answer = wire.hear("PUT").await.answer;
        assert_eq!(answer.verdict(), verdict, "{head}");
        assert_eq!(answer.header("connection"), "", "{head}");
        wire.say("GET /_lazuli/health HTTP/1.1\r\nhost: a\r\n\r\n").await;
        assert_eq!(wire.hear("GET").await.answer.status, 200, "{head}");
    }
    stored.unchanged("large bodies").await;
}

/// A client that looks for an answer while it sends finds the refusal long before the end, and may stop there.
#[tokio::test]
async fn refusals_are_read_while_sending() {
    let stored = Stored::new().await;
    let piece = vec![b'x'; 1 << 20];
    for (kind, head, verdict) in refused_by_their_heads() {
        let mut wire = Wire::to(&stored.server, kind).await;
        wire.say(format!("{head}content-length: {LARGE}\r\n\r\n")).await;
        let mut sent = 0;
        while !wire.is_spoken_to() {
            wire.say(&piece).await;
            sent += piece.len();
            assert!(sent < LARGE, "nothing was said: {head}");
        }
        assert_eq!(wire.hear("PUT").await.answer.verdict(), verdict, "{head}");
    }
    stored.unchanged("large bodies").await;
}

/// A client that expects 100 Continue, and sends without waiting for it, reads the refusal all the same: the server closes the
/// connection after the client has sent everything.
#[tokio::test]
async fn refusals_are_read_by_the_impatient() {
    let stored = Stored::new().await;
    let piece = vec![b'x'; LARGE / 25];
    for (kind, head, verdict) in refused_by_their_heads() {
        let mut wire = Wire::to(&stored.server, kind).await;
        wire.say(format!("{head}content-length: {LARGE}\r\nexpect: 100-continue\r\n\r\n")).await;
        for _ in 0..25 {
            wire.say(&piece).await;
        }
        let answer = wire.hear("PUT").await.answer;
        assert_eq!((answer.verdict().as_str(), answer.header("connection")), (verdict, "close"), "{head}");
        assert_eq!(wire.end().await, "", "{head}");
    }
    stored.unchanged("large bodies").await;
}

/// After a refused body in chunks the connection still knows how metadata names are written.
#[tokio::test]
async fn names_keep_their_case_after_chunks() {
    let stored = Stored::new().await;
    for chunks in ["0\r\n\r\n", "3\r\nnew\r\n0\r\n\r\n", "A ;x=\"y\"\r\n0123456789\r\n1\r\n\n\r\n0\r\nx-trailer: z\r\n\r\n"] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{}transfer-encoding: chunked\r\n\r\n{chunks}", head("PUT", "/kept/digits", PUT, 0))).await;
        assert_eq!(wire.hear("PUT").await.answer.verdict(), "411 MissingContentLengthHeader");
        let lines =
            "host: a\r\nx-ms-version: 2021-12-02\r\nx-ms-blob-type: BlockBlob\r\nx-ms-meta-CamelCase: 1\r\ncontent-length: 1";
        wire.say(format!("PUT /devstoreaccount1/kept/camel?{} HTTP/1.1\r\n{lines}\r\n\r\nx", sas())).await;
        assert_eq!(wire.hear("PUT").await.answer.verdict(), "201", "{chunks:?}");
        wire.say(format!("{}connection: close\r\n\r\n", head("HEAD", "/kept/camel", &[], 0))).await;
        let said = wire.end().await;
        assert!(said.contains("\r\nx-ms-meta-CamelCase: 1\r\n"), "{chunks:?}: {said}");
    }
}
