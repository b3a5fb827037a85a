//! Incremental Copy Blob: one snapshot of a page blob after another, each stored as a snapshot of the copy.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::TestServer;
use crate::web::Web;

/// A server with a page blob `/box/p` of 2048 bytes, the first 512 written; its URL.
async fn server() -> (TestServer, String) {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 2048; x-ms-meta-a: 1; content-type: image/x-disk → 201
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511 | {512*a} → 201",
    )
    .await;
    let url = format!("{}/box/p", server.blob_url());
    (server, url)
}

#[tokio::test]
async fn snapshots_are_copied_one_after_another() {
    let (server, url) = server().await;
    check_in(
        &server,
        &"PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s1
         wait 1
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=1024-1535 | {512*b} → 201
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511 → 201
         wait 1
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s1} → 202 | x-ms-copy-status: pending; x-ms-copy-id: $i1; etag: $e1; last-modified: {at}
         HEAD /box/copy → 200 | x-ms-incremental-copy: true; x-ms-copy-id: {i1}; x-ms-copy-status: success; x-ms-copy-progress: 2048/2048; x-ms-copy-completion-time: {at}; x-ms-copy-destination-snapshot: $d1; x-ms-copy-source: URL?snapshot={s1}; etag: $e; x-ms-meta-a: 1; content-type: image/x-disk; content-length: 2048
         HEAD /box/copy | if-match: {e1} → 412 ConditionNotMet
         wait 1
         PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s2
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s2}; if-match: {e1} → 412 TargetConditionNotMet
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s2}; if-match: {e} → 202
         HEAD /box/copy → 200 | x-ms-copy-destination-snapshot: $d2
         # each is a snapshot of the copy, and is read as what was copied
         GET /box/copy?snapshot={d1} | x-ms-range: bytes=0-1 → 206 | x-ms-incremental-copy: true; x-ms-meta-a: 1 | aa
         GET /box/copy?snapshot={d2} | x-ms-range: bytes=0-1 → 206 | | \0\0
         GET /box/copy?snapshot={d2} | x-ms-range: bytes=1024-1025 → 206 | | bb
         GET /box/copy?comp=pagelist&snapshot={d1} → 200 | | ~<PageList><PageRange><Start>0</Start><End>511</End></PageRange></PageList>
         # two of them differ in what changed in the source, although all changes were before the first copy
         GET /box/copy?comp=pagelist&snapshot={d2}&prevsnapshot={d1} → 200 | | ~<PageList><ClearRange><Start>0</Start><End>511</End></ClearRange><PageRange><Start>1024</Start><End>1535</End></PageRange></PageList>
         GET /box?restype=container&comp=list&include=copy,snapshots&prefix=copy → 200 | | ~<Snapshot>{d1}</Snapshot> | ~<Snapshot>{d2}</Snapshot> | ~<CopyStatus>success</CopyStatus><CopyProgress>2048/2048</CopyProgress> | ~<IncrementalCopy>true</IncrementalCopy><CopyDestinationSnapshot>{d2}</CopyDestinationSnapshot><ServerEncrypted>
         # the same snapshot can be copied again, an earlier one cannot
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s2} → 202
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s1} → 409 IncrementalCopyOfEarlierVersionSnapshotNotAllowed
         # a snapshot of it is copied like any other
         PUT /box/back | x-ms-copy-source: BASE/box/copy?snapshot={d1} → 202
         GET /box/back | x-ms-range: bytes=0-1 → 206 | | aa
         PUT /box/copy?comp=copy&copyid={i1} | x-ms-copy-action: abort → 409 NoPendingCopyOperation
         DELETE /box/copy → 409 SnapshotsPresent
         DELETE /box/copy?snapshot={d1} → 202
         DELETE /box/copy | x-ms-delete-snapshots: include → 202"
            .replace("URL", &url)
            .replace("BASE", &server.blob_url()),
    )
    .await;
}

#[tokio::test]
async fn the_copy_itself_is_neither_read_nor_written() {
    let (server, url) = server().await;
    let refused = "409 OperationNotAllowedOnIncrementalCopyBlob";
    check_in(
        &server,
        &"PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/other | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s} → 202
         HEAD /box/copy → 200 | etag: $e
         GET /box/copy → REFUSED
         GET /box/copy?comp=pagelist → REFUSED
         PUT /box/copy?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511 → REFUSED
         PUT /box/copy?comp=properties | x-ms-blob-content-length: 512 → REFUSED
         PUT /box/copy?comp=metadata | x-ms-meta-a: 2 → REFUSED
         PUT /box/copy?comp=snapshot → REFUSED
         PUT /box/copy | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → REFUSED
         PUT /box/copy | x-ms-copy-source: URL → REFUSED
         PUT /box/copy | x-ms-requires-sync: true; x-ms-copy-source: URL?READER → REFUSED
         PUT /box/new | x-ms-copy-source: BASE/box/copy → REFUSED
         PUT /box/copy?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {A} → 201
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s} → 412 LeaseIdMissing
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s}; x-ms-lease-id: {A} → 202
         HEAD /box/copy → 200 | x-ms-lease-state: leased; x-ms-incremental-copy: true
         PUT /box/copy?comp=lease | x-ms-lease-action: release; x-ms-lease-id: {A} → 200"
            .replace("URL", &url)
            .replace("BASE", &server.blob_url())
            .replace("READER", &token::reader("box"))
            .replace("REFUSED", refused),
    )
    .await;
}

#[tokio::test]
async fn copies_that_cannot_continue_are_refused() {
    let (server, url) = server().await;
    let web = Web::open().await;
    check_in(
        &server,
        &"PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/copy?comp=incrementalcopy → 400 MissingRequiredHeader
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL → 409 IncrementalCopySourceMustBeSnapshot
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: WEB?snapshot={s} → 409 InvalidSourceBlobUrl
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: nonsense → 400 InvalidHeaderValue
         PUT /none/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s} → 404 ContainerNotFound
         PUT /box/block | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/block?comp=snapshot → 201 | x-ms-snapshot: $b
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: BASE/box/block?snapshot={b} → 409 InvalidSourceBlobType
         HEAD /box/copy → 404 BlobNotFound
         # onto another blob, or a copy of another source
         PUT /box/block?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s} → 409 InvalidBlobType
         PUT /box/plain | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201
         PUT /box/plain?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s} → 409 IncrementalCopyBlobMismatch
         PUT /box/plain?comp=snapshot → 201 | x-ms-snapshot: $o
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={s} → 202
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: BASE/box/plain?snapshot={o} → 409 IncrementalCopyBlobMismatch
         # the source was created again
         wait 1
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201
         PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $n
         PUT /box/copy?comp=incrementalcopy | x-ms-copy-source: URL?snapshot={n} → 409 IncrementalCopyBlobMismatch"
            .replace("URL", &url)
            .replace("WEB", &web.url("/box/p"))
            .replace("BASE", &server.blob_url()),
    )
    .await;
}
