//! Structured messages: bodies with their own checksums, in requests and answers.

use crate::scenario::check_in;
use crate::server::{Answer, TestServer};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The CRC-64/NVME of bytes.
fn crc64(bytes: &[u8]) -> u64 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc64Nvme, bytes)
}

/// The CRC-64 of bytes as a header has it.
fn crc64_text(bytes: &[u8]) -> String {
    STANDARD.encode(crc64(bytes).to_le_bytes())
}

/// The only kind of structured messages.
const KIND: &str = "XSM/1.0; properties=crc64";

type Headers<'a> = &'a [(&'a str, &'a str)];

/// The first version that supports them.
const VERSION: &str = "2025-01-05";

/// The message of these segments, encoded independently of the server's code.
pub fn message(segments: &[&[u8]]) -> Vec<u8> {
    let content = segments.concat();
    let length = 13 + 18 * segments.len() + content.len() + 8;
    let mut message = vec![1];
    message.extend((length as u64).to_le_bytes());
    message.extend([1, 0]);
    message.extend((segments.len() as u16).to_le_bytes());
    for (at, segment) in segments.iter().enumerate() {
        message.extend((at as u16 + 1).to_le_bytes());
        message.extend((segment.len() as u64).to_le_bytes());
        message.extend(*segment);
        message.extend(crc64(segment).to_le_bytes());
    }
    message.extend(crc64(&content).to_le_bytes());
    message
}

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server
}

async fn put(server: &TestServer, target: &str, headers: Headers<'_>, length: usize, body: Vec<u8>) -> Answer {
    let request = server.request("PUT", target).header("x-ms-version", VERSION).headers(headers);
    request.header("x-ms-structured-body", KIND).header("x-ms-structured-content-length", length).body(body).send().await
}

const BLOCK: Headers<'_> = &[("x-ms-blob-type", "BlockBlob")];

#[tokio::test]
async fn every_write_with_content_accepts_a_structured_message() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/append | x-ms-blob-type: AppendBlob → 201
         PUT /box/pages | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 1024 → 201",
    )
    .await;
    let page = [[7u8; 500].as_slice(), &[8u8; 12]].concat();
    let ranged = [("x-ms-page-write", "update"), ("x-ms-range", "bytes=512-1023")];
    let cases: [(&str, Headers<'_>, Vec<&[u8]>); 4] = [
        ("/box/block", BLOCK, vec![b"hello ", b"world"]),
        ("/box/staged?comp=block&blockid=AAAA", &[], vec![b"hello", b" world"]),
        ("/box/append?comp=appendblock", &[], vec![b"hello world"]),
        ("/box/pages?comp=page", &ranged, vec![&page[..500], &page[500..]]),
    ];
    for (target, headers, segments) in cases {
        let content = segments.concat();
        let answer = put(&server, target, headers, content.len(), message(&segments)).await;
        assert_eq!(answer.verdict(), "201", "{target}: {}", answer.text());
        assert_eq!(answer.header("x-ms-structured-body"), KIND, "{target}");
        // Writes of pages answer with the MD5 instead.
        let crc64 = if target.ends_with("=page") { String::new() } else { crc64_text(&content) };
        assert_eq!(answer.header("x-ms-content-crc64"), crc64, "{target}");
    }
    check_in(
        &server,
        "PUT /box/staged?comp=blocklist | | <BlockList><Latest>AAAA</Latest></BlockList> → 201
         GET /box/block → 200 | content-length: 11; content-md5: XrY7u+Ae7tCTyyK7j1rNww== | hello world
         GET /box/staged → 200 | | hello world
         GET /box/append → 200 | | hello world
         GET /box/pages | x-ms-range: bytes=1010-1023 → 206 | | \u{7}\u{7}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}",
    )
    .await;
}

#[tokio::test]
async fn a_large_structured_message_is_decoded_as_a_stream() {
    let server = server().await;
    let segment: Vec<u8> = (0..3_000_000u32).map(|at| (at % 251) as u8).collect();
    let segments = [&segment[..], &segment[..1_234_567], &segment[1..]];
    let content = segments.concat();
    assert_eq!(put(&server, "/box/b", BLOCK, content.len(), message(&segments)).await.verdict(), "201");
    assert_eq!(server.request("GET", "/box/b").send().await.body, content);
    // The answer has segments of 4 MiB, as the service's.
    let request = server.request("GET", "/box/b").header("x-ms-version", VERSION).header("x-ms-structured-body", KIND);
    let answer = request.send().await;
    let (first, rest) = content.split_at(4 << 20);
    assert_eq!((answer.status, answer.body), (200, message(&[first, rest]).into()));
}

#[tokio::test]
async fn an_invalid_structured_message_writes_nothing() {
    let server = server().await;
    let good = message(&[b"hello ", b"world"]);
    let mut changed = good.clone();
    changed[13 + 10] = b'j';
    let answer = put(&server, "/box/b", BLOCK, 11, changed).await;
    assert_eq!(answer.verdict(), "400 Crc64Mismatch");
    let (stated, found) = (crc64_text(b"hello "), crc64_text(b"jello "));
    assert_eq!((answer.element("UserSpecifiedCrc"), answer.element("ServerCalculatedCrc")), (&*stated, &*found));
    let mut trailing = good.clone();
    *trailing.last_mut().unwrap() ^= 1;
    assert_eq!(put(&server, "/box/b", BLOCK, 11, trailing).await.verdict(), "400 Crc64Mismatch");
    for (body, length, verdict) in [
        (good[..good.len() - 8].to_vec(), 11, "400 InvalidInput"),
        ([&good[..], b"more"].concat(), 11, "400 InvalidInput"),
        (b"hello world".to_vec(), 11, "400 InvalidInput"),
        (Vec::new(), 0, "400 InvalidInput"),
        (good.clone(), 12, "400 InvalidHeaderValue"),
        (good.clone(), good.len(), "400 InvalidHeaderValue"),
        (good.clone(), 6 << 30, "413 RequestBodyTooLarge"),
    ] {
        assert_eq!(put(&server, "/box/b", BLOCK, length, body).await.verdict(), verdict, "{length}");
    }
    // An empty block is refused, in a structured message too.
    for target in ["/box/b?comp=block&blockid=AAAA", "/box/b?comp=appendblock"] {
        assert_eq!(put(&server, target, &[], 0, message(&[b""])).await.verdict(), "400 InvalidHeaderValue", "{target}");
    }
    let pages = [("x-ms-blob-type", "PageBlob"), ("x-ms-blob-content-length", "512")];
    let clear = [("x-ms-page-write", "clear"), ("x-ms-range", "bytes=0-511")];
    for (target, headers) in [("/box/b", &pages), ("/box/b?comp=page", &clear)] {
        assert_eq!(put(&server, target, headers, 0, Vec::new()).await.verdict(), "400 UnsupportedHeader", "{target}");
    }
    check_in(
        &server,
        "# what is not such a message, or no business of the operation
         PUT /box/b | x-ms-version: 2025-01-05; x-ms-blob-type: BlockBlob; x-ms-structured-body: XSM/1.0 | x → 400 InvalidHeaderValue | | ~<HeaderName>x-ms-structured-body<
         PUT /box/b | x-ms-version: 2025-01-05; x-ms-blob-type: BlockBlob; x-ms-structured-content-length: 1 | x → 400 MissingRequiredHeader | | ~<HeaderName>x-ms-structured-body<
         PUT /box/b?comp=snapshot | x-ms-version: 2025-01-05; x-ms-structured-body: x → 400 UnsupportedHeader
         GET /box?restype=container&comp=list → 200 | | !<Blob>",
    )
    .await;
    let none =
        server.request("PUT", "/box/b").header("x-ms-version", VERSION).header("x-ms-structured-body", KIND).headers(BLOCK);
    assert_eq!(none.body(good.clone()).send().await.verdict(), "400 MissingRequiredHeader");
    let early =
        server.request("PUT", "/box/b").header("x-ms-version", "2024-11-04").header("x-ms-structured-body", KIND).headers(BLOCK);
    assert_eq!(early.header("x-ms-structured-content-length", 11).body(good).send().await.verdict(), "400 UnsupportedHeader");
}

#[tokio::test]
async fn checksums_are_those_of_the_content() {
    let server = server().await;
    let body = message(&[b"hello world"]);
    let right = crc64_text(b"hello world");
    let wrong = crc64_text(&body);
    for (name, value, verdict) in [
        ("x-ms-content-crc64", &*right, "201"),
        ("x-ms-content-crc64", &*wrong, "400 Crc64Mismatch"),
        ("content-md5", "XrY7u+Ae7tCTyyK7j1rNww==", "201"),
        ("content-md5", "jZ0KWGQraqYHX42NEbH9Vg==", "400 Md5Mismatch"),
    ] {
        let headers = [BLOCK[0], (name, value)];
        assert_eq!(put(&server, "/box/b", &headers, 11, body.clone()).await.verdict(), verdict, "{name}: {value}");
    }
}

#[tokio::test]
async fn readers_can_request_a_structured_message() {
    let server = server().await;
    server.blob("/box/b", "hello world").await;
    server.blob("/box/none", "").await;
    let get = |target: &'static str, headers: &'static [(&'static str, &'static str)]| {
        server.request("GET", target).header("x-ms-version", VERSION).header("x-ms-structured-body", KIND).headers(headers)
    };
    let cases: [(&str, Headers<'_>, u16, &[u8]); 4] = [
        ("/box/b", &[], 200, b"hello world"),
        ("/box/b", &[("x-ms-range", "bytes=6-")], 206, b"world"),
        ("/box/b", &[("range", "bytes=0-4"), ("x-ms-range-get-content-crc64", "true")], 206, b"hello"),
        ("/box/none", &[], 200, b""),
    ];
    for (target, headers, status, content) in cases {
        let answer = get(target, headers).send().await;
        let wanted = message(&[content]);
        assert_eq!((answer.status, &answer.body[..]), (status, &wanted[..]), "{target} {headers:?}");
        assert_eq!(answer.header("x-ms-structured-body"), KIND);
        assert_eq!(answer.header("x-ms-structured-content-length"), content.len().to_string());
        assert_eq!(answer.header("content-length"), wanted.len().to_string());
        if headers.len() == 2 {
            assert_eq!(answer.header("x-ms-content-crc64"), crc64_text(content));
            assert_eq!(answer.header("content-range"), "bytes 0-4/11");
        }
    }
    let head = server.request("HEAD", "/box/b").header("x-ms-version", VERSION).header("x-ms-structured-body", KIND).send().await;
    assert_eq!((head.header("content-length"), head.header("x-ms-structured-body")), ("11", ""));
    let other = server.request("GET", "/box/b").header("x-ms-version", VERSION).header("x-ms-structured-body", "XSM/1.0");
    assert_eq!(other.send().await.verdict(), "400 InvalidHeaderValue");
    let early = server.request("GET", "/box/b").header("x-ms-version", "2024-11-04").header("x-ms-structured-body", KIND);
    assert_eq!(early.send().await.verdict(), "400 UnsupportedHeader");
    let range = get("/box/b", &[("x-ms-range", "bytes=11-")]).send().await;
    assert_eq!((range.verdict().as_str(), range.header("content-range")), ("416 InvalidRange", "bytes */11"));
}
