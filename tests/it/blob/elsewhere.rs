//! Copies from other servers that complete before the answer: from another Lazuli, and from a scripted web server.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::{Answer, TestServer};
use crate::web::{Web, ok};
use lazuli::ServiceKind;

/// One of them: the target in the container `box`, headers of its own, the status of success.
type Each = (&'static str, &'static [(&'static str, &'static str)], u16);

/// The five of them.
const ALL: [Each; 5] = [
    ("b", &[("x-ms-blob-type", "BlockBlob")], 201),
    ("b", &[("x-ms-requires-sync", "true")], 202),
    ("b?comp=block&blockid=QQ==", &[], 201),
    ("a?comp=appendblock", &[], 201),
    ("p?comp=page", &[("x-ms-page-write", "update"), ("x-ms-range", "bytes=0-511")], 201),
];

/// A server with a destination for each of them.
async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/a | x-ms-blob-type: AppendBlob → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | old → 201
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 1024 → 201",
    )
    .await;
    server
}

/// Performs one of them from a URL, with more headers.
async fn copy(server: &TestServer, each: &Each, url: &str, headers: &[(&str, &str)]) -> Answer {
    let (target, own, _) = each;
    let request = server.request("PUT", &format!("/box/{target}")).headers(own).header("x-ms-copy-source", url);
    request.headers(headers).send().await
}

/// Performs all of them, each with the same answer of the source. None may change anything.
async fn all_refuse(server: &TestServer, web: &Web, headers: &[(&str, &str)], answer: &str, verdict: &str) {
    for each in &ALL {
        let url = web.url("/source");
        let (got, _) = tokio::join!(copy(server, each, &url, headers), web.answer(answer));
        // Put Blob From URL has an error code of its own for a failed condition on its source.
        let conditional = headers.iter().any(|(name, _)| name.starts_with("x-ms-source-if-"));
        let named = conditional && each.1 == ALL[0].1;
        assert_eq!(
            got.verdict(),
            if named { "412 SourceConditionNotMet" } else { verdict },
            "{:?} {answer}: {}",
            each.0,
            got.text()
        );
    }
    check_in(
        server,
        "GET /box/b → 200 | | old
         GET /box/b?comp=blocklist&blocklisttype=uncommitted → 200 | | ~<UncommittedBlocks />
         HEAD /box/a → 200 | content-length: 0
         GET /box/p?comp=pagelist → 200 | | ~<PageList />",
    )
    .await;
}

#[tokio::test]
async fn sources_in_another_account_of_another_server_are_read() {
    let (there, here) = (TestServer::new().await, server().await);
    there.container("box").await;
    check_in(
        &there,
        "PUT /box/source | x-ms-blob-type: BlockBlob; content-type: text/plain; content-language: fr; x-ms-meta-a: 1; x-ms-tags: k=v | {512*x} → 201
         PUT /box/secret | x-ms-blob-type: BlockBlob | secret → 201",
    )
    .await;
    let url = format!("{}/box/source?{}", there.blob_url(), token::reader("box"));
    for each in &ALL {
        let got = copy(&here, each, &url, &[]).await;
        assert_eq!(got.status, each.2, "{}: {}", each.0, got.text());
    }
    check_in(
        &here,
        &format!(
            "GET /box/b → 200 | content-type: text/plain; content-language: fr; x-ms-meta-a: 1; x-ms-tag-count: -; x-ms-copy-source: {}; x-ms-copy-progress: 512/512 | {{512*x}}
             PUT /box/b?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
             GET /box/b → 200 | | {{512*x}}
             GET /box/a → 200 | | {{512*x}}
             GET /box/p | x-ms-range: bytes=0-511 → 206 | | {{512*x}}
             # each operation copies properties, metadata and tags in its way
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}; x-ms-copy-source-tag-option: COPY → 201
             GET /box/b → 200 | content-type: text/plain; x-ms-meta-a: 1; x-ms-tag-count: 1; x-ms-copy-id: - | {{512*x}}
             GET /box/b?comp=tags → 200 | | ~<Key>k</Key><Value>v</Value>
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}; x-ms-copy-source-blob-properties: false; x-ms-meta-b: 2 → 201
              HEAD /box/b → 200 | content-type: application/octet-stream; content-md5: +; x-ms-meta-a: -; x-ms-meta-b: 2; x-ms-tag-count: -
             # a part
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}; x-ms-source-range: bytes=508-9999 → 201
             GET /box/b → 200 | | xxxx
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}; x-ms-source-range: bytes=512-600 → 416 CannotVerifyCopySource
             # without permission to read the source, or without a source
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {there}/box/secret → 401 CannotVerifyCopySource
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {url}x → 403 CannotVerifyCopySource | | ~Server failed to authenticate the request.
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-copy-source: {there}/box/none?{reader} → 404 CannotVerifyCopySource | | ~The specified blob does not exist.
             GET /box/b → 200 | | xxxx",
            url.split("&sig=").next().unwrap(),
            there = there.blob_url(),
            reader = token::reader("box"),
        )
    )
    .await;
}

#[tokio::test]
async fn tags_are_requested_separately() {
    let (server, web) = (server().await, Web::open().await);
    let url = web.url("/source?sig=x");
    let set = "<Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags>";
    let page = ok("ETag: \"a\"", "content");
    for (answer, verdict) in [(ok("", set), "201"), (ok("", "no tags"), "409"), ("HTTP/1.1 403 No\n\n".to_owned(), "403")] {
        let headers = [("x-ms-copy-source-tag-option", "COPY"), ("x-ms-source-if-match", "\"a\"")];
        let source = async {
            let mut content = web.exchange().await;
            content.say(&page).await;
            web.answer(&answer).await
        };
        let (got, head) = tokio::join!(copy(&server, &ALL[0], &url, &headers), source);
        assert!(got.verdict().starts_with(verdict), "{answer}: {}", got.text());
        assert!(
            head.starts_with("GET /source?sig=x&comp=tags HTTP/1.1\r\n") && !head.to_lowercase().contains("if-match"),
            "{head}"
        );
    }
    check_in(&server, "GET /box/b?comp=tags → 200 | | ~<Key>k</Key><Value>v</Value>").await;
}

/// A source is found by any of the names of its server.
#[tokio::test]
async fn this_server_is_recognized_by_another_name() {
    let server = server().await;
    check_in(&server, "PUT /box/source | x-ms-blob-type: BlockBlob | {512*y} → 201").await;
    let host = server.host(ServiceKind::Blob).replace("127.0.0.1", "localhost");
    for each in &ALL {
        let got = copy(&server, each, &format!("http://{host}/devstoreaccount1/box/source?{}", token::reader("box")), &[]).await;
        assert_eq!(got.status, each.2, "{}: {}", each.0, got.text());
    }
    check_in(&server, "GET /box/a → 200 | | {512*y}").await;
}

#[tokio::test]
async fn the_request_for_a_source_has_the_forwarded_headers() {
    let (server, web) = (server().await, Web::open().await);
    let key = "bytes=0-1";
    let url = web.url("/some/page?sig=a%2Bb&x=1");
    for each in &ALL {
        let headers = [
            ("x-ms-source-range", key),
            ("x-ms-source-if-match", "\"e\""),
            ("x-ms-source-if-none-match", "\"f\""),
            ("x-ms-source-if-modified-since", "Thu, 09 May 2019 00:53:11 GMT"),
            ("x-ms-source-if-unmodified-since", "Thu, 09 May 2019 00:53:12 GMT"),
            ("x-ms-copy-source-authorization", "Bearer token"),
            ("x-ms-file-request-intent", "backup"),
            ("x-ms-source-encryption-key", "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="),
            ("x-ms-source-encryption-key-sha256", "O6P19DuSYCaDwZruYqIDQrCE3Vlx3dM4CNgaMoh5pUc="),
            ("x-ms-source-encryption-algorithm", "AES256"),
        ];
        let (got, head) = tokio::join!(copy(&server, each, &url, &headers), web.answer("HTTP/1.1 403 No\n\n"));
        assert_eq!(got.verdict(), "403 CannotVerifyCopySource");
        let head = head.to_lowercase();
        assert!(head.starts_with("get /some/page?sig=a%2bb&x=1 http/1.1\r\n"), "{head}");
        assert_eq!(head.contains("\r\nrange: bytes=0-1\r\n"), each.1 != ALL[1].1, "{head}");
        for line in [
            "if-match: \"e\"",
            "if-none-match: \"f\"",
            "if-modified-since: thu, 09 may 2019 00:53:11 gmt",
            "if-unmodified-since: thu, 09 may 2019 00:53:12 gmt",
            "authorization: bearer token",
            "x-ms-file-request-intent: backup",
            "x-ms-encryption-key: ywfhywfhywfhywfhywfhywfhywfhywfhywfhywfhywe=",
            "x-ms-encryption-key-sha256: o6p19dusycadwzruyqidqrce3vlx3dm4cngamoh5puc=",
            "x-ms-encryption-algorithm: aes256",
            "x-ms-version: 2021-12-02",
        ] {
            assert!(head.contains(&format!("\r\n{line}\r\n")), "{line:?} is not in {head}");
        }
        assert!(!head.contains("sharedkey") && !head.contains("x-ms-copy-source"), "{head}");
    }
}

#[tokio::test]
async fn refusals_of_a_source_become_refusals_of_the_copy() {
    let (server, web) = (server().await, Web::open().await);
    for (answer, verdict) in [
        ("HTTP/1.1 404 Not Found\nContent-Length: 4\n\ngone", "404 CannotVerifyCopySource"),
        ("HTTP/1.1 403 Forbidden\n\n", "403 CannotVerifyCopySource"),
        ("HTTP/1.1 409 Conflict\n\n", "409 CannotVerifyCopySource"),
        ("HTTP/1.1 429 Slow Down\n\n", "429 CannotVerifyCopySource"),
        ("HTTP/1.1 412 Precondition Failed\n\n", "412 CannotVerifyCopySource"),
        ("HTTP/1.1 304 Not Modified\n\n", "304 CannotVerifyCopySource"),
        ("HTTP/1.1 500 Oh\n\n", "500 CannotVerifyCopySource"),
        ("HTTP/1.1 503 Busy\n\n", "500 CannotVerifyCopySource"),
        // Redirects are not followed, and no other status has content.
        ("HTTP/1.1 302 Found\nLocation: /elsewhere\n\n", "409 CannotVerifyCopySource"),
        ("HTTP/1.1 204 No Content\n\n", "409 CannotVerifyCopySource"),
        ("HTTP/1.1 206 Partial Content\nContent-Range: bytes 0-1/9\nContent-Length: 2\n\nab", "409 CannotVerifyCopySource"),
        // A connection that breaks off does not shorten the content.
        ("HTTP/1.1 200 OK\nContent-Length: 9\n\nshort", "500 CannotVerifyCopySource"),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nshort\n", "500 CannotVerifyCopySource"),
        ("HTTP/1.1 200 OK\nContent-Length: 9\nContent-Length: 8\n\nlengths!!", "500 CannotVerifyCopySource"),
        ("HTTP/1.1 200", "500 CannotVerifyCopySource"),
        ("hello", "500 CannotVerifyCopySource"),
        ("", "500 CannotVerifyCopySource"),
    ] {
        all_refuse(&server, &web, &[], answer, verdict).await;
    }
    // The message is the source's own, or contains its status.
    let url = web.url("/source");
    let error = "<?xml version=\"1.0\"?><Error><Code>X</Code><Message>Not for you.\nRequestId:1</Message></Error>";
    let theirs = format!("HTTP/1.1 403 No\nContent-Length: {}\n\n{error}", error.len() + 1);
    let (got, _) = tokio::join!(copy(&server, &ALL[0], &url, &[]), web.answer(&theirs));
    assert!(got.element("Message").starts_with("Not for you.\nRequestId:"), "{}", got.text());
    let (got, _) = tokio::join!(copy(&server, &ALL[0], &url, &[]), web.answer("HTTP/1.1 418 Teapot\n\n"));
    assert!(got.element("Message").contains("418"), "{}", got.text());
    // Later versions report the status and the code of the source in headers.
    let busy = "HTTP/1.1 503 Busy\nContent-Length: 0\n\n";
    let reported = ["x-ms-copy-source-status-code", "x-ms-copy-source-error-code"];
    for (version, answer, verdict, headers) in [
        ("2024-11-04", theirs.as_str(), "403 CannotVerifyCopySource", ["403", "X"]),
        ("2024-11-04", busy, "500 CannotVerifyCopySource", ["503", ""]),
        ("2024-08-04", &theirs, "403 CannotVerifyCopySource", ["", ""]),
    ] {
        let version = [("x-ms-version", version)];
        let (got, _) = tokio::join!(copy(&server, &ALL[0], &url, &version), web.answer(answer));
        assert_eq!((got.verdict().as_str(), reported.map(|name| got.header(name))), (verdict, headers), "{version:?} {answer}");
        let says = if headers[1].is_empty() { "" } else { "Not for you." };
        assert_eq!(
            ["CopySourceStatusCode", "CopySourceErrorCode", "CopySourceErrorMessage"].map(|name| got.element(name)),
            [headers[0], headers[1], says]
        );
    }
}

#[tokio::test]
async fn sources_that_cannot_be_reached_fail_the_copy() {
    let server = server().await;
    let closed = Web::open().await.url("/source");
    for url in [closed.as_str(), "https://127.0.0.1:1/x", "http://no-such-host.invalid/x"] {
        for each in &ALL {
            let got = copy(&server, each, url, &[]).await;
            assert_eq!(got.verdict(), "500 CannotVerifyCopySource", "{url}");
            assert!(got.element("Message").starts_with("Could not verify the copy source within the specified time."));
        }
    }
    for url in ["ftp://127.0.0.1/x", "http://", "127.0.0.1:1/x", "file:///etc/passwd", "//127.0.0.1/x"] {
        for each in &ALL {
            assert_eq!(copy(&server, each, url, &[]).await.verdict(), "400 InvalidHeaderValue", "{url}");
        }
    }
}

/// A source that stalls fails the copy, at the beginning and in the middle. The clock of this test's runtime jumps on when nothing
/// else moves.
#[tokio::test]
async fn sources_that_stall_fail_the_copy() {
    let (server, web) = (server().await, Web::open().await);
    for said in ["", "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\nContent-Length: 512\n\nxx"] {
        for each in &ALL {
            let url = web.url("/source");
            let still = async {
                let mut exchange = web.exchange().await;
                exchange.say(said).await;
                tokio::time::pause();
                exchange.closed().await;
                tokio::time::resume();
            };
            let (got, ()) = tokio::join!(copy(&server, each, &url, &[]), still);
            assert_eq!(got.verdict(), "500 CannotVerifyCopySource", "{:?} after {said:?}", each.0);
        }
    }
}

#[tokio::test]
async fn a_web_page_becomes_a_block_blob() {
    let (server, web) = (server().await, Web::open().await);
    let url = web.url("/page.html");
    let page = ok("Content-Type: text/html\nContent-Language: de\nCache-Control: no-store\nETag: \"weird\"", "<p>hello</p>");
    for each in &ALL[..2] {
        let (got, _) = tokio::join!(copy(&server, each, &url, &[("x-ms-meta-mine", "1")]), web.answer(&page));
        assert_eq!(got.status, each.2, "{}", got.text());
        check_in(
            &server,
            "GET /box/b → 200 | content-type: text/html; content-language: de; cache-control: no-store; x-ms-blob-type: BlockBlob; x-ms-meta-mine: 1 | <p>hello</p>",
        )
        .await;
    }
    // A server that does not support ranges sends everything; one that does not know the length sends pieces.
    let whole = ok("", "0123456789");
    let pieces = "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\n012\n7\n3456789\n0\n\n";
    let part = "HTTP/1.1 206 Partial Content\nContent-Range: bytes 2-4/10\nContent-Length: 3\n\n234";
    for (answer, range, content) in [
        (whole.as_str(), "bytes=2-4", "234"),
        (&whole, "bytes=8-99", "89"),
        (&whole, "bytes=2-", "23456789"),
        (&whole, "bytes=-2", "0123456789"),
        (pieces, "bytes=2-4", "234"),
        (pieces, "", "0123456789"),
        (part, "bytes=2-4", "234"),
    ] {
        let range = [("x-ms-source-range", range)];
        let (got, _) = tokio::join!(copy(&server, &ALL[0], &url, &range), web.answer(answer));
        assert_eq!(got.verdict(), "201", "{range:?}: {}", got.text());
        assert_eq!(server.request("GET", "/box/b").send().await.text(), content, "{range:?}");
    }
    for (answer, range, verdict) in
        [(whole.as_str(), "bytes=10-11", "416 CannotVerifyCopySource"), (part, "bytes=3-5", "409 CannotVerifyCopySource")]
    {
        let range = [("x-ms-source-range", range)];
        let (got, _) = tokio::join!(copy(&server, &ALL[0], &url, &range), web.answer(answer));
        assert_eq!(got.verdict(), verdict, "{range:?}: {}", got.text());
    }
}

/// A range of a page blob is bytes like any others where the destination is no page blob.
#[tokio::test]
async fn a_range_of_a_page_blob_is_bytes() {
    let (server, web) = (server().await, Web::open().await);
    let url = web.url("/pages");
    let part = "HTTP/1.1 206 Partial Content\nContent-Range: bytes 2-4/512\nContent-Length: 3\nx-ms-blob-type: PageBlob\n\n234";
    for each in [&ALL[0], &ALL[2], &ALL[3]] {
        let headers = [("x-ms-source-range", "bytes=2-4")];
        let (got, _) = tokio::join!(copy(&server, each, &url, &headers), web.answer(part));
        assert_eq!(got.status, each.2, "{}: {}", each.0, got.text());
    }
    check_in(&server, "GET /box/a → 200 | | 234").await;
    // A copy ignores the range.
    let odd = ok("x-ms-blob-type: PageBlob", "234");
    let headers = [("x-ms-source-range", "bytes=0-1")];
    let (got, head) = tokio::join!(copy(&server, &ALL[1], &url, &headers), web.answer(&odd));
    assert_eq!(got.verdict(), "409 CannotVerifyCopySource", "{}", got.text());
    assert!(!head.to_lowercase().contains("range:"), "{head}");
}

#[tokio::test]
async fn checksums_and_limits_of_the_source_are_checked() {
    let (server, web) = (server().await, Web::open().await);
    let page = ok("", &"x".repeat(512));
    let wrong = [
        ("x-ms-source-content-md5", "1B2M2Y8AsgTpgAmY7PhCfg==", "400 Md5Mismatch"),
        ("x-ms-source-content-crc64", "AAAAAAAAAAA=", "400 Crc64Mismatch"),
    ];
    for (name, value, verdict) in wrong {
        all_refuse(&server, &web, &[(name, value)], &page, verdict).await;
    }
    // The answer of a server that ignores conditions is checked here.
    let changed = ok("ETag: \"a\"\nLast-Modified: Thu, 09 May 2019 00:53:12 GMT", "x");
    let failed = [
        ("x-ms-source-if-match", "\"b\"", "412 CannotVerifyCopySource"),
        ("x-ms-source-if-none-match", "\"a\"", "304 CannotVerifyCopySource"),
        ("x-ms-source-if-modified-since", "Thu, 09 May 2019 00:53:12 GMT", "304 CannotVerifyCopySource"),
        ("x-ms-source-if-unmodified-since", "Thu, 09 May 2019 00:53:11 GMT", "412 CannotVerifyCopySource"),
    ];
    for (name, value, verdict) in failed {
        all_refuse(&server, &web, &[(name, value)], &changed, verdict).await;
    }
    // The limit of the bytes, and one more, with and without a Content-Length.
    let limits = [(1_usize, 256_u64 << 20), (3, 4 << 20), (4, 4 << 20), (2, 4000 << 20), (0, 5000 << 20)];
    for (which, limit) in limits {
        let each = &ALL[which];
        let url = web.url("/large");
        let answer = format!("HTTP/1.1 200 OK\nContent-Length: {}\n\n", limit + 1);
        let (got, _) = tokio::join!(copy(&server, each, &url, &[]), web.answer(&answer));
        assert_eq!(got.verdict(), "413 RequestBodyTooLarge", "{}: {}", each.0, got.text());
        assert_eq!(got.element("MaxLimit"), limit.to_string());
    }
    let chunk = format!("100000\n{}\n", "x".repeat(1 << 20));
    let answer = format!("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n{}1\nx\n0\n\n", chunk.repeat(4));
    let url = web.url("/large");
    let large = async {
        let mut exchange = web.exchange().await;
        exchange.say(&answer).await;
    };
    let (got, ()) = tokio::join!(copy(&server, &ALL[3], &url, &[]), large);
    assert_eq!(got.verdict(), "413 RequestBodyTooLarge", "{}", got.text());
}
