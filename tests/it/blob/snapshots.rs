//! Snapshots: states of a blob, stored and read by the time at which they were taken.

use crate::auth::token;
use crate::scenario::check_in;
use crate::server::TestServer;

async fn server() -> TestServer {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob; content-type: text/plain; x-ms-meta-a: 1; x-ms-tags: k=v | old → 201",
    )
    .await;
    server
}

#[tokio::test]
async fn lists_report_the_tier_of_a_snapshot_since_2019() {
    check_in(
        &server().await,
        "PUT /box/s | x-ms-blob-type: BlockBlob | x → 201
         PUT /box/s?comp=snapshot → 201
         GET /box?restype=container&comp=list&include=snapshots&prefix=s&maxresults=1 | x-ms-version: 2018-11-09 → 200 | | ~<Snapshot> | !AccessTier
         GET /box?restype=container&comp=list&include=snapshots&prefix=s&maxresults=1 | x-ms-version: 2019-02-02 → 200 | | ~<Snapshot> | ~<AccessTier>Hot</AccessTier>
         GET /box?restype=container&comp=list&prefix=s | x-ms-version: 2018-11-09 → 200 | | ~<AccessTier>Hot</AccessTier>",
    )
    .await;
}

#[tokio::test]
async fn a_snapshot_stays_as_it_was() {
    check_in(
        &server().await,
        "HEAD /box/b → 200 | etag: $e; last-modified: $l
         wait 10
         # without metadata it has the state of the blob, which does not change
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s1; etag: {e}; last-modified: {l}; x-ms-request-server-encrypted: false | {}
         HEAD /box/b → 200 | etag: {e}; last-modified: {l}
         # with metadata it is another state
         PUT /box/b?comp=snapshot | x-ms-meta-z: 9 → 201 | x-ms-snapshot: $s2; etag: $e2; last-modified: {at}
         HEAD /box/b → 200 | etag: {e}; x-ms-meta-a: 1; x-ms-meta-z: -
         PUT /box/b | x-ms-blob-type: BlockBlob | new → 201
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         GET /box/b?snapshot={s1} → 200 | etag: {e}; content-type: text/plain; x-ms-meta-a: 1; x-ms-tag-count: 1; x-ms-lease-state: -; x-ms-lease-status: - | old
         GET /box/b?snapshot={s1} | x-ms-range: bytes=1-1 → 206 | | l
         HEAD /box/b?snapshot={s2} → 200 | etag: {e2}; x-ms-meta-z: 9; x-ms-meta-a: -; x-ms-lease-state: -
         HEAD /box/b?snapshot={s2}&comp=metadata → 200 | x-ms-meta-z: 9; etag: {e2}
         GET /box/b?snapshot={s1}&comp=tags → 200 | | ~<Tag><Key>k</Key><Value>v</Value></Tag>
         GET /box/b?snapshot={s1} | if-match: {e2} → 412 ConditionNotMet
         GET /box/b → 200 | | new
         # times without a snapshot
         GET /box/b?snapshot=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound
         GET /box/b?snapshot=yesterday → 400 InvalidQueryParameterValue | | ~<Reason>Must be in the specific snapshot date time format.</Reason>
         HEAD /box/b?snapshot=yesterday → 400 InvalidQueryParameterValue
         PUT /box/none?comp=snapshot → 404 BlobNotFound
         PUT /none/b?comp=snapshot → 404 ContainerNotFound
         # a lease id is checked only if the request has one
         PUT /box/b?comp=snapshot → 201
         PUT /box/b?comp=snapshot | x-ms-lease-id: {A} → 201
         PUT /box/b?comp=snapshot | x-ms-lease-id: {B} → 412 LeaseIdMismatchWithBlobOperation
         PUT /box/b?comp=snapshot | if-match: {e} → 412 ConditionNotMet",
    )
    .await;
}

#[tokio::test]
async fn nobody_writes_to_a_snapshot() {
    let server = server().await;
    check_in(&server, "PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: +").await;
    let taken = server.request("PUT", "/box/b?comp=snapshot").send().await.header("x-ms-snapshot").to_owned();
    for (query, headers, body) in [
        ("", "x-ms-blob-type: BlockBlob", "x"),
        ("&comp=metadata", "x-ms-meta-a: 2", ""),
        ("&comp=properties", "x-ms-blob-content-type: text/css", ""),
        ("&comp=block&blockid=QQ==", "", "x"),
        ("&comp=blocklist", "", "<BlockList/>"),
        ("&comp=snapshot", "", ""),
        ("&comp=tags", "", "<Tags><TagSet/></Tags>"),
        ("&comp=lease", "x-ms-lease-action: acquire; x-ms-lease-duration: -1", ""),
    ] {
        check_in(
            &server,
            &format!(
                "PUT /box/b?snapshot={taken}{query} | {headers} | {body} → 400 InvalidQueryParameterValue
                 GET /box/b?snapshot={taken} → 200 | x-ms-meta-a: 1; content-type: text/plain | old"
            ),
        )
        .await;
    }
}

#[tokio::test]
async fn snapshots_are_deleted_with_the_blob_or_without_it() {
    check_in(
        &server().await,
        "PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s1
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s2
         DELETE /box/b → 409 SnapshotsPresent
         DELETE /box/b | x-ms-delete-snapshots: some → 400 InvalidHeaderValue
         DELETE /box/b?snapshot={s1} | x-ms-delete-snapshots: include → 400 InvalidHeaderValue
         DELETE /box/b?snapshot={s1} | x-ms-delete-snapshots: only → 400 InvalidHeaderValue
         GET /box/b?snapshot={s1} → 200 | | old
         # the lease of the blob does not protect its snapshots
         PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         DELETE /box/b?snapshot={s1} → 202 | x-ms-delete-type-permanent: true
         DELETE /box/b?snapshot={s1} → 404 BlobNotFound
         GET /box/b?snapshot={s1} → 404 BlobNotFound
         GET /box/b?snapshot={s2} → 200 | | old
         DELETE /box/b | x-ms-delete-snapshots: include → 412 LeaseIdMissing
         DELETE /box/b | x-ms-delete-snapshots: only; x-ms-lease-id: {A} → 202
         GET /box/b?snapshot={s2} → 404 BlobNotFound
         GET /box/b → 200 | | old
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s3
         DELETE /box/b | x-ms-delete-snapshots: include; x-ms-lease-id: {A} → 202
         GET /box/b → 404 BlobNotFound
         GET /box/b?snapshot={s3} → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn a_snapshot_is_promoted_by_a_copy() {
    let server = server().await;
    let url = format!("{}/box/b", server.blob_url());
    check_in(
        &server,
        &"PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s
         PUT /box/b | x-ms-blob-type: BlockBlob | new → 201
         PUT /box/b | x-ms-copy-source: URL?snapshot={s} → 202
         GET /box/b → 200 | content-type: text/plain; x-ms-meta-a: 1; x-ms-copy-source: URL?snapshot={s} | old
         GET /box/b?snapshot={s} → 200 | | old
         # blocks are those of their time
         PUT /box/c?comp=block&blockid=QQ== | | one → 201
         PUT /box/c?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
         PUT /box/c?comp=snapshot → 201 | x-ms-snapshot: $t
         PUT /box/c?comp=block&blockid=Qg== | | two → 201
         GET /box/c?comp=blocklist&blocklisttype=all&snapshot={t} → 200 | | ~<CommittedBlocks><Block><Name>QQ==</Name><Size>3</Size></Block></CommittedBlocks><UncommittedBlocks />
         PUT /box/c?comp=blocklist | | <BlockList><Latest>Qg==</Latest></BlockList> → 201
         GET /box/c?comp=blocklist&snapshot={t} → 200 | | ~<Name>QQ==</Name> | !<Name>Qg==</Name>
         GET /box/c?snapshot={t} → 200 | | one"
            .replace("URL", &url),
    )
    .await;
}

/// Azurite lists them newest first, and loses those that a page cuts off.
#[tokio::test]
async fn snapshots_are_listed_oldest_first_before_their_blob() {
    let server = server().await;
    server.blob("/box/a", "a").await;
    server.blob("/box/c", "c").await;
    let mut wanted = vec![("a".to_owned(), String::new())];
    for _ in 0..3 {
        let taken = server.request("PUT", "/box/b?comp=snapshot").send().await;
        wanted.push(("b".to_owned(), taken.header("x-ms-snapshot").to_owned()));
    }
    wanted.push(("b".to_owned(), String::new()));
    wanted.push(("c".to_owned(), String::new()));
    assert!(wanted[1..4].is_sorted(), "each snapshot has a moment of its own");
    for size in 1..=7 {
        let (mut seen, mut marker) = (Vec::new(), String::new());
        loop {
            let target = format!("/box?restype=container&comp=list&include=snapshots&maxresults={size}&marker={marker}");
            let page = server.request("GET", &target).send().await;
            assert_eq!(page.verdict(), "200");
            let blobs = page.text().split("<Blob>").skip(1);
            let part = |blob: &str, name: &str| {
                let (_, rest) = blob.split_once(&format!("<{name}>"))?;
                Some(rest.split_once('<')?.0.to_owned())
            };
            let before = seen.len();
            seen.extend(blobs.map(|blob| (part(blob, "Name").unwrap(), part(blob, "Snapshot").unwrap_or_default())));
            assert!((1..=size).contains(&(seen.len() - before)));
            marker = page.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!(seen, wanted, "{size} at a time");
    }
    let plain = server.request("GET", "/box?restype=container&comp=list").send().await;
    assert_eq!(plain.elements("Name"), ["a", "b", "c"]);
}

#[tokio::test]
async fn a_signature_for_a_snapshot_opens_that_one() {
    let server = server().await;
    let first = server.request("PUT", "/box/b?comp=snapshot").send().await.header("x-ms-snapshot").to_owned();
    let second = server.request("PUT", "/box/b?comp=snapshot").send().await.header("x-ms-snapshot").to_owned();
    let sas = token::service("box/b", &format!("sv=2021-12-02&sr=bs&snapshot={first}&sp=rd&se=2099-01-01"));
    let coded = |moment: &str| moment.replace('-', "%2D").replace(':', "%3A").replace('.', "%2E");
    assert!(sas.contains(&coded(&first)), "{sas}");
    let denied = "403 AuthenticationFailed";
    for (method, target, verdict) in [
        ("GET", format!("/box/b?{sas}"), "200"),
        ("GET", format!("/box/b?{}", sas.replace(&coded(&first), &coded(&second))), denied),
        ("GET", format!("/box/c?{sas}"), denied),
        ("DELETE", format!("/box/b?{sas}"), "202"),
        ("GET", format!("/box/b?{sas}"), "404 BlobNotFound"),
    ] {
        assert_eq!(server.request(method, &target).anonymous().send().await.verdict(), verdict, "{method} {target}");
    }
    check_in(&server, &format!("GET /box/b → 200 | | old \n GET /box/b?snapshot={second} → 200 | | old")).await;
}
