//! Heads that no client library sends.

use super::wire::{Wire, head, request, sas};
use super::{Stored, refusal};
use crate::server::VERSION;
use lazuli::ServiceKind;

/// Bytes that are not HTTP are refused and the connection is closed. The next connection is not affected.
#[tokio::test]
async fn garbage() {
    let stored = Stored::new().await;
    let mut hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec();
    hello.extend([7; 500]);
    let get = "GET /devstoreaccount1/kept/digits";
    let heads: Vec<Vec<u8>> = vec![
        b"hello\r\n\r\n".to_vec(),
        b"\0\0\0\0\r\n\r\n".to_vec(),
        vec![0xff; 1000],
        hello,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET /\r\n\r\n".to_vec(),
        format!("{get} HTTP/2.0\r\n\r\n").into_bytes(),
        format!("{get} HTTP/9.9\r\nhost: a\r\n\r\n").into_bytes(),
        format!("{get} HTTP/1.1 extra\r\nhost: a\r\n\r\n").into_bytes(),
        format!("{get} HTTP/1.1\r\nno colon here\r\n\r\n").into_bytes(),
        format!("{get} HTTP/1.1\r\n: no name\r\n\r\n").into_bytes(),
        format!("{get} HTTP/1.1\r\nna me: x\r\n\r\n").into_bytes(),
        format!("{get} HTTP/1.1\r\nhost: a\r\n folded: x\r\n\r\n").into_bytes(),
        format!("{get} HTTP/1.1\r\nhost: a\0b\r\n\r\n").into_bytes(),
        format!("G@T /{} HTTP/1.1\r\n\r\n", "a")
            .into_bytes()
            .into_iter()
            .map(|byte| if byte == b'@' { 0 } else { byte })
            .collect(),
    ];
    for bytes in heads {
        let row = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(&bytes).await;
        let said = wire.stop().await.end().await;
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 400 ") || said.starts_with("HTTP/1.1 505 "), "{row:?}: {said:?}");
        assert!(!said.contains("0123456789"), "{row:?}");
        stored.unchanged(&row).await;
    }
}

/// Heads over the limits are refused.
#[tokio::test]
async fn huge_heads() {
    let stored = Stored::new().await;
    let many: String = (0..5000).map(|n| format!("x-h{n}: v\r\n")).collect();
    let long = format!("x-long: {}\r\n", "v".repeat(1 << 20));
    for (path, headers) in [
        (format!("/devstoreaccount1/kept/{}", "a".repeat(1 << 20)), String::new()),
        (format!("/devstoreaccount1/kept/digits?x={}", "a".repeat(70_000)), String::new()),
        ("/devstoreaccount1/kept/digits".to_owned(), many),
        ("/devstoreaccount1/kept/digits".to_owned(), long),
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("DELETE {path}?{} HTTP/1.1\r\nhost: a\r\n{headers}\r\n", sas())).await;
        let said = wire.stop().await.end().await;
        let refused = ["414", "431", "400"].iter().any(|status| said.starts_with(&format!("HTTP/1.1 {status} ")));
        // A client that is still sending may find the connection reset instead.
        assert!(refused || said.is_empty(), "{path:.60}: {said:?}");
        stored.unchanged("a huge head").await;
    }
    // The most metadata is accepted: eight kibibytes in short pairs.
    let pairs: Vec<(String, String)> = (0..800).map(|n| (format!("x-ms-meta-n{n}"), "v".to_owned())).collect();
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let put = stored.server.request("PUT", "/kept/many").header("x-ms-blob-type", "BlockBlob").headers(&pairs).send().await;
    assert_eq!(put.verdict(), "201");
}

/// A header that is read and is not text is refused by its name; it does not count as absent.
#[tokio::test]
async fn bytes_that_are_not_text() {
    let stored = Stored::new().await;
    for (name, code) in [
        ("if-match", "InvalidHeaderValue"),
        ("if-none-match", "InvalidHeaderValue"),
        ("if-unmodified-since", "InvalidHeaderValue"),
        ("x-ms-if-tags", "InvalidHeaderValue"),
        ("x-ms-lease-id", "InvalidHeaderValue"),
        ("content-md5", "InvalidHeaderValue"),
        ("x-ms-tags", "InvalidHeaderValue"),
        ("x-ms-access-tier", "InvalidHeaderValue"),
        ("content-type", "InvalidHeaderValue"),
        ("x-ms-copy-source", "InvalidHeaderValue"),
        ("x-ms-meta-name", "InvalidMetadata"),
    ] {
        let path = format!("/devstoreaccount1/kept/digits?{}", sas());
        let lines = format!("host: a\r\nx-ms-version: {VERSION}\r\nx-ms-blob-type: BlockBlob\r\ncontent-length: 3\r\n{name}: ");
        let mut bytes = format!("PUT {path} HTTP/1.1\r\n{lines}").into_bytes();
        bytes.extend(b"caf\xe9\r\n\r\nnew");
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        let answer = wire.say(&bytes).await.hear("PUT").await.answer;
        assert_eq!(refusal(&answer, "PUT", VERSION), code, "{name}: {}", answer.text());
        if code == "InvalidHeaderValue" {
            assert_eq!(answer.element("HeaderName"), name);
        }
        stored.unchanged(name).await;
    }
    // A header that is not read may have any value.
    let mut bytes = head("GET", "/kept/digits", &[], 0).into_bytes();
    bytes.extend(b"user-agent: caf\xe9\r\n\r\n");
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    assert_eq!(wire.say(&bytes).await.hear("GET").await.answer.verdict(), "200");
}

/// Paths and queries with raw bytes, which a URL cannot have.
#[tokio::test]
async fn raw_bytes_in_the_url() {
    let stored = Stored::new().await;
    for url in [
        &b"/devstoreaccount1/kept/caf\xe9"[..],
        b"/devstoreaccount1/kept/digits?comp=caf\xe9",
        b"/\xff\xfe",
        b"/devstoreaccount1/kept/a\x01b",
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        let mut bytes = b"PUT ".to_vec();
        bytes.extend(url);
        bytes.extend(b" HTTP/1.1\r\nhost: a\r\nx-ms-blob-type: BlockBlob\r\ncontent-length: 3\r\n\r\nnew");
        let said = wire.say(&bytes).await.stop().await.end().await;
        assert!(said.starts_with("HTTP/1.1 400 "), "{:?}: {said:?}", String::from_utf8_lossy(url));
        stored.unchanged("a raw URL").await;
    }
}

/// Unusual but valid HTTP is accepted.
#[tokio::test]
async fn odd_and_right() {
    let stored = Stored::new().await;
    let signed = head("GET", "/kept/digits", &[], 0);
    let without_host = signed.replace("host: 127.0.0.1\r\n", "");
    let host = stored.server.host(ServiceKind::Blob);
    for (row, text, line) in [
        ("HTTP/1.0", signed.replace("HTTP/1.1", "HTTP/1.0"), "HTTP/1.0 200 OK"),
        ("HTTP/1.0 without a host", without_host.replace("HTTP/1.1", "HTTP/1.0"), "HTTP/1.0 200 OK"),
        ("absolute form", signed.replacen("GET /", &format!("GET http://{host}/"), 1), "HTTP/1.1 200 OK"),
        ("a blank line before", format!("\r\n{signed}"), "HTTP/1.1 200 OK"),
        ("an odd host", signed.replace("host: 127.0.0.1", "host: %%%:99999:[]"), "HTTP/1.1 200 OK"),
        (
            "names in any case",
            signed.replace("x-ms-date", "X-MS-Date").replace("authorization", "AUTHORIZATION"),
            "HTTP/1.1 200 OK",
        ),
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{text}\r\n")).await;
        let spoken = wire.hear("GET").await;
        assert_eq!((spoken.line.as_str(), spoken.answer.text()), (line, "0123456789"), "{row}");
    }
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    wire.say(format!("{}\r\n", signed.replace("HTTP/1.1", "HTTP/1.0"))).await;
    wire.hear("GET").await;
    assert_eq!(wire.end().await, "", "an old client learns the end of an answer from the end of the connection");
}

/// Targets that are no path.
#[tokio::test]
async fn targets_that_are_no_path() {
    let stored = Stored::new().await;
    for (line, statuses) in [
        ("OPTIONS * HTTP/1.1", &[400][..]),
        ("CONNECT 127.0.0.1:80 HTTP/1.1", &[400]),
        ("GET http://devstoreaccount1.blob.localhost/ HTTP/1.1", &[400]),
        ("GET / HTTP/1.1", &[400]),
        ("GET // HTTP/1.1", &[400]),
        ("GET /? HTTP/1.1", &[400]),
        ("GET /nobody/c/b HTTP/1.1", &[404]),
        ("GET /favicon.ico HTTP/1.1", &[404]),
        ("GET /devstoreaccount1/../../etc/passwd HTTP/1.1", &[400, 404]),
        ("GET /_lazuli/clock HTTP/1.1", &[403]),
    ] {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        wire.say(format!("{line}\r\nhost: a\r\nx-ms-version: {VERSION}\r\n\r\n")).await;
        let answer = wire.hear("GET").await.answer;
        assert!(statuses.contains(&answer.status), "{line}: {} {}", answer.verdict(), answer.text());
    }
}

/// Requests sent without waiting are answered in their order, those after a refusal too.
#[tokio::test]
async fn pipelined() {
    let stored = Stored::new().await;
    let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
    let put = request("PUT", "/kept/new", &[("x-ms-blob-type", "BlockBlob")], "new");
    let all = [
        request("GET", "/kept/new", &[], ""),
        put,
        request("GET", "/kept/new", &[], ""),
        request("PUT", "/kept/new?comp=foo", &[("x-ms-blob-type", "BlockBlob")], "other"),
        request("HEAD", "/kept/new", &[], ""),
        request("GET", "/kept/new", &[], ""),
    ];
    wire.say(all.concat()).await;
    for (method, verdict, text) in [
        ("GET", "404 BlobNotFound", None),
        ("PUT", "201", Some("")),
        ("GET", "200", Some("new")),
        ("PUT", "400 InvalidQueryParameterValue", None),
        ("HEAD", "200", Some("")),
        ("GET", "200", Some("new")),
    ] {
        let answer = wire.hear(method).await.answer;
        assert_eq!(answer.verdict(), verdict, "{method}");
        assert!(text.is_none_or(|text| answer.text() == text), "{method} {}", answer.text());
    }
    assert!(wire.is_silent());
}
