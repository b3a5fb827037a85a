//! Copy Blob from another server: the destination exists at once, its bytes arrive later, and until then it cannot be read or changed.

use crate::auth::token;
use crate::raw::reset;
use crate::scenario::check_in;
use crate::server::{Answer, TestServer};
use crate::web::{Exchange, Web, ok};

/// The first half of an answer of eight bytes, and the second.
const HALF: &str = "HTTP/1.1 200 OK\nContent-Length: 8\nContent-Type: text/css\nx-ms-meta-a: 1\n\nhalf";
const REST: &str = "rest";

async fn server() -> (TestServer, Web) {
    let server = TestServer::with(&["--control"]).await;
    server.container("box").await;
    (server, Web::open().await)
}

/// Starts a copy to `/box/copy` of which half has arrived. Returns its id and the connection of the source.
async fn begin(server: &TestServer, web: &Web, said: &str) -> (String, Exchange) {
    let url = web.url("/source");
    let source = async {
        let mut exchange = web.exchange().await;
        exchange.say(said).await;
        exchange
    };
    let (got, exchange) = tokio::join!(server.request("PUT", "/box/copy").header("x-ms-copy-source", url).send(), source);
    assert_eq!(got.verdict(), "202", "{}", got.text());
    assert_eq!(got.header("x-ms-copy-status"), "pending");
    (got.header("x-ms-copy-id").to_owned(), exchange)
}

/// The properties of `/box/copy` as soon as this is true for them.
async fn until(server: &TestServer, so: impl Fn(&Answer) -> bool) -> Answer {
    for _ in 0..20_000 {
        let answer = server.request("HEAD", "/box/copy").send().await;
        if so(&answer) {
            return answer;
        }
        tokio::task::yield_now().await;
    }
    panic!("it never came to that");
}

async fn ended(server: &TestServer) -> Answer {
    until(server, |answer| answer.header("x-ms-copy-status") != "pending").await
}

#[tokio::test]
async fn a_pending_copy_reports_its_progress_and_succeeds() {
    let (server, web) = server().await;
    let (id, mut exchange) = begin(&server, &web, HALF).await;
    let half = until(&server, |answer| answer.header("x-ms-copy-progress") == "4/8").await;
    let etag = half.header("etag").to_owned();
    let url = web.url("/source");
    check_in(
        &server,
        &format!(
            "HEAD /box/copy → 200 | etag: {etag}; content-length: 8; content-type: text/css; x-ms-meta-a: 1; x-ms-copy-id: {id}; x-ms-copy-source: {url}; x-ms-copy-status: pending; x-ms-copy-progress: 4/8; x-ms-copy-completion-time: -; x-ms-copy-status-description: -; x-ms-creation-time: {{at}}
             GET /box?restype=container&comp=list&include=copy → 200 | | ~<Content-Length>8</Content-Length> | ~<CopyId>{id}</CopyId><CopySource>{url}</CopySource><CopyStatus>pending</CopyStatus><CopyProgress>4/8</CopyProgress><ServerEncrypted> | !<CopyCompletionTime>
             GET /box?restype=container&comp=list → 200 | | !<CopyId>
             GET /box/copy?comp=metadata → 200 | x-ms-meta-a: 1
             GET /box/copy → 409 PendingCopyOperation
             GET /box/copy | x-ms-range: bytes=0-3 → 409 PendingCopyOperation
             # nothing is written to it, and nothing is copied from it
             PUT /box/copy | x-ms-blob-type: BlockBlob | new → 409 PendingCopyOperation
             PUT /box/copy?comp=block&blockid=QQ== | | new → 409 PendingCopyOperation
             PUT /box/copy?comp=blocklist | | <BlockList /> → 409 PendingCopyOperation
             PUT /box/copy?comp=metadata | x-ms-meta-b: 1 → 409 PendingCopyOperation
             PUT /box/copy?comp=properties → 409 PendingCopyOperation
             PUT /box/copy?comp=snapshot → 409 PendingCopyOperation
             PUT /box/copy?comp=tier | x-ms-access-tier: Cool → 409 PendingCopyOperation
             PUT /box/copy?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 409 PendingCopyOperation
             DELETE /box/copy → 409 PendingCopyOperation
             PUT /box/copy | x-ms-copy-source: {base}/box/none → 404 BlobNotFound
             PUT /box/source | x-ms-blob-type: BlockBlob | x → 201
             PUT /box/copy | x-ms-copy-source: {base}/box/source → 409 PendingCopyOperation
             PUT /box/copy | x-ms-requires-sync: true; x-ms-copy-source: {base}/box/source?{reader} → 409 PendingCopyOperation
             PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: {base}/box/source → 409 IncrementalCopySourceMustBeSnapshot
             PUT /box/other | x-ms-copy-source: {base}/box/copy → 409 PendingCopyOperation
             PUT /box/other | x-ms-blob-type: BlockBlob; x-ms-copy-source: {base}/box/copy?{reader} → 409 PendingCopyOperation
             # an invalid write is refused for its own error first
             PUT /box/copy | x-ms-blob-type: BlockBlob; if-match: \"0x1\" | new → 412 ConditionNotMet
             HEAD /box/copy → 200 | etag: {etag}; x-ms-copy-status: pending
             wait 10",
            base = server.blob_url(),
            reader = token::reader("box"),
        ),
    )
    .await;
    exchange.say(REST).await;
    let done = ended(&server).await;
    assert_ne!(done.header("etag"), etag, "the end of a copy is a change");
    check_in(
        &server,
        &format!(
            "GET /box/copy → 200 | last-modified: {{at}}; x-ms-creation-time: {{at-10}}; x-ms-copy-id: {id}; x-ms-copy-status: success; x-ms-copy-progress: 8/8; x-ms-copy-completion-time: {{at}}; content-type: text/css; x-ms-meta-a: 1 | halfrest
             PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 409 NoPendingCopyOperation
             DELETE /box/copy → 202"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_failed_copy_leaves_an_empty_blob_with_the_failure() {
    let (server, web) = server().await;
    for (said, description) in [
        (HALF, "500 InternalServerError \"Copy failed when reading the source.\""),
        // A page blob whose size is no multiple of a page.
        (
            "HTTP/1.1 200 OK\nContent-Length: 4\nx-ms-blob-type: PageBlob\n\nhalf",
            "500 InternalServerError \"Copy failed when reading the source.\"",
        ),
    ] {
        let (id, exchange) = begin(&server, &web, said).await;
        drop(exchange);
        let failed = ended(&server).await;
        assert_eq!(failed.header("x-ms-copy-status-description"), description);
        check_in(
            &server,
            &format!(
                "GET /box/copy → 200 | content-length: 0; x-ms-copy-id: {id}; x-ms-copy-status: failed; x-ms-copy-completion-time: {{at}} | {{}}
                 GET /box?restype=container&comp=list&include=copy → 200 | | ~<CopyStatus>failed</CopyStatus> | ~<CopyStatusDescription>500 InternalServerError
                 PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 409 NoPendingCopyOperation
                 DELETE /box/copy → 202"
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn a_stalled_source_fails_the_copy() {
    let (server, web) = server().await;
    let (_, exchange) = begin(&server, &web, HALF).await;
    until(&server, |answer| answer.header("x-ms-copy-progress") == "4/8").await;
    tokio::time::pause();
    exchange.closed().await;
    tokio::time::resume();
    assert_eq!(ended(&server).await.header("x-ms-copy-status"), "failed");
}

#[tokio::test]
async fn stopped() {
    let (server, web) = server().await;
    let (id, exchange) = begin(&server, &web, HALF).await;
    until(&server, |answer| answer.header("x-ms-copy-progress") == "4/8").await;
    check_in(
        &server,
        &format!(
            "PUT /box/copy?comp=copy&copyid={{A}} | x-ms-copy-action: abort → 409 CopyIdMismatch
             PUT /box/copy?comp=copy&copyid=abc | x-ms-copy-action: abort → 400 InvalidQueryParameterValue
             PUT /box/copy?comp=copy&copyid={id} → 400 MissingRequiredHeader
             PUT /box/none?comp=copy&copyid={id} | x-ms-copy-action: abort → 404 BlobNotFound
             HEAD /box/copy → 200 | x-ms-copy-status: pending
             PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 204
             GET /box/copy → 200 | content-length: 0; content-type: text/css; x-ms-meta-a: 1; x-ms-copy-id: {id}; x-ms-copy-status: aborted; x-ms-copy-progress: 4/8; x-ms-copy-completion-time: {{at}} | {{}}
             PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 409 NoPendingCopyOperation"
        ),
    )
    .await;
    // The connection of the source closes with its next piece.
    let mut exchange = exchange;
    exchange.say("r").await;
    exchange.closed().await;
    check_in(&server, "GET /box/copy → 200 | x-ms-copy-status: aborted; content-length: 0 | {}").await;
}

#[tokio::test]
async fn a_leased_blob_is_overwritten_with_its_id() {
    let (server, web) = server().await;
    check_in(
        &server,
        "PUT /box/copy | x-ms-blob-type: BlockBlob | old → 201
         PUT /box/copy?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201",
    )
    .await;
    let url = web.url("/source");
    let half = async {
        let mut exchange = web.exchange().await;
        exchange.say(HALF).await;
        exchange
    };
    let refused = server.request("PUT", "/box/copy").header("x-ms-copy-source", &url);
    let (refused, _) = tokio::join!(refused.send(), half);
    assert_eq!(refused.verdict(), "412 LeaseIdMissing");
    check_in(&server, "GET /box/copy → 200 | x-ms-copy-status: - | old").await;

    let half = async {
        let mut exchange = web.exchange().await;
        exchange.say(HALF).await;
        exchange
    };
    let lease = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";
    let request = server.request("PUT", "/box/copy").header("x-ms-copy-source", &url).header("x-ms-lease-id", lease);
    let (got, _exchange) = tokio::join!(request.send(), half);
    assert_eq!((got.verdict().as_str(), got.header("x-ms-copy-status")), ("202", "pending"));
    let id = got.header("x-ms-copy-id");
    check_in(
        &server,
        &format!(
            "PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 412 LeaseIdMissing
             PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort; x-ms-lease-id: {{B}} → 412 LeaseIdMismatchWithBlobOperation
             PUT /box/copy | x-ms-blob-type: BlockBlob; x-ms-lease-id: {{A}} | new → 409 PendingCopyOperation
             PUT /box/copy?comp=copy&copyid={id} | x-ms-copy-action: abort; x-ms-lease-id: {{A}} → 204
             HEAD /box/copy → 200 | x-ms-copy-status: aborted; content-length: 0; x-ms-lease-state: leased"
        ),
    )
    .await;
}

/// Refused before the copy starts: failed conditions on the source, a source of another type, one without a Content-Length.
#[tokio::test]
async fn copies_are_refused_before_they_begin() {
    let (server, web) = server().await;
    check_in(&server, "PUT /box/copy | x-ms-blob-type: AppendBlob → 201").await;
    let url = web.url("/source");
    for (headers, answer, verdict) in [
        (vec![("x-ms-source-if-match", "\"0x1\"")], "HTTP/1.1 412 No\n\n".to_owned(), "412 SourceConditionNotMet"),
        (vec![("x-ms-source-if-none-match", "*")], "HTTP/1.1 304 No\n\n".to_owned(), "412 SourceConditionNotMet"),
        (vec![], "HTTP/1.1 412 No\n\n".to_owned(), "412 CannotVerifyCopySource"),
        (vec![], "HTTP/1.1 404 No\n\n".to_owned(), "404 CannotVerifyCopySource"),
        (vec![], "HTTP/1.1 500 No\n\n".to_owned(), "500 CannotVerifyCopySource"),
        (vec![], "HTTP/1.1 302 No\nLocation: /x\n\n".to_owned(), "409 CannotVerifyCopySource"),
        (vec![], ok("", "a block blob"), "409 InvalidBlobType"),
        (vec![], "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nx\n0\n\n".to_owned(), "409 CannotVerifyCopySource"),
        (vec![("if-match", "\"0x1\"")], ok("x-ms-blob-type: AppendBlob", ""), "412 TargetConditionNotMet"),
    ] {
        let request = server.request("PUT", "/box/copy").header("x-ms-copy-source", &url).headers(&headers);
        let (got, _) = tokio::join!(request.send(), web.answer(&answer));
        assert_eq!(got.verdict(), verdict, "{answer}: {}", got.text());
    }
    check_in(&server, "HEAD /box/copy → 200 | x-ms-blob-type: AppendBlob; content-length: 0; x-ms-copy-id: -").await;
}

/// A copy restores nothing that was deleted: neither a blob, nor a container, nor the content of an account.
#[tokio::test]
async fn a_pending_copy_restores_nothing_that_was_deleted() {
    let (server, web) = server().await;
    let (_, mut exchange) = begin(&server, &web, HALF).await;
    check_in(&server, "DELETE /box?restype=container → 202").await;
    server.container("box").await;
    exchange.say(REST).await;
    exchange.closed().await;
    check_in(&server, "HEAD /box/copy → 404 BlobNotFound").await;

    let (_, mut exchange) = begin(&server, &web, HALF).await;
    reset(&server).await;
    server.container("box").await;
    check_in(&server, "PUT /box/copy | x-ms-blob-type: BlockBlob | mine → 201").await;
    exchange.say(REST).await;
    exchange.closed().await;
    check_in(&server, "GET /box/copy → 200 | x-ms-copy-id: - | mine").await;
}

#[tokio::test]
async fn a_pending_copy_ends_with_the_server() {
    let (server, web) = server().await;
    let (_, exchange) = begin(&server, &web, HALF).await;
    drop(server);
    exchange.closed().await;
}

/// A blob of each type, with its properties, from one server to another.
#[tokio::test]
async fn blobs_of_every_type_are_copied() {
    let there = TestServer::new().await;
    let (here, _) = server().await;
    there.container("open").await;
    check_in(
        &there,
        "PUT /open?restype=container&comp=acl | x-ms-blob-public-access: blob → 200
         PUT /open/b | x-ms-blob-type: BlockBlob; content-type: text/plain; x-ms-meta-k: v; x-ms-tags: t=1 | content → 201
         PUT /open/e | x-ms-blob-type: BlockBlob → 201
         PUT /open/a | x-ms-blob-type: AppendBlob → 201
         PUT /open/a?comp=appendblock | | one → 201
         PUT /open/a?comp=appendblock | | two → 201
         PUT /open/a?comp=seal → 200
         PUT /open/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 4096; x-ms-blob-sequence-number: 7 → 201
         PUT /open/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=512-1535 | {1024*p} → 201
         PUT /open/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=3584-4095 | {512*q} → 201",
    )
    .await;
    for (name, rows) in [
        ("b", "GET /box/copy → 200 | x-ms-blob-type: BlockBlob; content-type: text/plain; x-ms-meta-k: v; x-ms-tag-count: -; content-md5: mgNkuembtIDdJeHwKEyFVQ== | content"),
        ("e", "GET /box/copy → 200 | x-ms-blob-type: BlockBlob; content-length: 0; x-ms-copy-progress: 0/0 | {}"),
        ("a", "GET /box/copy → 200 | x-ms-blob-type: AppendBlob; x-ms-blob-committed-block-count: 2; x-ms-blob-sealed: true | onetwo
               PUT /box/copy?comp=appendblock | | three → 409 BlobIsSealed"),
        ("p", "HEAD /box/copy → 200 | x-ms-blob-type: PageBlob; content-length: 4096; x-ms-blob-sequence-number: 7
               GET /box/copy?comp=pagelist → 200 | | ~<PageList><PageRange><Start>512</Start><End>1535</End></PageRange><PageRange><Start>3584</Start><End>4095</End></PageRange></PageList>
               GET /box/copy | x-ms-range: bytes=3584-3587 → 206 | | qqqq
               PUT /box/copy?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511 | {512*z} → 201
               GET /box/copy | x-ms-range: bytes=510-513 → 206 | | zzpp"),
    ] {
        let url = format!("{}/open/{name}", there.blob_url());
        let got = here.request("PUT", "/box/copy").header("x-ms-copy-source", url).send().await;
        assert_eq!((got.verdict().as_str(), got.header("x-ms-copy-status")), ("202", "pending"));
        assert_eq!(ended(&here).await.header("x-ms-copy-status"), "success", "{name}");
        check_in(&here, &format!("{rows}\n DELETE /box/copy → 202")).await;
    }
    check_in(&there, "GET /open/p | x-ms-range: bytes=0-1 → 206 | | \0\0").await;
}
