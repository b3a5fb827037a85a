//! The lease of a blob, which protects it against requests without its id.

use super::leases::{Leased, STATES};
use crate::scenario::check_in;
use crate::scratch::Scratch;
use crate::server::TestServer;

const BLOB: Leased = Leased {
    make: "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-blob-content-type: text/plain | old",
    lease: "PUT /box/b?comp=lease",
    look: "HEAD /box/b",
    remove: "DELETE /box/b",
};

/// A server with a container `box` and in it a blob `source` to copy.
async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    server.blob("/box/source", "source").await;
    server
}

#[tokio::test]
async fn every_action_in_every_state() {
    BLOB.every_action_in_every_state(&server().await).await;
}

#[tokio::test]
async fn malformed_lease_requests_are_refused() {
    BLOB.malformed_requests(&server().await).await;
}

#[tokio::test]
async fn every_operation_requires_the_id() {
    let server = server().await;
    // The request, its headers, its body, the status of its success.
    let source = format!("x-ms-copy-source: {}/box/source; ", server.blob_url());
    let list = "<BlockList></BlockList>";
    let writes = [
        ("PUT /box/b", "x-ms-blob-type: BlockBlob; ", "new", "201"),
        ("PUT /box/b?comp=block&blockid=QQ==", "", "block", "201"),
        ("PUT /box/b?comp=blocklist", "", list, "201"),
        ("PUT /box/b?comp=properties", "", "", "200"),
        ("PUT /box/b?comp=metadata", "", "", "200"),
        ("DELETE /box/b", "", "", "202"),
        ("PUT /box/b", &source, "", "202"),
    ];
    let reads = [
        ("GET /box/b", "", "", "200"),
        ("HEAD /box/b", "", "", "200"),
        ("GET /box/b?comp=metadata", "", "", "200"),
        ("GET /box/b?comp=blocklist", "", "", "200"),
    ];
    let (none, other, lost) = ("412 LeaseNotPresentWithBlobOperation", "412 LeaseIdMismatchWithBlobOperation", "412 LeaseLost");
    for state in STATES {
        for (request, headers, body, success) in writes.iter().chain(&reads) {
            let is_read = reads.iter().any(|(read, ..)| read == request);
            let is_copy = headers.contains("copy-source");
            let (with_a, with_b, without) = match state {
                "available" => (none, none, *success),
                "leased" if is_copy => ("412 InfiniteLeaseDurationRequired", other, "412 LeaseIdMissing"),
                "leased" | "infinite" | "breaking" if !is_read => (*success, other, "412 LeaseIdMissing"),
                "leased" | "infinite" | "breaking" => (*success, other, *success),
                _ => (lost, lost, *success),
            };
            let way = BLOB.way(state);
            for (shown, verdict) in [("x-ms-lease-id: {A}", with_a), ("x-ms-lease-id: {B}", with_b), ("", without)] {
                check_in(
                    &server,
                    &format!(
                        "# {request} with {shown:?} when {state}
                         {} → 201 | etag: $e
                         {way}
                         {request} | {headers}{shown} | {body} → {verdict}",
                        BLOB.make
                    ),
                )
                .await;
                let refused = verdict.len() > 3;
                if refused {
                    let kept = server.request("GET", "/box/b").send().await;
                    assert_eq!((kept.text(), kept.header("content-type")), ("old", "text/plain"), "{request} {shown} {state}");
                }
                if refused || success != &"202" || !request.starts_with("DELETE") {
                    BLOB.remove(&server).await;
                }
            }
        }
        // A malformed id is malformed everywhere.
        let rows: String = writes
            .iter()
            .chain(&reads)
            .map(|(request, headers, body, _)| {
                format!("{request} | {headers}x-ms-lease-id: mine | {body} → 400 InvalidHeaderValue\n")
            })
            .collect();
        check_in(&server, &format!("{} → 201\n{rows}", BLOB.make)).await;
    }
}

#[tokio::test]
async fn a_writer_with_the_id_keeps_the_lease() {
    let server = server().await;
    let source = format!("x-ms-copy-source: {}/box/source; ", server.blob_url());
    let writes = [
        ("PUT /box/b", "x-ms-blob-type: BlockBlob; ", "new", "201"),
        ("PUT /box/b?comp=blocklist", "", "<BlockList></BlockList>", "201"),
        ("PUT /box/b?comp=properties", "", "", "200"),
        ("PUT /box/b?comp=metadata", "", "", "200"),
        ("PUT /box/b?comp=block&blockid=QQ==", "", "block", "201"),
        ("PUT /box/b", &source, "", "202"),
    ];
    for (request, headers, body, success) in writes {
        check_in(
            &server,
            &format!(
                "# {request} {headers}
                 {make} → 201
                 {lease} | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {{A}} → 201
                 {request} | {headers}x-ms-lease-id: {{A}} | {body} → {success}
                 HEAD /box/b → 200 | x-ms-lease-state: leased; x-ms-lease-duration: infinite; x-ms-lease-status: locked
                 DELETE /box/b → 412 LeaseIdMissing
                 {lease} | x-ms-lease-action: renew; x-ms-lease-id: {{A}} → 200
                 DELETE /box/b | x-ms-lease-id: {{A}} → 202
                 # no id is required to create it again
                 {make} → 201
                 HEAD /box/b → 200 | x-ms-lease-state: available
                 DELETE /box/b → 202",
                make = BLOB.make,
                lease = BLOB.lease
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn a_write_clears_a_lease_that_is_over() {
    let server = server().await;
    let source = format!("x-ms-copy-source: {}/box/source; ", server.blob_url());
    let writes = [
        ("PUT /box/b", "x-ms-blob-type: BlockBlob", "new", "201"),
        ("PUT /box/b?comp=blocklist", "", "<BlockList></BlockList>", "201"),
        ("PUT /box/b?comp=properties", "", "", "200"),
        ("PUT /box/b?comp=metadata", "", "", "200"),
        ("PUT /box/b", &source, "", "202"),
    ];
    for (request, headers, body, success) in writes {
        for state in ["expired", "broken"] {
            let way = BLOB.way(state);
            check_in(
                &server,
                &format!(
                    "# {request} {headers} when {state}
                     {make} → 201
                     {way}
                     {request} | {headers} | {body} → {success}
                     HEAD /box/b → 200 | x-ms-lease-state: available
                     {lease} | x-ms-lease-action: renew; x-ms-lease-id: {{A}} → 409 LeaseIdMismatchWithLeaseOperation
                     {lease} | x-ms-lease-action: release; x-ms-lease-id: {{A}} → 409 LeaseIdMismatchWithLeaseOperation
                     DELETE /box/b → 202",
                    make = BLOB.make,
                    lease = BLOB.lease
                ),
            )
            .await;
        }
    }
}

#[tokio::test]
async fn a_lease_expires_and_breaks_with_time() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201 | etag: $e
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 60; x-ms-proposed-lease-id: {A} → 201 | x-ms-lease-id: {A}; etag: {e}; last-modified: {at}
         GET /box/b → 200 | x-ms-lease-status: locked; x-ms-lease-state: leased; x-ms-lease-duration: fixed; etag: {e}
         GET /box?restype=container&comp=list&prefix=b → 200 | | ~<LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>fixed</LeaseDuration>
         # acquired again, with a shorter duration
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A} → 201
         wait 15
         HEAD /box/b → 200 | x-ms-lease-status: unlocked; x-ms-lease-state: expired; x-ms-lease-duration: -
         GET /box?restype=container&comp=list&prefix=b → 200 | | ~<LeaseStatus>unlocked</LeaseStatus><LeaseState>expired</LeaseState> | !<LeaseDuration>
         # a renewal has the same duration again
         PUT /box/b?comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A} → 200
         wait 14
         PUT /box/b?comp=metadata → 412 LeaseIdMissing
         PUT /box/b?comp=lease | x-ms-lease-action: break → 202 | x-ms-lease-time: 1; etag: {e}
         HEAD /box/b → 200 | x-ms-lease-state: breaking; x-ms-lease-status: locked
         wait 1
         HEAD /box/b → 200 | x-ms-lease-state: broken; x-ms-lease-status: unlocked
         # a container's lease is not a blob's
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {C} → 201
         PUT /box/b?comp=metadata → 200
         DELETE /box/b → 202
         # a missing blob has no lease
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1 → 404 BlobNotFound
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-lease-id: {A} | x → 412 LeaseNotPresentWithBlobOperation
         GET /box/b → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn lease_operations_take_conditions() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-tags: k=v | x → 201 | etag: $e
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; if-none-match: {e} → 412 ConditionNotMet
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-if-tags: \"k\" = 'w' → 412 ConditionNotMet
         HEAD /box/b → 200 | x-ms-lease-state: available
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A}; if-match: {e}; x-ms-if-tags: \"k\" = 'v' → 201
         PUT /box/b?comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A}; if-modified-since: {at} → 412 ConditionNotMet
         PUT /box/b?comp=lease | x-ms-lease-action: change; x-ms-lease-id: {A}; x-ms-proposed-lease-id: {B}; if-unmodified-since: {at-1} → 412 ConditionNotMet
         PUT /box/b?comp=lease | x-ms-lease-action: break; if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/b?comp=lease | x-ms-lease-action: release; x-ms-lease-id: {A}; if-match: \"0x1\" → 412 ConditionNotMet
         # conditions come before the lease on a write, and after it on a creation
         PUT /box/b?comp=metadata | if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/b | x-ms-blob-type: BlockBlob; if-match: \"0x1\" | y → 412 LeaseIdMissing
         PUT /box/b | x-ms-blob-type: BlockBlob; if-none-match: * | y → 412 LeaseIdMissing
         # a request with the id may overwrite
         PUT /box/b | x-ms-blob-type: BlockBlob; if-none-match: *; x-ms-lease-id: {A} | y → 201
         GET /box/b → 200 | | y",
    )
    .await;
}

/// A name that only has uncommitted blocks can be leased (the SDKs' own tests).
#[tokio::test]
async fn a_name_with_nothing_but_blocks_can_be_leased() {
    let place = Scratch::new("leased-blocks");
    let mut server = TestServer::with(&["--location", place.path()]).await;
    server.container("box").await;
    let acquire = "x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A}";
    check_in(
        &server,
        &"PUT /box/b?comp=lease | ACQUIRE → 404 BlobNotFound
         PUT /box/b?comp=block&blockid=QQ== | x-ms-lease-id: {A} | one → 412 LeaseNotPresentWithBlobOperation
         PUT /box/b?comp=block&blockid=QQ== | | one → 201
         GET /box/b?comp=blocklist&blocklisttype=all | x-ms-lease-id: {A} → 412 LeaseNotPresentWithBlobOperation
         PUT /box/b?comp=lease | x-ms-lease-action: renew; x-ms-lease-id: {A} → 409 LeaseIdMismatchWithLeaseOperation
         PUT /box/b?comp=lease | ACQUIRE; if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/b?comp=lease | ACQUIRE → 201 | x-ms-lease-id: {A}; etag: +; last-modified: {at}
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | ~<LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>infinite</LeaseDuration>
         GET /box/b → 404 BlobNotFound
         DELETE /box/b → 404 BlobNotFound
         PUT /box/b?comp=block&blockid=Qg== | | two → 412 LeaseIdMissing
         PUT /box/b?comp=block&blockid=Qg== | x-ms-lease-id: {B} | two → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/b?comp=block&blockid=Qg== | x-ms-lease-id: {A} | two → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | new → 412 LeaseIdMissing
         GET /box/b?comp=blocklist&blocklisttype=all → 200 | | ~<Name>QQ==</Name> | ~<Name>Qg==</Name>
         GET /box/b?comp=blocklist&blocklisttype=all | x-ms-lease-id: {B} → 412 LeaseIdMismatchWithBlobOperation"
            .replace("ACQUIRE", acquire),
    )
    .await;
    server.restart().await;
    check_in(
        &server,
        &"PUT /box/b?comp=blocklist | | <BlockList><Latest>QQ==</Latest><Latest>Qg==</Latest></BlockList> → 412 LeaseIdMissing
         PUT /box/b?comp=lease | x-ms-lease-action: change; x-ms-lease-id: {A}; x-ms-proposed-lease-id: {B} → 200 | x-ms-lease-id: {B}
         PUT /box/b?comp=blocklist | x-ms-lease-id: {A} | <BlockList><Latest>QQ==</Latest></BlockList> → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/b?comp=blocklist | x-ms-lease-id: {B} | <BlockList><Latest>QQ==</Latest><Latest>Qg==</Latest></BlockList> → 201
         # the blob has the lease now
         HEAD /box/b → 200 | x-ms-lease-state: leased
         DELETE /box/b → 412 LeaseIdMissing
         DELETE /box/b | x-ms-lease-id: {B} → 202
         # the lease ends with blocks that are deleted
         PUT /box/b?comp=block&blockid=QQ== | | one → 201
         PUT /box/b?comp=lease | ACQUIRE → 201
         PUT /box/b?comp=lease | x-ms-lease-action: release; x-ms-lease-id: {A} → 200
         PUT /box/b?comp=lease | ACQUIRE → 201
         wait 604800
         PUT /box/b?comp=block&blockid=QQ== | | one → 201"
            .replace("ACQUIRE", acquire),
    )
    .await;
}
