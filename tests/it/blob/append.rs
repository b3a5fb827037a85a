//! Append blobs: blocks are added at their end until they are sealed.

use crate::scenario::check_in;
use crate::server::TestServer;
use futures::future::join_all;

/// A server with an empty append blob `/box/a`.
async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(&server, "PUT /box/a | x-ms-blob-type: AppendBlob → 201").await;
    server
}

#[tokio::test]
async fn an_append_blob_is_created_empty() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: AppendBlob | no → 400 InvalidHeaderValue | | ~<HeaderName>Content-Length</HeaderName><HeaderValue>2</HeaderValue>
         PUT /box/b | x-ms-blob-type: AppendBlob; x-ms-access-tier: Hot → 400 AccessTierNotSupportedForBlobType
         GET /box/b → 404 BlobNotFound
         PUT /box/b | x-ms-blob-type: AppendBlob; x-ms-blob-content-type: text/plain; x-ms-meta-a: 1; x-ms-tags: k=v → 201 | etag: $e; last-modified: {at}; x-ms-request-server-encrypted: true; content-md5: -
         GET /box/b → 200 | etag: {e}; x-ms-blob-type: AppendBlob; x-ms-blob-committed-block-count: 0; content-length: 0; content-type: text/plain; x-ms-meta-a: 1; x-ms-tag-count: 1; content-md5: - | {}
         HEAD /box/b → 200 | x-ms-blob-type: AppendBlob; x-ms-blob-committed-block-count: 0; x-ms-access-tier: -; x-ms-blob-sealed: -
         GET /box?restype=container&comp=list&prefix=b → 200 | | ~<BlobType>AppendBlob</BlobType> | !<AccessTier> | !<Sealed>
         # created again it is empty, unless a condition forbids it
         PUT /box/b?comp=appendblock | | old → 201
         PUT /box/b | x-ms-blob-type: AppendBlob; if-none-match: * → 409 BlobAlreadyExists
         PUT /box/b | x-ms-blob-type: AppendBlob → 201
         GET /box/b → 200 | x-ms-blob-committed-block-count: 0; x-ms-meta-a: - | {}",
    )
    .await;
}

#[tokio::test]
async fn blocks_are_added_at_the_end() {
    check_in(
        &server().await,
        "HEAD /box/a → 200 | etag: $e0
         wait 10
         PUT /box/a?comp=appendblock | | hello → 201 | etag: $e1; last-modified: {at}; x-ms-blob-append-offset: 0; x-ms-blob-committed-block-count: 1; x-ms-content-crc64: V0JSBnCFdzM=; content-md5: -; x-ms-request-server-encrypted: true; content-length: 0 | {}
         GET /box/a | if-match: {e0} → 412 ConditionNotMet
         PUT /box/a?comp=appendblock | content-md5: XUFAKrxLKna5cZ2REBfFkg== | hello → 201 | x-ms-blob-append-offset: 5; x-ms-blob-committed-block-count: 2; content-md5: XUFAKrxLKna5cZ2REBfFkg==
         PUT /box/a?comp=appendblock | x-ms-content-crc64: V0JSBnCFdzM= | hello → 201 | x-ms-blob-append-offset: 10; x-ms-content-crc64: V0JSBnCFdzM=
         PUT /box/a?comp=appendblock | x-ms-version: 2018-11-09 | ! → 201 | x-ms-blob-append-offset: 15; content-md5: +; x-ms-content-crc64: -
         GET /box/a → 200 | content-length: 16; x-ms-blob-committed-block-count: 4; content-md5: - | hellohellohello!
         GET /box/a | x-ms-range: bytes=3-11 → 206 | content-range: bytes 3-11/16 | lohellohe
         GET /box/a | x-ms-range: bytes=14- → 206 | | o!
         GET /box/a | x-ms-range: bytes=16- → 416 InvalidRange
         # none of these changes the blob
         HEAD /box/a → 200 | etag: $now
         PUT /box/a?comp=appendblock → 400 InvalidHeaderValue | | ~<HeaderName>Content-Length</HeaderName><HeaderValue>0</HeaderValue>
         PUT /box/a?comp=appendblock | content-md5: 1B2M2Y8AsgTpgAmY7PhCfg== | x → 400 Md5Mismatch
         PUT /box/a?comp=appendblock | content-md5: nope | x → 400 InvalidMd5
         PUT /box/a?comp=appendblock | x-ms-content-crc64: AAAAAAAAAAA= | x → 400 Crc64Mismatch
         PUT /box/a?comp=appendblock | content-md5: XUFAKrxLKna5cZ2REBfFkg==; x-ms-content-crc64: V0JSBnCFdzM= | hello → 400 BothCrc64AndMd5HeaderPresent
         HEAD /box/a → 200 | etag: {now}; content-length: 16
         # nothing to append to
         PUT /box/none?comp=appendblock | | x → 404 BlobNotFound
         PUT /none/a?comp=appendblock | | x → 404 ContainerNotFound
         PUT /box/none?comp=seal → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn only_an_append_blob_accepts_appends() {
    let server = server().await;
    server.blob("/box/block", "block").await;
    check_in(
        &server,
        "PUT /box/page | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201
         PUT /box/block?comp=appendblock | | x → 409 InvalidBlobType
         PUT /box/page?comp=appendblock | | x → 409 InvalidBlobType
         PUT /box/block?comp=seal → 409 InvalidBlobType
         PUT /box/page?comp=seal → 409 InvalidBlobType
         PUT /box/a?comp=page | x-ms-page-write: clear; x-ms-range: bytes=0-511 → 409 InvalidBlobType
         GET /box/a?comp=pagelist → 409 InvalidBlobType
         PUT /box/a?comp=properties | x-ms-blob-content-length: 512 → 409 InvalidBlobType
         PUT /box/a?comp=block&blockid=QQ== | | x → 409 InvalidBlobType
         PUT /box/a?comp=blocklist | | <BlockList/> → 409 InvalidBlobType
         GET /box/a?comp=blocklist → 409 InvalidBlobType
         HEAD /box/a → 200 | x-ms-blob-type: AppendBlob; content-length: 0
         # Put Blob replaces it by a blob of any type
         PUT /box/a | x-ms-blob-type: BlockBlob | new → 201
         PUT /box/a?comp=appendblock | | x → 409 InvalidBlobType",
    )
    .await;
}

#[tokio::test]
async fn lease_operations_check_conditions() {
    let server = server().await;
    check_in(&server, "PUT /box/a?comp=appendblock | | 12345 → 201 \n wait 10").await;
    let position = "412 AppendPositionConditionNotMet";
    let size = "412 MaxBlobSizeConditionNotMet";
    let cases = [
        ("x-ms-blob-condition-appendpos: 0", position),
        ("x-ms-blob-condition-appendpos: 6", position),
        ("x-ms-blob-condition-appendpos: five", "400 InvalidHeaderValue"),
        ("x-ms-blob-condition-appendpos: -1", "400 InvalidHeaderValue"),
        ("x-ms-blob-condition-maxsize: 5", size),
        ("x-ms-blob-condition-maxsize: 0", size),
        ("x-ms-blob-condition-maxsize: large", "400 InvalidHeaderValue"),
        ("x-ms-blob-condition-appendpos: 5; x-ms-blob-condition-maxsize: 5", size),
        ("x-ms-blob-condition-appendpos: 4; x-ms-blob-condition-maxsize: 6", position),
        ("if-match: \"0x8D2C9167D53FC2C\"", "412 ConditionNotMet"),
        ("if-match: 0x8D2C9167D53FC2C", "412 ConditionNotMet"),
        // An ETag is a time, and this one is in the year 244.
        ("if-match: 0x111111111111111", "400 OutOfRangeInput"),
        ("if-none-match: *", "412 ConditionNotMet"),
        ("if-modified-since: {at-10}", "412 ConditionNotMet"),
        ("if-unmodified-since: {at-11}", "412 ConditionNotMet"),
        ("x-ms-if-tags: \"k\" = 'v'", "412 ConditionNotMet"),
        // The conditions on the blob are checked before those on its end.
        ("if-match: \"0x8D2C9167D53FC2C\"; x-ms-blob-condition-appendpos: 0", "412 ConditionNotMet"),
        ("x-ms-blob-condition-appendpos: 5", "201"),
        ("x-ms-blob-condition-maxsize: 7", "201"),
        ("x-ms-blob-condition-appendpos: 7; x-ms-blob-condition-maxsize: 8", "201"),
        ("if-match: *", "201"),
        ("if-none-match: \"0x1\"", "201"),
    ];
    let mut length = 5;
    for (headers, verdict) in cases {
        length += usize::from(verdict == "201");
        check_in(
            &server,
            &format!("PUT /box/a?comp=appendblock | {headers} | x → {verdict} \n HEAD /box/a → 200 | content-length: {length}"),
        )
        .await;
    }
    assert_eq!(length, 10);
}

#[tokio::test]
async fn under_a_lease() {
    check_in(
        &server().await,
        "PUT /box/a?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         PUT /box/a?comp=appendblock | | x → 412 LeaseIdMissing
         PUT /box/a?comp=appendblock | x-ms-lease-id: {B} | x → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/a?comp=appendblock | x-ms-lease-id: {A} | x → 201
         PUT /box/a?comp=seal → 412 LeaseIdMissing
         PUT /box/a?comp=seal | x-ms-lease-id: {B} → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/a?comp=seal | x-ms-lease-id: {A} → 200
         HEAD /box/a → 200 | content-length: 1; x-ms-blob-sealed: true; x-ms-lease-state: leased",
    )
    .await;
}

#[tokio::test]
async fn a_sealed_blob_accepts_no_appends() {
    let server = server().await;
    let url = format!("{}/box/a", server.blob_url());
    check_in(
        &server,
        &"PUT /box/a?comp=appendblock | | text → 201 | etag: $before
         wait 10
         PUT /box/a?comp=seal | x-ms-blob-condition-appendpos: 3 → 412 AppendPositionConditionNotMet
         PUT /box/a?comp=seal | if-match: \"0x1\" → 412 ConditionNotMet
         HEAD /box/a → 200 | x-ms-blob-sealed: -; etag: {before}
         PUT /box/a?comp=seal | x-ms-blob-condition-appendpos: 4 → 200 | x-ms-blob-sealed: true; etag: $sealed; last-modified: {at}; content-length: 0
         GET /box/a | if-none-match: {before} → 200 | x-ms-blob-sealed: true; etag: {sealed}; x-ms-blob-committed-block-count: 1 | text
         HEAD /box/a → 200 | x-ms-blob-sealed: true
         GET /box?restype=container&comp=list → 200 | | ~<Sealed>true</Sealed>
         PUT /box/a?comp=appendblock | | more → 409 BlobIsSealed
         PUT /box/a?comp=appendblock | x-ms-blob-condition-appendpos: 0 | more → 409 BlobIsSealed
         GET /box/a → 200 | etag: {sealed} | text
         # it may be sealed again, described anew, tagged, snapshot and copied
         PUT /box/a?comp=seal → 200 | x-ms-blob-sealed: true
         PUT /box/a?comp=metadata | x-ms-meta-a: 1 → 200
         PUT /box/a?comp=properties | x-ms-blob-content-type: text/plain → 200
         PUT /box/a?comp=snapshot → 201 | x-ms-snapshot: $s
         GET /box/a?snapshot={s} → 200 | x-ms-blob-sealed: true | text
         HEAD /box/a → 200 | x-ms-blob-sealed: true; x-ms-meta-a: 1
         # the copy of a sealed blob is sealed (recorded)
         PUT /box/c | x-ms-copy-source: URL → 202
         HEAD /box/c → 200 | x-ms-blob-sealed: true
         PUT /box/c?comp=appendblock | | more → 409 BlobIsSealed
         # created again it is not sealed
         PUT /box/a | x-ms-blob-type: AppendBlob → 201
         PUT /box/a?comp=appendblock | | new → 201
         # a copy can be sealed by the request
         PUT /box/d | x-ms-copy-source: URL; x-ms-seal-blob: perhaps → 400 InvalidHeaderValue
         PUT /box/d | x-ms-copy-source: URL; x-ms-seal-blob: false → 202
         PUT /box/d?comp=appendblock | | more → 201
         PUT /box/e | x-ms-copy-source: URL; x-ms-seal-blob: true → 202
         HEAD /box/e → 200 | x-ms-blob-sealed: true; content-length: 3
         PUT /box/e?comp=appendblock | | more → 409 BlobIsSealed
         PUT /box/a?comp=appendblock | | + → 201"
            .replace("URL", &url),
    )
    .await;
}

/// Azurite lets source and copy share one list of blocks, and corrupts both.
#[tokio::test]
async fn appends_to_a_copy_do_not_affect_its_source() {
    let server = server().await;
    let url = format!("{}/box/a", server.blob_url());
    check_in(
        &server,
        &"PUT /box/a?comp=appendblock | | one → 201
         PUT /box/copy | x-ms-copy-source: URL → 202
         PUT /box/a?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/copy?comp=appendblock | | TWO → 201 | x-ms-blob-append-offset: 3; x-ms-blob-committed-block-count: 2
         PUT /box/a?comp=appendblock | | two → 201 | x-ms-blob-append-offset: 3; x-ms-blob-committed-block-count: 2
         PUT /box/copy?comp=appendblock | | THREE → 201 | x-ms-blob-append-offset: 6
         GET /box/a → 200 | x-ms-blob-committed-block-count: 2 | onetwo
         GET /box/copy → 200 | x-ms-blob-committed-block-count: 3 | oneTWOTHREE
         GET /box/a?snapshot={s} → 200 | x-ms-blob-committed-block-count: 1 | one
         PUT /box/a?comp=appendblock&snapshot={s} | | no → 400 InvalidQueryParameterValue
         PUT /box/a?comp=seal&snapshot={s} → 400 InvalidQueryParameterValue"
            .replace("URL", &url),
    )
    .await;
}

#[tokio::test]
async fn concurrent_appends_are_serialized() {
    const WRITERS: usize = 24;
    const SIZE: usize = 1000;
    let server = server().await;
    let append = |n: usize| server.request("PUT", "/box/a?comp=appendblock").body(vec![b'a' + n as u8; SIZE]).send();
    let answers = join_all((0..WRITERS).map(append)).await;
    let content = server.request("GET", "/box/a").send().await.body;
    assert_eq!(content.len(), WRITERS * SIZE);
    let mut counts: Vec<usize> = Vec::new();
    for (n, answer) in answers.iter().enumerate() {
        assert_eq!(answer.verdict(), "201");
        let offset: usize = answer.header("x-ms-blob-append-offset").parse().unwrap();
        let count: usize = answer.header("x-ms-blob-committed-block-count").parse().unwrap();
        assert_eq!(offset, (count - 1) * SIZE, "the count is of that very moment");
        assert!(content[offset..offset + SIZE].iter().all(|byte| *byte == b'a' + n as u8), "writer {n} at {offset}");
        counts.push(count);
    }
    counts.sort_unstable();
    assert_eq!(counts, (1..=WRITERS).collect::<Vec<_>>());
}

#[tokio::test]
async fn of_concurrent_appends_at_a_position_one_succeeds() {
    let server = server().await;
    let append =
        |n: u8| server.request("PUT", "/box/a?comp=appendblock").header("x-ms-blob-condition-appendpos", 0).body(vec![n]).send();
    let mut verdicts: Vec<String> = join_all((b'a'..b'k').map(append)).await.iter().map(|answer| answer.verdict()).collect();
    verdicts.sort_unstable();
    assert_eq!(verdicts[0], "201");
    assert!(verdicts[1..].iter().all(|verdict| verdict == "412 AppendPositionConditionNotMet"), "{verdicts:?}");
    assert_eq!(server.request("GET", "/box/a").send().await.body.len(), 1);
}

#[tokio::test]
async fn the_limit_of_a_block_depends_on_the_version() {
    let server = server().await;
    let append = |version: &'static str, size: usize| {
        server.request("PUT", "/box/a?comp=appendblock").header("x-ms-version", version).body(vec![1_u8; size]).send()
    };
    let refused = append("2021-12-02", (4 << 20) + 1).await;
    assert_eq!((refused.verdict().as_str(), refused.element("MaxLimit")), ("413 RequestBodyTooLarge", "4194304"));
    assert_eq!(append("2021-12-02", 4 << 20).await.verdict(), "201");
    assert_eq!(append("2022-11-02", (4 << 20) + 1).await.verdict(), "201");
    let head = server.request("HEAD", "/box/a").send().await;
    assert_eq!(head.header("content-length"), ((8 << 20) + 1).to_string());
}
