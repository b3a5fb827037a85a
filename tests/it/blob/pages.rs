//! Page blobs: writing, clearing, resizing, listing and comparing pages.

use crate::scenario::check_in;
use crate::server::TestServer;

/// A server with the page blob `/box/p`, of four pages.
async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(&server, "PUT /box/p | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 2048 → 201").await;
    server
}

#[tokio::test]
async fn a_page_blob_is_created_with_its_size() {
    let server = server().await;
    for (headers, verdict) in [
        ("", "400 MissingRequiredHeader"),
        ("; x-ms-blob-content-length: 513", "400 InvalidHeaderValue"),
        ("; x-ms-blob-content-length: -512", "400 InvalidHeaderValue"),
        ("; x-ms-blob-content-length: all", "400 InvalidHeaderValue"),
        ("; x-ms-blob-content-length: 8796093022720", "400 InvalidHeaderValue"),
        ("; x-ms-blob-content-length: 512; x-ms-blob-sequence-number: -1", "400 InvalidHeaderValue"),
        ("; x-ms-blob-content-length: 512; x-ms-blob-sequence-number: 9223372036854775808", "400 InvalidHeaderValue"),
        ("; x-ms-blob-content-length: 512; x-ms-access-tier: Hot", "400 AccessTierNotSupportedForBlobType"),
        ("; x-ms-blob-content-length: 512 | body", "400 InvalidHeaderValue"),
    ] {
        check_in(
            &server,
            &format!("PUT /box/q | x-ms-blob-type: PageBlob{headers} → {verdict} \n HEAD /box/q → 404 BlobNotFound"),
        )
        .await;
    }
    check_in(
        &server,
        "PUT /box/q | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 0 → 201
         GET /box/q → 200 | content-length: 0 | {}
         GET /box/q?comp=pagelist → 200 | x-ms-blob-content-length: 0 | ~<PageList />
         PUT /box/q | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-blob-sequence-number: 7; x-ms-meta-a: 1; x-ms-blob-content-type: text/plain → 201 | etag: $e; x-ms-request-server-encrypted: true
         HEAD /box/q → 200 | etag: {e}; x-ms-blob-type: PageBlob; content-length: 512; x-ms-blob-sequence-number: 7; x-ms-meta-a: 1; content-type: text/plain; x-ms-access-tier: -
         GET /box?restype=container&comp=list&prefix=q → 200 | | ~<x-ms-blob-sequence-number>7</x-ms-blob-sequence-number><BlobType>PageBlob</BlobType>
         # blobs of other types have no pages
         PUT /box/b | x-ms-blob-type: BlockBlob | b → 201
         HEAD /box/b → 200 | x-ms-blob-sequence-number: -
         PUT /box/b?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511 | {512*a} → 409 InvalidBlobType
         GET /box/b?comp=pagelist → 409 InvalidBlobType",
    )
    .await;
}

#[tokio::test]
async fn pages_are_written_and_cleared() {
    check_in(
        &server().await,
        "HEAD /box/p → 200 | etag: $e0
         wait 10
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=512-1023 | {512*a} → 201 | etag: $e1; last-modified: {at}; x-ms-blob-sequence-number: 0; x-ms-content-crc64: -; content-md5: +; x-ms-request-server-encrypted: true | {}
         GET /box/p | if-match: {e0} → 412 ConditionNotMet
         GET /box/p | x-ms-range: bytes=510-513 → 206 | content-range: bytes 510-513/2048 | \0\0aa
         # the other header, another case, another version
         PUT /box/p?comp=page | x-ms-page-write: Update; range: bytes=1024-2047; x-ms-version: 2018-11-09 | {1024*b} → 201 | content-md5: +; x-ms-content-crc64: -
         GET /box/p | x-ms-range: bytes=1022-1025 → 206 | | aabb
         # x-ms-range counts, not range
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; range: bytes=1024-1535 | {512*c} → 201
         GET /box/p | x-ms-range: bytes=1024-1024 → 206 | | b
         GET /box/p?comp=pagelist → 200 | | ~<PageList><PageRange><Start>0</Start><End>2047</End></PageRange></PageList>
         PUT /box/p?comp=page | x-ms-page-write: Update; range: bytes=1024-2047; x-ms-version: 2019-02-02 | {1024*b} → 201 | content-md5: -; x-ms-content-crc64: +
         # a write to a premium blob always reports the MD5
         PUT /box/premium | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512; x-ms-access-tier: P10 → 201
         PUT /box/premium?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-version: 2019-02-02 | {512*a} → 201 | content-md5: +; x-ms-content-crc64: -
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=512-1535 → 201 | x-ms-blob-sequence-number: 0; x-ms-content-crc64: -; content-md5: -
         GET /box/p | x-ms-range: bytes=510-513 → 206 | | cc\0\0
         GET /box/p?comp=pagelist → 200 | x-ms-blob-content-length: 2048; content-type: application/xml | ~<PageList><PageRange><Start>0</Start><End>511</End></PageRange><PageRange><Start>1536</Start><End>2047</End></PageRange></PageList>
         # pages that are already clear
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=512-1023 → 201
         HEAD /box/p → 200 | content-length: 2048",
    )
    .await;
}

#[tokio::test]
async fn invalid_writes_are_refused() {
    let server = server().await;
    let etag = server.request("HEAD", "/box/p").send().await.header("etag").to_owned();
    let page = "a".repeat(512);
    let update = |range: &str| format!("x-ms-page-write: update; x-ms-range: {range}");
    for (headers, body, verdict) in [
        (update("bytes=0-510"), &page[..511], "416 InvalidPageRange"),
        (update("bytes=1-512"), &page, "416 InvalidPageRange"),
        (update("bytes=2048-2559"), &page, "416 InvalidPageRange"),
        (update("bytes=1536-2559"), &page, "416 InvalidPageRange"),
        (update("bytes=0-"), &page, "400 InvalidHeaderValue"),
        (update("0-511"), &page, "400 InvalidHeaderValue"),
        (update("bytes=511-0"), &page, "400 InvalidHeaderValue"),
        (update("bytes=0-511"), "short", "400 InvalidHeaderValue"),
        (update("bytes=0-1023"), &page, "400 InvalidHeaderValue"),
        (update("bytes=0-511"), "", "400 InvalidHeaderValue"),
        ("x-ms-page-write: update".into(), &page, "400 MissingRequiredHeader"),
        ("x-ms-range: bytes=0-511".into(), &page, "400 MissingRequiredHeader"),
        ("x-ms-page-write: append; x-ms-range: bytes=0-511".into(), &page, "400 InvalidHeaderValue"),
        ("x-ms-page-write: clear; x-ms-range: bytes=0-511".into(), &page, "400 InvalidHeaderValue"),
        ("x-ms-page-write: clear; x-ms-range: bytes=2048-2559".into(), "", "416 InvalidPageRange"),
        (update("bytes=0-511; content-md5: 1B2M2Y8AsgTpgAmY7PhCfg=="), &page, "400 Md5Mismatch"),
        (update("bytes=0-511; x-ms-content-crc64: AAAAAAAAAAA="), &page, "400 Crc64Mismatch"),
        (update("bytes=0-511; if-match: \"0x1\""), &page, "412 ConditionNotMet"),
        (update("bytes=0-511; if-none-match: *"), &page, "412 ConditionNotMet"),
        (update("bytes=0-511; x-ms-lease-id: {A}"), &page, "412 LeaseNotPresentWithBlobOperation"),
    ] {
        check_in(&server, &format!("PUT /box/p?comp=page | {headers} | {body} → {verdict}")).await;
    }
    check_in(
        &server,
        &format!(
            "GET /box/p?comp=pagelist → 200 | etag: {etag} | ~<PageList />
             PUT /box/none?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511 → 404 BlobNotFound
             PUT /box/p?comp=properties | x-ms-blob-content-length: 8389120 → 200"
        ),
    )
    .await;
    let four = |extra: usize| {
        let range = format!("bytes=0-{}", (4 << 20) + extra - 1);
        let put = server.request("PUT", "/box/p?comp=page").header("x-ms-page-write", "update").header("x-ms-range", range);
        put.body(vec![1_u8; (4 << 20) + extra]).send()
    };
    let refused = four(512).await;
    assert_eq!((refused.verdict().as_str(), refused.element("MaxLimit")), ("413 RequestBodyTooLarge", "4194304"));
    assert_eq!(four(0).await.verdict(), "201");
    // There is no limit for clearing.
    check_in(
        &server,
        "PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-8389119 → 201 \n GET /box/p?comp=pagelist → 200 | | ~<PageList />",
    )
    .await;
}

#[tokio::test]
async fn sequence_numbers() {
    let server = server().await;
    check_in(
        &server,
        "HEAD /box/p → 200 | etag: $e
         PUT /box/p?comp=properties | x-ms-sequence-number-action: update; x-ms-blob-sequence-number: 7 → 200 | x-ms-blob-sequence-number: 7; etag: $f
         GET /box/p | if-match: {e} → 412 ConditionNotMet
         PUT /box/p?comp=properties | x-ms-sequence-number-action: max; x-ms-blob-sequence-number: 5 → 200 | x-ms-blob-sequence-number: 7
         PUT /box/p?comp=properties | x-ms-sequence-number-action: max; x-ms-blob-sequence-number: 9 → 200 | x-ms-blob-sequence-number: 9
         PUT /box/p?comp=properties | x-ms-sequence-number-action: increment → 200 | x-ms-blob-sequence-number: 10
         PUT /box/p?comp=properties | x-ms-sequence-number-action: increment; x-ms-blob-sequence-number: 1 → 400 InvalidHeaderValue
         PUT /box/p?comp=properties | x-ms-sequence-number-action: update → 400 MissingRequiredHeader
         PUT /box/p?comp=properties | x-ms-sequence-number-action: update; x-ms-blob-sequence-number: -1 → 400 InvalidHeaderValue
         PUT /box/p?comp=properties | x-ms-sequence-number-action: halve; x-ms-blob-sequence-number: 1 → 400 InvalidHeaderValue
         HEAD /box/p → 200 | x-ms-blob-sequence-number: 10",
    )
    .await;
    let not_met = "412 SequenceNumberConditionNotMet";
    for (condition, verdict) in [
        ("le: 9", not_met),
        ("le: 10", "201"),
        ("lt: 10", not_met),
        ("lt: 11", "201"),
        ("eq: 9", not_met),
        ("eq: 11", not_met),
        ("eq: 10", "201"),
        ("le: 10; x-ms-if-sequence-number-eq: 9", not_met),
        ("le: -1", "400 InvalidHeaderValue"),
        ("lt: -1", "400 InvalidHeaderValue"),
        ("eq: -1", "400 InvalidHeaderValue"),
        ("eq: ten", "400 InvalidHeaderValue"),
    ] {
        for (write, body) in [("update", "a".repeat(512)), ("clear", String::new())] {
            check_in(
                &server,
                &format!("PUT /box/p?comp=page | x-ms-page-write: {write}; x-ms-range: bytes=0-511; x-ms-if-sequence-number-{condition} | {body} → {verdict}"),
            )
            .await;
        }
    }
    check_in(
        &server,
        "PUT /box/p?comp=properties | x-ms-sequence-number-action: update; x-ms-blob-sequence-number: 9223372036854775807 → 200
         PUT /box/p?comp=properties | x-ms-sequence-number-action: increment → 409 SequenceNumberIncrementTooLarge",
    )
    .await;
}

#[tokio::test]
async fn a_page_blob_can_be_resized() {
    check_in(
        &server().await,
        "PUT /box/p?comp=properties | x-ms-blob-content-type: text/plain; x-ms-blob-content-md5: XUFAKrxLKna5cZ2REBfFkg== → 200
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-2047 | {2048*a} → 201
         PUT /box/p?comp=properties | x-ms-blob-content-length: 1000 → 400 InvalidHeaderValue
         PUT /box/p?comp=properties | x-ms-blob-content-length: 8796093022720 → 400 InvalidHeaderValue
         PUT /box/p?comp=properties | x-ms-blob-content-length: 1024 → 200 | etag: +; x-ms-blob-sequence-number: 0
         # the size alone does not change the content headers
         HEAD /box/p → 200 | content-length: 1024; content-type: text/plain
         GET /box/p?comp=pagelist → 200 | x-ms-blob-content-length: 1024 | ~<PageList><PageRange><Start>0</Start><End>1023</End></PageRange></PageList>
         GET /box/p | x-ms-range: bytes=1024- → 416 InvalidRange
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=1024-1535 | {512*b} → 416 InvalidPageRange
         # truncated pages do not come back
         PUT /box/p?comp=properties | x-ms-blob-content-length: 4096 → 200
         GET /box/p | x-ms-range: bytes=1022-1025 → 206 | content-range: bytes 1022-1025/4096 | aa\0\0
         GET /box/p?comp=pagelist → 200 | x-ms-blob-content-length: 4096 | ~<End>1023</End></PageRange></PageList>
         PUT /box/p?comp=properties | x-ms-blob-content-length: 512; if-match: \"0x1\" → 412 ConditionNotMet
         PUT /box/p?comp=properties | x-ms-blob-content-length: 0 → 200
         GET /box/p → 200 | content-length: 0 | {}
         PUT /box/p?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/p?comp=properties | x-ms-blob-content-length: 512 → 412 LeaseIdMissing
         PUT /box/p?comp=properties | x-ms-blob-content-length: 512; x-ms-lease-id: {A} → 200
         PUT /box/p?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511 → 412 LeaseIdMissing
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-lease-id: {B} | {512*a} → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-511; x-ms-lease-id: {A} | {512*a} → 201
         GET /box/p?comp=pagelist | x-ms-lease-id: {B} → 412 LeaseIdMismatchWithBlobOperation
         GET /box/p?comp=pagelist | x-ms-lease-id: {A} → 200
         GET /box/p?comp=pagelist → 200",
    )
    .await;
}

#[tokio::test]
async fn page_ranges_are_listed_by_range_and_in_pages() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/p?comp=properties | x-ms-blob-content-length: 8192 → 200
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=0-1023 | {1024*a} → 201
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=2048-2559 | {512*a} → 201
         PUT /box/p?comp=page | x-ms-page-write: update; x-ms-range: bytes=4096-4607 | {512*a} → 201 | etag: $e
         GET /box/p?comp=pagelist | x-ms-range: bytes=512-2559 → 200 | etag: {e}; x-ms-blob-content-length: 8192 | ~<PageList><PageRange><Start>512</Start><End>1023</End></PageRange><PageRange><Start>2048</Start><End>2559</End></PageRange></PageList>
         GET /box/p?comp=pagelist | range: bytes=4096-8191 → 200 | | ~<PageList><PageRange><Start>4096</Start><End>4607</End></PageRange></PageList>
         GET /box/p?comp=pagelist | x-ms-range: bytes=5120-8191 → 200 | | ~<PageList />
         GET /box/p?comp=pagelist | x-ms-range: bytes=8192- → 416 InvalidRange
         GET /box/p?comp=pagelist | if-match: \"0x1\" → 412 ConditionNotMet
         GET /box/p?comp=pagelist | if-none-match: {e} → 304 ConditionNotMet
         GET /box/p?comp=pagelist&maxresults=0 → 400 OutOfRangeInput
         GET /box/p?comp=pagelist&maxresults=none → 400 InvalidQueryParameterValue
         GET /box/p?comp=pagelist&marker=none → 400 InvalidQueryParameterValue
         GET /box/none?comp=pagelist → 404 BlobNotFound
         # only a page of ranges has a marker
         GET /box/p?comp=pagelist → 200 | | !NextMarker
         GET /box/p?comp=pagelist&maxresults=3 → 200 | | ~<NextMarker />",
    )
    .await;
    let whole = server.request("GET", "/box/p?comp=pagelist").send().await;
    assert_eq!(whole.elements("Start"), ["0", "2048", "4096"]);
    for size in 1..=3 {
        let (mut starts, mut marker) = (Vec::new(), String::new());
        loop {
            let page = server.request("GET", &format!("/box/p?comp=pagelist&maxresults={size}&marker={marker}")).send().await;
            assert!(page.elements("Start").len() <= size);
            starts.extend(page.elements("Start").into_iter().map(str::to_owned));
            marker = page.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!(starts, ["0", "2048", "4096"], "{size} at a time");
    }
}
