//! Copies and ranges from blobs, from another server's files, and from a scripted web server.

use super::check_in;
use super::sas::sas;
use crate::auth::token;
use crate::scenario;
use crate::server::{Answer, TestServer};
use crate::web::{Exchange, Web, ok};
use lazuli::ServiceKind;

/// The first half of a response of eight bytes, and the second.
const HALF: &str = "HTTP/1.1 200 OK\nContent-Length: 8\nContent-Type: text/css\nx-ms-meta-a: 1\n\nhalf";
const REST: &str = "rest";

async fn server() -> TestServer {
    let server = TestServer::new().await;
    check_in(&server, "PUT /shr?restype=share → 201").await;
    server
}

/// Starts a copy to `/shr/copy` of which half has arrived. Returns its id and the connection of the source.
async fn begin(server: &TestServer, web: &Web, response: &str) -> (String, Exchange) {
    let url = web.url("/source");
    let source = async {
        let mut exchange = web.exchange().await;
        exchange.say(response).await;
        exchange
    };
    let (got, exchange) =
        tokio::join!(server.request("PUT", "/shr/copy").of(ServiceKind::File).header("x-ms-copy-source", url).send(), source);
    assert_eq!(got.verdict(), "202", "{}", got.text());
    assert_eq!(got.header("x-ms-copy-status"), "pending");
    (got.header("x-ms-copy-id").to_owned(), exchange)
}

/// The properties of `/shr/copy` as soon as `is_met` is true for them.
async fn until(server: &TestServer, is_met: impl Fn(&Answer) -> bool) -> Answer {
    for _ in 0..20_000 {
        let answer = server.request("HEAD", "/shr/copy").of(ServiceKind::File).send().await;
        if is_met(&answer) {
            return answer;
        }
        tokio::task::yield_now().await;
    }
    panic!("the condition is never met");
}

async fn ended(server: &TestServer) -> Answer {
    until(server, |answer| answer.header("x-ms-copy-status") != "pending").await
}

#[tokio::test]
async fn a_pending_copy_succeeds() {
    let (server, web) = (server().await, Web::open().await);
    let (id, mut exchange) = begin(&server, &web, HALF).await;
    until(&server, |answer| answer.header("x-ms-copy-progress") == "4/8").await;
    check_in(
        &server,
        &format!(
            "HEAD /shr/copy → 200 | content-length: 8; content-type: text/css; x-ms-meta-a: 1; x-ms-copy-id: {id}; x-ms-copy-source: {url}; x-ms-copy-status: pending; x-ms-copy-completion-time: -
             GET /shr?restype=directory&comp=list → 200 | | ~<Content-Length>8</Content-Length>
             # a pending file is neither read nor changed
             GET /shr/copy → 409 PendingCopyOperation
             PUT /shr/copy?comp=range | x-ms-write: update; x-ms-range: bytes=0-0 | x → 409 PendingCopyOperation
             PUT /shr/copy | x-ms-type: file; x-ms-content-length: 1 → 409 PendingCopyOperation
             PUT /shr/copy?comp=metadata | x-ms-meta-b: 1 → 409 PendingCopyOperation
             PUT /shr/copy?comp=properties → 409 PendingCopyOperation
             PUT /shr/moved?comp=rename | x-ms-file-rename-source: /devstoreaccount1/shr/copy → 409 PendingCopyOperation
             PUT /shr/other | x-ms-copy-source: /devstoreaccount1/shr/copy → 409 PendingCopyOperation
             DELETE /shr/copy → 409 PendingCopyOperation
             # only the pending copy can be aborted
             PUT /shr/copy?comp=copy&copyid={{A}} | x-ms-copy-action: abort → 409 CopyIdMismatch",
            url = web.url("/source"),
        ),
    )
    .await;
    exchange.say(REST).await;
    let done = ended(&server).await;
    assert_eq!((done.header("x-ms-copy-status"), done.header("x-ms-copy-progress")), ("success", "8/8"));
    check_in(
        &server,
        &format!(
            "GET /shr/copy → 200 | x-ms-copy-completion-time: {{at}} | halfrest
             PUT /shr/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 409 NoPendingCopyOperation
             DELETE /shr/copy → 202"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_pending_copy_is_aborted_or_fails() {
    let (server, web) = (server().await, Web::open().await);
    let (id, mut exchange) = begin(&server, &web, HALF).await;
    check_in(
        &server,
        &format!(
            "PUT /shr/copy?comp=copy&copyid={id} | x-ms-copy-action: abort → 204 | | {{}}
             GET /shr/copy → 200 | content-length: 0; x-ms-copy-status: aborted; x-ms-meta-a: 1 | {{}}"
        ),
    )
    .await;
    exchange.say(REST).await;
    exchange.closed().await;
    let (_, exchange) = begin(&server, &web, HALF).await;
    drop(exchange);
    let failed = ended(&server).await;
    assert_eq!(failed.header("x-ms-copy-status"), "failed");
    assert!(failed.header("x-ms-copy-status-description").starts_with("500 "));
    check_in(&server, "GET /shr/copy → 200 | content-length: 0 | {}").await;
}

/// A snapshot that was taken during the copy has none of its bytes, so they are changes since the snapshot.
#[tokio::test]
async fn a_share_snapshot_has_no_bytes_of_a_pending_copy() {
    let (server, web) = (server().await, Web::open().await);
    let (_, mut exchange) = begin(&server, &web, HALF).await;
    until(&server, |answer| answer.header("x-ms-copy-progress") == "4/8").await;
    server.wait(10);
    let snapshot = server.request("PUT", "/shr?restype=share&comp=snapshot").of(ServiceKind::File).send().await;
    let taken = snapshot.header("x-ms-snapshot");
    server.wait(10);
    exchange.say(REST).await;
    ended(&server).await;
    check_in(
        &server,
        &format!(
            "GET /shr/copy → 200 | | halfrest
             GET /shr/copy?comp=rangelist&prevsharesnapshot={taken} → 200 | | ~<Range><Start>0</Start><End>7</End></Range>
             HEAD /shr/copy?sharesnapshot={taken} → 200 | x-ms-copy-status: pending; content-length: 8
             GET /shr/copy?sharesnapshot={taken} → 409 PendingCopyOperation
             GET /shr/copy?comp=rangelist&sharesnapshot={taken} → 409 PendingCopyOperation
             PUT /shr/other | x-ms-copy-source: /devstoreaccount1/shr/copy?sharesnapshot={taken} → 409 PendingCopyOperation"
        ),
    )
    .await;
}

/// Deleting a share ends its pending copies.
#[tokio::test]
async fn a_pending_copy_ends_with_its_share() {
    let (server, web) = (server().await, Web::open().await);
    let (_, exchange) = begin(&server, &web, HALF).await;
    check_in(&server, "DELETE /shr?restype=share → 202").await;
    let mut exchange = exchange;
    exchange.say(REST).await;
    exchange.closed().await;
    check_in(&server, "GET /shr/copy → 404 ShareNotFound").await;
}

#[tokio::test]
async fn blobs_and_files_of_other_servers_are_copied() {
    let (server, there) = (server().await, server().await);
    server.container("box").await;
    scenario::check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob; content-type: text/plain; x-ms-meta-a: 1 | content → 201",
    )
    .await;
    let blob = format!("{}/box/b", server.blob_url());
    let signed = format!("{blob}?{}", token::reader("box"));
    check_in(
        &there,
        "PUT /shr/f | x-ms-type: file; x-ms-content-length: 4; x-ms-content-language: fr → 201
         PUT /shr/f?comp=range | x-ms-write: update; x-ms-range: bytes=0-3 | file → 201",
    )
    .await;
    let file = format!("http://{}/devstoreaccount1/shr/f", there.host(ServiceKind::File));
    check_in(&server, &format!("PUT /shr/copy | x-ms-copy-source: {signed} → 202 | x-ms-copy-status: pending")).await;
    ended(&server).await;
    check_in(
        &server,
        &format!("GET /shr/copy → 200 | content-type: text/plain; x-ms-meta-a: 1; x-ms-copy-source: {blob}; x-ms-copy-progress: 7/7 | content
                  PUT /shr/copy | x-ms-copy-source: {file}?{} → 202 | x-ms-copy-status: pending", sas("s", "shr", "r", "")),
    )
    .await;
    ended(&server).await;
    check_in(
        &server,
        &format!(
            "GET /shr/copy → 200 | content-language: fr; x-ms-copy-source: {file} | file
             # a range
             PUT /shr/g | x-ms-type: file; x-ms-content-length: 8 → 201
             PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {signed}; x-ms-source-range: bytes=4-6 → 201 | x-ms-content-crc64: +
             GET /shr/g | x-ms-range: bytes=1-3 → 206 | | ent
             PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {signed}; x-ms-source-range: bytes=5-7 → 409 CannotVerifyCopySource
             PUT /shr/g?comp=range | x-ms-write: update; x-ms-range: bytes=1-3; x-ms-copy-source: {signed}; x-ms-source-range: bytes=9-11 → 416 CannotVerifyCopySource
             # without the permission to read the source
             PUT /shr/none | x-ms-copy-source: {blob} → 401 CannotVerifyCopySource
             PUT /shr/none | x-ms-copy-source: {file} → 401 CannotVerifyCopySource
             PUT /shr/none | x-ms-copy-source: {file}less?{} → 404 CannotVerifyCopySource
             PUT /shr/none | x-ms-copy-source: {signed}; x-ms-file-attributes: source → 400 InvalidHeaderValue
             HEAD /shr/none → 404 ResourceNotFound",
            sas("s", "shr", "r", ""),
        ),
    )
    .await;
}

/// A web server reports no file properties; a response without a length cannot be copied.
#[tokio::test]
async fn a_document_of_a_web_server_is_copied() {
    let (server, web) = (server().await, Web::open().await);
    let endless = "HTTP/1.1 200 OK\nConnection: close\n\nendless";
    for (answer, verdict) in
        [(endless, "409 CannotVerifyCopySource"), ("HTTP/1.1 404 No\nContent-Length: 0\n\n", "404 CannotVerifyCopySource")]
    {
        let request = server.request("PUT", "/shr/copy").of(ServiceKind::File).header("x-ms-copy-source", web.url("/source"));
        let (got, _) = tokio::join!(request.send(), web.answer(answer));
        assert_eq!(got.verdict(), verdict);
    }
    let page = ok("Cache-Control: no-store", "content");
    let request = server.request("PUT", "/shr/copy").of(ServiceKind::File).header("x-ms-copy-source", web.url("/source"));
    let (got, _) = tokio::join!(request.send(), web.answer(&page));
    assert_eq!(got.verdict(), "202");
    ended(&server).await;
    check_in(&server, "GET /shr/copy → 200 | cache-control: no-store | content").await;
}
