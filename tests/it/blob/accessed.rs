//! Last access times, for accounts that track them: what changes them, and which answers report them.

use crate::auth::token;
use crate::scenario::{check, check_in};
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

/// A server whose account tracks accesses.
async fn server(options: &str) -> TestServer {
    let server = TestServer::with(&["--account", &format!("devstoreaccount1:{WELL_KNOWN_KEY},access-tracking{options}")]).await;
    server.container("box").await;
    server
}

const LIST: &str = "GET /box?restype=container&comp=list";

#[tokio::test]
async fn without_tracking_no_access_time_is_reported() {
    check(&format!(
        "PUT /box?restype=container → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
         GET /box/b → 200 | x-ms-last-access-time: -
         HEAD /box/b → 200 | x-ms-last-access-time: -
         {LIST} → 200 | | !LastAccessTime"
    ))
    .await;
}

#[tokio::test]
async fn the_first_read_of_a_day_counts_and_every_write() {
    let server = server("").await;
    check_in(
        &server,
        &format!(
            "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | etag: $e; last-modified: $m
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}
             {LIST} → 200 | | ~<Content-Disposition /><LastAccessTime>{{at}}</LastAccessTime><BlobType>BlockBlob
             # a request that reads no content is no access
             wait 10
             HEAD /box/b → 200 | x-ms-last-access-time: {{m}}
             GET /box/b?comp=metadata → 200 | x-ms-last-access-time: -
             GET /box/b?comp=tags → 200
             GET /box/b?comp=blocklist → 200
             {LIST} → 200 | | ~<LastAccessTime>{{m}}<
             PUT /box/b?comp=tags | x-ms-tags: a=b | <Tags><TagSet></TagSet></Tags> → 204
             PUT /box/b?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {{A}} → 201
             # a refused request is no access
             GET /box/b | if-none-match: {{e}} → 304 ConditionNotMet
             GET /box/b | range: bytes=9-10 → 416 InvalidRange
             HEAD /box/b → 200 | x-ms-last-access-time: {{m}}
             # a read reports the access before it
             GET /box/b | range: bytes=0-0 → 206 | x-ms-last-access-time: {{m}} | o
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}; etag: {{e}}; last-modified: {{m}}; x-ms-lease-state: leased
             wait 86399
             GET /box/b → 200
             HEAD /box/b → 200 | x-ms-last-access-time: {{at-86399}}
             wait 1
             GET /box/b → 200 | x-ms-last-access-time: {{at-86400}}
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}; etag: {{e}}
             {LIST} → 200 | | ~<LastAccessTime>{{at}}< | ~<Last-Modified>{{m}}<
             # a write is an access, and the next read is not recorded
             wait 5
             PUT /box/b?comp=metadata | x-ms-meta-a: 1; x-ms-lease-id: {{A}} → 200
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}
             wait 5
             GET /box/b → 200
             HEAD /box/b → 200 | x-ms-last-access-time: {{at-5}}
             # no read of a new blob is recorded yet
             PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-lease-id: {{A}} | two → 201
             wait 5
             GET /box/b → 200 | x-ms-last-access-time: {{at-5}}
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_copy_reads_its_source_and_writes_its_destination() {
    let server = server("").await;
    let url = format!("{}/box/s", server.blob_url());
    for (what, copy) in [
        ("Copy Blob", "PUT /box/d | x-ms-copy-source: URL → 202"),
        ("Copy Blob From URL", "PUT /box/d | x-ms-copy-source: URL?READER; x-ms-requires-sync: true → 202"),
        (
            "a copy that is refused",
            "PUT /box/d | x-ms-copy-source: URL; x-ms-source-if-match: \"0x1\" → 412 SourceConditionNotMet",
        ),
    ] {
        let read = if what.starts_with("Copy") { "{at}" } else { "{at-7}" };
        check_in(
            &server,
            &format!(
                "# {what}
                 PUT /box/s | x-ms-blob-type: BlockBlob | x → 201
                 wait 7
                 {}
                 HEAD /box/s → 200 | x-ms-last-access-time: {read}; last-modified: {{at-7}}",
                copy.replace("URL", &url).replace("READER", &token::reader("box"))
            ),
        )
        .await;
    }
    check_in(&server, "HEAD /box/d → 200 | x-ms-last-access-time: {at-7}").await;
}

#[tokio::test]
async fn queries_and_visits_of_a_website_are_reads() {
    let server = server("").await;
    let query = "<QueryRequest><QueryType>SQL</QueryType><Expression>SELECT * FROM BlobStorage</Expression></QueryRequest>";
    let settings = "<StorageServiceProperties><StaticWebsite><Enabled>true</Enabled><ErrorDocument404Path>404.html</ErrorDocument404Path></StaticWebsite></StorageServiceProperties>";
    check_in(
        &server,
        &format!(
            "PUT /box/b | x-ms-blob-type: BlockBlob | x → 201
             PUT /?restype=service&comp=properties | | {settings} → 202
             PUT /$web/404.html | x-ms-blob-type: BlockBlob | lost → 201
             wait 7
             POST /box/b?comp=query | | {query} → 200 | x-ms-last-access-time: {{at-7}}
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}"
        ),
    )
    .await;
    for (method, seen) in [("HEAD", "{at-7}"), ("GET", "{at}")] {
        let visit = server.visit(method, "devstoreaccount1.z6.web.core.windows.net", "/nowhere").send().await;
        assert_eq!(visit.status, 404, "{method}");
        check_in(&server, &format!("HEAD /$web/404.html → 200 | x-ms-last-access-time: {seen}")).await;
    }
}

#[tokio::test]
async fn current_block_blobs_report_the_access_time_since_2020_02_10() {
    let server = server(",versioning").await;
    check_in(
        &server,
        &format!(
            "PUT /box/append | x-ms-blob-type: AppendBlob → 201
             PUT /box/page | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201
             HEAD /box/append → 200 | x-ms-last-access-time: -
             GET /box/page → 200 | x-ms-last-access-time: -
             {LIST} → 200 | | !LastAccessTime
             PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | x-ms-version-id: $old
             PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $taken
             PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $now
             HEAD /box/b | x-ms-version: 2019-12-12 → 200 | x-ms-last-access-time: -
             HEAD /box/b | x-ms-version: 2020-02-10 → 200 | x-ms-last-access-time: {{at}}
             {LIST} | x-ms-version: 2019-12-12 → 200 | | !LastAccessTime
             {LIST} | x-ms-version: 2020-02-10 → 200 | | ~LastAccessTime
             wait 7
             GET /box/b?snapshot={{taken}} → 200 | x-ms-last-access-time: - | one
             GET /box/b?versionid={{old}} → 200 | x-ms-last-access-time: - | one
             HEAD /box/b → 200 | x-ms-last-access-time: {{at-7}}
             GET /box/b?versionid={{now}} → 200 | x-ms-last-access-time: {{at-7}} | two
             HEAD /box/b → 200 | x-ms-last-access-time: {{at}}
             # also for a name that only has versions (recorded)
             DELETE /box/b | x-ms-delete-snapshots: include → 202
             {LIST}&include=deletedwithversions → 200 | | ~<HasVersionsOnly>true</HasVersionsOnly> | ~<LastAccessTime>"
        ),
    )
    .await;
}
