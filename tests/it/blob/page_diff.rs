//! Differences of page blobs since a snapshot, and the independence of copies and snapshots.

use crate::scenario::check_in;
use crate::scratch::Scratch;
use crate::server::TestServer;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 4096 → 201
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-2047 | {2048*a} → 201",
    )
    .await;
    server
}

#[tokio::test]
async fn page_ranges_since_a_snapshot() {
    check_in(
        &server().await,
        "PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s1
         GET /box/p?comp=pagelist&prevsnapshot={s1} → 200 | x-ms-blob-content-length: 4096 | ~<PageList />
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=512-1023 | {512*b} → 201
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=1536-2047 → 201
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=3584-4095 | {512*c} → 201
         GET /box/p?comp=pagelist&prevsnapshot={s1} → 200 | | ~<PageList><PageRange><Start>512</Start><End>1023</End></PageRange><ClearRange><Start>1536</Start><End>2047</End></ClearRange><PageRange><Start>3584</Start><End>4095</End></PageRange></PageList>
         GET /box/p?comp=pagelist&prevsnapshot={s1} | x-ms-range: bytes=1024-3583 → 200 | | ~<PageList><ClearRange><Start>1536</Start><End>2047</End></ClearRange></PageList>
         GET /box/p?comp=pagelist&prevsnapshot={s1}&maxresults=1 → 200 | | ~<PageRange><Start>512</Start><End>1023</End></PageRange><NextMarker>1536</NextMarker>
         GET /box/p?comp=pagelist&prevsnapshot={s1}&maxresults=1&marker=1536 → 200 | | ~<PageList><ClearRange><Start>1536</Start><End>2047</End></ClearRange><NextMarker>3584</NextMarker>
         # writes count, not contents: the same bytes written again are a change, and so are pages that are written and cleared again
         PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s2
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511 | {512*a} → 201
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=2560-3071 | {512*z} → 201
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=2560-3071 → 201
         GET /box/p?comp=pagelist&prevsnapshot={s2} → 200 | | ~<PageList><PageRange><Start>0</Start><End>511</End></PageRange><ClearRange><Start>2560</Start><End>3071</End></ClearRange></PageList>
         # from snapshot to snapshot
         GET /box/p?comp=pagelist&snapshot={s2}&prevsnapshot={s1} → 200 | | ~<PageList><PageRange><Start>512</Start><End>1023</End></PageRange><ClearRange><Start>1536</Start><End>2047</End></ClearRange><PageRange><Start>3584</Start><End>4095</End></PageRange></PageList>
         GET /box/p?comp=pagelist&snapshot={s1}&prevsnapshot={s2} → 400 PreviousSnapshotCannotBeNewer
         GET /box/p?comp=pagelist&prevsnapshot=2020-01-01T00:00:00.0000000Z → 409 PreviousSnapshotNotFound
         GET /box/p?comp=pagelist&prevsnapshot=yesterday → 400 InvalidQueryParameterValue
         GET /box/p?comp=pagelist&snapshot=yesterday → 400 InvalidQueryParameterValue
         # the ranges of a snapshot are those of its time
         GET /box/p?comp=pagelist&snapshot={s1} → 200 | | ~<PageList><PageRange><Start>0</Start><End>2047</End></PageRange></PageList>
         # truncated pages are cleared, up to the end of the blob
         PUT /box/p?comp=properties | x-ms-blob-content-length: 512 → 200
         GET /box/p?comp=pagelist&prevsnapshot={s2} → 200 | x-ms-blob-content-length: 512 | ~<PageList><PageRange><Start>0</Start><End>511</End></PageRange></PageList>
         PUT /box/p?comp=properties | x-ms-blob-content-length: 4096 → 200
         GET /box/p?comp=pagelist&prevsnapshot={s2} → 200 | | ~<PageList><PageRange><Start>0</Start><End>511</End></PageRange><ClearRange><Start>512</Start><End>1535</End></ClearRange><ClearRange><Start>3584</Start><End>4095</End></ClearRange></PageList>
         # a deleted snapshot
         DELETE /box/p?snapshot={s2} → 202
         GET /box/p?comp=pagelist&prevsnapshot={s2} → 409 PreviousSnapshotNotFound",
    )
    .await;
}

#[tokio::test]
async fn an_overwritten_blob_has_no_difference_from_the_old_one() {
    let server = server().await;
    let url = format!("{}/box/p", server.blob_url());
    check_in(
        &server,
        &"PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s1
         PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 4096 → 201
         GET /box/p?comp=pagelist&prevsnapshot={s1} → 409 BlobOverwritten
         PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s2
         GET /box/p?comp=pagelist&prevsnapshot={s2} → 200 | | ~<PageList />
         GET /box/p?comp=pagelist&snapshot={s2}&prevsnapshot={s1} → 409 BlobOverwritten
         PUT /box/p | x-ms-copy-source: URL?snapshot={s1} → 202
         GET /box/p?comp=pagelist&prevsnapshot={s2} → 409 BlobOverwritten"
            .replace("URL", &url),
    )
    .await;
}

/// Azurite lets source and copy share one list of pages, and corrupts both.
#[tokio::test]
async fn a_copy_and_its_source_change_apart() {
    let server = server().await;
    let url = format!("{}/box/p", server.blob_url());
    check_in(
        &server,
        &"PUT /box/p?comp=properties | x-ms-sequence-number-action: update; x-ms-blob-sequence-number: 3 → 200
         PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/copy | x-ms-copy-source: URL → 202
         HEAD /box/copy → 200 | content-length: 4096; x-ms-blob-sequence-number: 3; x-ms-blob-type: PageBlob
         PUT /box/copy?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511 | {512*c} → 201
         PUT /box/copy?comp=page | x-ms-page-write: clear; x-ms-range: bytes=512-1023 → 201
         PUT /box/copy?comp=properties | x-ms-blob-content-length: 1536; x-ms-sequence-number-action: increment → 200
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=1024-1535 | {512*p} → 201
         GET /box/copy → 200 | x-ms-blob-sequence-number: 4 | {512*c}{512*\0}{512*a}
         GET /box/p → 200 | x-ms-blob-sequence-number: 3 | {1024*a}{512*p}{512*a}{2048*\0}
         GET /box/p?snapshot={s} → 200 | | {2048*a}{2048*\0}
         GET /box/copy?comp=pagelist → 200 | x-ms-blob-content-length: 1536 | ~<PageRange><Start>0</Start><End>511</End></PageRange><PageRange><Start>1024</Start><End>1535</End></PageRange>
         PUT /box/p?comp=page&snapshot={s} | x-ms-page-write: clear; x-ms-range: bytes=0-511 → 400 InvalidQueryParameterValue
         # a copy does not replace a blob of another type
         PUT /box/block | x-ms-blob-type: BlockBlob | b → 201
         PUT /box/block | x-ms-copy-source: URL → 409 InvalidBlobType
         GET /box/block → 200 | | b"
            .replace("URL", &url),
    )
    .await;
}

#[tokio::test]
async fn a_hole_of_terabytes_takes_no_space() {
    let server = server().await;
    let url = format!("{}/box/huge", server.blob_url());
    check_in(
        &server,
        &"PUT /box/huge | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 8796093022208 → 201
         HEAD /box/huge → 200 | content-length: 8796093022208
         PUT /box/huge?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/huge?comp=page | x-ms-page-write: update; x-ms-range: bytes=8796093021696-8796093022207 | {512*z} → 201
         GET /box/huge | x-ms-range: bytes=8796093021694-8796093021697 → 206 | content-range: bytes 8796093021694-8796093021697/8796093022208 | \0\0zz
         GET /box/huge?comp=pagelist → 200 | x-ms-blob-content-length: 8796093022208 | ~<PageList><PageRange><Start>8796093021696</Start><End>8796093022207</End></PageRange></PageList>
         GET /box/huge?comp=pagelist&prevsnapshot={s} → 200 | | ~<PageRange><Start>8796093021696</Start>
         PUT /box/copy | x-ms-copy-source: URL → 202
         GET /box/copy | x-ms-range: bytes=4398046511104-4398046511107 → 206 | | \0\0\0\0
         PUT /box/huge?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-8796093022207 → 201
         GET /box/huge?comp=pagelist → 200 | | ~<PageList />
         GET /box/copy | x-ms-range: bytes=8796093022207- → 206 | | z
         PUT /box/huge?comp=properties | x-ms-blob-content-length: 512 → 200"
            .replace("URL", &url),
    )
    .await;
}

/// The earlier snapshot may be named by its URL, which must be that of a snapshot of this blob.
#[tokio::test]
async fn page_ranges_since_the_url_of_a_snapshot() {
    let server = server().await;
    check_in(
        &server,
        &"PUT /box/other | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201
         PUT /box/other?comp=snapshot → 201 | x-ms-snapshot: $o
         PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=512-1023 | {512*b} → 201
         GET /box/p?comp=pagelist | x-ms-previous-snapshot-url: BASE/box/p?snapshot={s} → 200 | | ~<PageList><PageRange><Start>512</Start><End>1023</End></PageRange><NextMarker /></PageList>
         GET /box/p?comp=pagelist | x-ms-previous-snapshot-url: BASE/box/p?snapshot=2020-01-01T00:00:00.0000000Z → 409 PreviousSnapshotNotFound
         GET /box/p?comp=pagelist | x-ms-previous-snapshot-url: BASE/box/p → 400 InvalidHeaderValue
         GET /box/p?comp=pagelist | x-ms-previous-snapshot-url: BASE/box/other?snapshot={o} → 400 InvalidHeaderValue
         GET /box/p?comp=pagelist | x-ms-previous-snapshot-url: http://127.0.0.1:1/box/p?snapshot={s} → 400 InvalidHeaderValue
         GET /box/p?comp=pagelist | x-ms-previous-snapshot-url: nonsense → 400 InvalidHeaderValue
         GET /box/p?comp=pagelist&prevsnapshot={s} | x-ms-previous-snapshot-url: BASE/box/p?snapshot={s} → 400 InvalidHeaderValue"
            .replace("BASE", &server.blob_url()),
    )
    .await;
}

/// A page that the range touches is reported entirely (the SDKs' own tests).
#[tokio::test]
async fn partial_pages_are_reported_as_whole_pages() {
    check_in(
        &server().await,
        "PUT /box/p?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=1024-1535 → 201
         GET /box/p?comp=pagelist | x-ms-range: bytes=100-600 → 200 | | ~<PageList><PageRange><Start>0</Start><End>1023</End></PageRange></PageList>
         GET /box/p?comp=pagelist | range: bytes=1600-9999 → 200 | | ~<PageList><PageRange><Start>1536</Start><End>2047</End></PageRange></PageList>
         GET /box/p?comp=pagelist&prevsnapshot={s} | x-ms-range: bytes=1100-1101 → 200 | | ~<PageList><ClearRange><Start>1024</Start><End>1535</End></ClearRange></PageList>
         HEAD /box/p → 200 | etag: $e
         GET /box/p?comp=pagelist | if-none-match: {e} → 304 ConditionNotMet | content-type: application/xml | {}",
    )
    .await;
}

/// The ranges that were cleared since a snapshot are stored on disk.
#[tokio::test]
async fn cleared_ranges_are_known_after_a_restart() {
    let place = Scratch::new("cleared");
    let mut server = TestServer::with(&["--location", place.path()]).await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 4096 → 201
         PUT /box/p?comp=snapshot → 201
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=512-1023 → 201",
    )
    .await;
    server.restart().await;
    let list = server.request("GET", "/box?restype=container&comp=list&include=snapshots").send().await;
    let target = format!("/box/p?comp=pagelist&prevsnapshot={}", list.element("Snapshot"));
    let changed = server.request("GET", &target).send().await;
    assert_eq!((changed.element("ClearRange"), changed.verdict().as_str()), ("<Start>512</Start><End>1023</End>", "200"));
}
