//! Copy Blob, within the server.

use crate::scenario::check_in;
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

/// A server with a described blob `/box/source`, and its URL.
async fn server() -> (TestServer, String) {
    let server = TestServer::new().await;
    server.container("box").await;
    server.container("other").await;
    check_in(
        &server,
        "PUT /box/source | x-ms-blob-type: BlockBlob; content-type: text/plain; content-language: fr; x-ms-blob-cache-control: no-cache; x-ms-blob-content-disposition: inline; x-ms-meta-a: 1; x-ms-meta-b: 2; x-ms-tags: k=v | content → 201",
    )
    .await;
    let url = format!("{}/box/source", server.blob_url());
    (server, url)
}

#[tokio::test]
async fn a_copy_has_the_properties_of_its_source() {
    let (server, url) = server().await;
    server.wait(10);
    check_in(
        &server,
        &format!(
            "PUT /other/copy | x-ms-copy-source: {url} → 202 | etag: $e; last-modified: {{at}}; x-ms-copy-id: $id; x-ms-copy-status: success; content-length: 0 | {{}}
             GET /other/copy → 200 | etag: {{e}}; last-modified: {{at}}; x-ms-creation-time: {{at}}; content-type: text/plain; content-language: fr; cache-control: no-cache; content-disposition: inline; content-md5: mgNkuembtIDdJeHwKEyFVQ==; x-ms-meta-a: 1; x-ms-meta-b: 2; x-ms-tag-count: -; x-ms-copy-id: {{id}}; x-ms-copy-source: {url}; x-ms-copy-status: success; x-ms-copy-progress: 7/7; x-ms-copy-completion-time: {{at}} | content
             HEAD /other/copy → 200 | x-ms-copy-id: {{id}}; x-ms-copy-source: {url}; x-ms-copy-progress: 7/7; x-ms-access-tier: Hot; x-ms-lease-state: available
             GET /other?restype=container&comp=list&include=copy → 200 | | ~<CopyId>{{id}}</CopyId><CopySource>{url}</CopySource><CopyStatus>success</CopyStatus><CopyProgress>7/7</CopyProgress><CopyCompletionTime>{{at}}</CopyCompletionTime>
             GET /other?restype=container&comp=list → 200 | | !<CopyId>
             # the source does not change
             HEAD /box/source → 200 | x-ms-copy-id: -; last-modified: {{at-10}}; x-ms-tag-count: 1
             # metadata of the request replaces all of the source's; tags and tier are the request's
             PUT /other/copy | x-ms-copy-source: {url}; x-ms-meta-c: 3; x-ms-tags: l=w; x-ms-access-tier: Cool → 202
             HEAD /other/copy → 200 | x-ms-meta-a: -; x-ms-meta-c: 3; x-ms-tag-count: 1; x-ms-access-tier: Cool; content-type: text/plain
             # an overwritten copy has no copy properties
             PUT /other/copy | x-ms-blob-type: BlockBlob | new → 201
             HEAD /other/copy → 200 | x-ms-copy-id: -"
        ),
    )
    .await;
}

#[tokio::test]
async fn changes_of_a_copy_do_not_affect_its_source() {
    let (server, _) = server().await;
    let blocks = format!("{}/box/blocks", server.blob_url());
    check_in(
        &server,
        &format!(
            "PUT /box/blocks?comp=block&blockid=QQ== | | one → 201
             PUT /box/blocks?comp=block&blockid=Qg== | | two → 201
             PUT /box/blocks?comp=blocklist | | <BlockList><Latest>QQ==</Latest><Latest>Qg==</Latest></BlockList> → 201
             PUT /box/blocks?comp=block&blockid=Qw== | | uncommitted → 201
             PUT /box/copy | x-ms-copy-source: {blocks} → 202
             # committed blocks are copied, uncommitted ones are not
             GET /box/copy?comp=blocklist&blocklisttype=all → 200 | | ~<CommittedBlocks><Block><Name>QQ==</Name><Size>3</Size></Block><Block><Name>Qg==</Name><Size>3</Size></Block></CommittedBlocks><UncommittedBlocks />
             # the copy changes
             PUT /box/copy?comp=block&blockid=QQ== | | ONE → 201
             PUT /box/copy?comp=blocklist | x-ms-meta-a: 9 | <BlockList><Latest>QQ==</Latest><Latest>Qg==</Latest><Committed>QQ==</Committed></BlockList> → 201
             PUT /box/copy?comp=properties | x-ms-blob-content-type: text/css → 200
             GET /box/copy → 200 | | ONEtwoone
             GET /box/blocks → 200 | content-type: application/octet-stream; x-ms-meta-a: - | onetwo
             # the source changes
             PUT /box/blocks?comp=blocklist | | <BlockList><Latest>Qw==</Latest></BlockList> → 201
             GET /box/copy → 200 | | ONEtwoone
             DELETE /box/blocks → 202
             GET /box/copy → 200 | | ONEtwoone
             GET /box/copy?comp=blocklist → 200 | x-ms-blob-content-length: 9"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_blob_copies_onto_itself() {
    let (server, url) = server().await;
    check_in(
        &server,
        &format!(
            "HEAD /box/source → 200 | etag: $before
             PUT /box/source | x-ms-copy-source: {url}; x-ms-meta-new: 1 → 202 | etag: $after
             GET /box/source → 200 | etag: {{after}}; x-ms-meta-a: -; x-ms-meta-new: 1; content-type: text/plain; x-ms-copy-status: success | content
             GET /box/source | if-match: {{before}} → 412 ConditionNotMet"
        ),
    )
    .await;
}

#[tokio::test]
async fn unreadable_sources_are_refused() {
    let (server, url) = server().await;
    let base = server.blob_url();
    check_in(
        &server,
        &format!(
            "PUT /box/copy | x-ms-copy-source: {base}/box/none → 404 BlobNotFound | | ~The specified blob does not exist.
             PUT /box/copy | x-ms-copy-source: {base}/none/b → 404 ContainerNotFound
             PUT /box/copy | x-ms-copy-source: {url}?snapshot=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound
             PUT /box/copy | x-ms-copy-source: {url}?versionid=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound
             PUT /box/copy | x-ms-copy-source: {base}/box → 404 ContainerNotFound
             PUT /box/copy | x-ms-copy-source: nonsense → 400 InvalidHeaderValue
             PUT /none/copy | x-ms-copy-source: {url} → 404 ContainerNotFound
             # archived
             PUT /box/cold | x-ms-blob-type: BlockBlob; x-ms-access-tier: Archive | x → 201
             PUT /box/copy | x-ms-copy-source: {base}/box/cold → 409 BlobArchived
             # with a lease that is not the source's
             PUT /box/copy | x-ms-copy-source: {url}; x-ms-source-lease-id: {{A}} → 412 LeaseNotPresentWithBlobOperation
             # nothing was created
             GET /box/copy → 404 BlobNotFound
             # a leased source is read like any other
             PUT /box/source?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {{A}} → 201
             PUT /box/copy | x-ms-copy-source: {url}; x-ms-source-lease-id: {{B}} → 412 LeaseIdMismatchWithBlobOperation
             PUT /box/copy | x-ms-copy-source: {url}; x-ms-source-lease-id: {{A}} → 202
             PUT /box/copy | x-ms-copy-source: {url} → 202
             HEAD /box/copy → 200 | x-ms-lease-state: available"
        ),
    )
    .await;
}

#[tokio::test]
async fn conditions_on_the_source() {
    let (server, url) = server().await;
    let etag = server.request("HEAD", "/box/source").send().await.header("etag").to_owned();
    server.wait(10);
    let failed = "412 SourceConditionNotMet";
    let cases = [
        ("x-ms-source-if-match: {e}", "202"),
        ("x-ms-source-if-match: *", "202"),
        ("x-ms-source-if-match: \"0x1\"", failed),
        ("x-ms-source-if-none-match: \"0x1\"", "202"),
        ("x-ms-source-if-none-match: {e}", failed),
        ("x-ms-source-if-none-match: *", failed),
        ("x-ms-source-if-modified-since: {at-11}", "202"),
        ("x-ms-source-if-modified-since: {at-10}", failed),
        ("x-ms-source-if-unmodified-since: {at-10}", "202"),
        ("x-ms-source-if-unmodified-since: {at-11}", failed),
        ("x-ms-source-if-unmodified-since: never", "400 InvalidHeaderValue"),
        ("x-ms-source-if-tags: \"k\" = 'v'", "202"),
        ("x-ms-source-if-tags: \"k\" = 'w'", "412 ConditionNotMet"),
    ];
    for (condition, verdict) in cases {
        let condition = condition.replace("{e}", &etag);
        check_in(
            &server,
            &format!(
                "PUT /other/copy | x-ms-copy-source: {url}; {condition} → {verdict}
                 GET /other/copy → {}",
                if verdict == "202" { "200" } else { "404 BlobNotFound" }
            ),
        )
        .await;
        let left = server.request("DELETE", "/other/copy").send().await;
        assert_eq!(left.status, if verdict == "202" { 202 } else { 404 });
    }
}

#[tokio::test]
async fn conditions_on_the_destination() {
    let (server, url) = server().await;
    let etag = server.blob("/other/copy", "old").await;
    server.wait(10);
    let failed = "412 TargetConditionNotMet";
    for (condition, verdict) in [
        ("if-match: \"0x1\"", failed),
        ("if-none-match: {e}", failed),
        ("if-none-match: *", "409 BlobAlreadyExists"),
        ("if-modified-since: {at-10}", failed),
        ("if-unmodified-since: {at-11}", failed),
        ("x-ms-if-tags: \"k\" = 'v'", "412 ConditionNotMet"),
        ("if-match: {e}", "202"),
    ] {
        let condition = condition.replace("{e}", &etag);
        check_in(&server, &format!("PUT /other/copy | x-ms-copy-source: {url}; {condition} → {verdict}")).await;
        let content = if verdict == "202" { "content" } else { "old" };
        assert_eq!(server.request("GET", "/other/copy").send().await.text(), content, "{condition}");
    }
    check_in(&server, &format!("PUT /other/none | x-ms-copy-source: {url}; if-match: * → {failed}")).await;
}

#[tokio::test]
async fn a_leased_blob_is_overwritten_with_its_id() {
    let (server, url) = server().await;
    check_in(
        &server,
        &format!(
            "PUT /box/copy | x-ms-blob-type: BlockBlob | old → 201
             PUT /box/copy?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: 15; x-ms-proposed-lease-id: {{A}} → 201
             PUT /box/copy | x-ms-copy-source: {url} → 412 LeaseIdMissing
             PUT /box/copy | x-ms-copy-source: {url}; x-ms-lease-id: {{B}} → 412 LeaseIdMismatchWithBlobOperation
             PUT /box/copy | x-ms-copy-source: {url}; x-ms-lease-id: {{A}} → 412 InfiniteLeaseDurationRequired
             GET /box/copy → 200 | | old
             PUT /box/copy?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {{A}} → 201
             PUT /box/copy | x-ms-copy-source: {url}; x-ms-lease-id: {{A}} → 202
             GET /box/copy → 200 | x-ms-lease-state: leased; x-ms-lease-duration: infinite | content"
        ),
    )
    .await;
}

#[tokio::test]
async fn a_copy_needs_permission_to_read_its_source() {
    // Between accounts, the source cannot be read until its container is public.
    let key = "c2Vjb25k";
    let both =
        TestServer::with(&[&format!("--account=devstoreaccount1:{WELL_KNOWN_KEY}"), &format!("--account=second:{key}")]).await;
    both.container("box").await;
    both.blob("/box/source", "content").await;
    let made = both.request("PUT", "/mine?restype=container").account("second", key).send().await;
    assert_eq!(made.verdict(), "201");
    let url = format!("{}/box/source", both.blob_url());
    let copy = || both.request("PUT", "/mine/copy").account("second", key).header("x-ms-copy-source", &url).send();
    let refused = copy().await;
    assert!(
        [401, 403, 404].contains(&refused.status) && refused.header("x-ms-error-code") == "CannotVerifyCopySource",
        "{}",
        refused.verdict()
    );
    check_in(&both, "PUT /box?restype=container&comp=acl | x-ms-blob-public-access: blob → 200").await;
    assert_eq!(copy().await.verdict(), "202");
    assert_eq!(both.request("GET", "/mine/copy").account("second", key).send().await.text(), "content");
}
