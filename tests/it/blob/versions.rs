//! Versions: those that writes and deletions create, and reading, changing and deleting them.

use crate::scenario::check_in;
use crate::scratch::Scratch;
use crate::server::TestServer;
use crate::time::Timestamp;
use lazuli::WELL_KNOWN_KEY;

/// A server whose account keeps versions.
async fn server() -> TestServer {
    let account = format!("devstoreaccount1:{WELL_KNOWN_KEY},versioning");
    let server = TestServer::with(&["--account", &account]).await;
    server.container("box").await;
    server
}

#[tokio::test]
async fn every_write_creates_a_version() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-n: 1 | one → 201 | x-ms-version-id: $v1; etag: $e1
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $v2
         wait 1
         PUT /box/b?comp=metadata | x-ms-meta-n: 3 → 200 | x-ms-version-id: $v3; etag: $e3
         # each is read by its id, the current blob by its own
         GET /box/b → 200 | x-ms-version-id: {v3}; x-ms-is-current-version: true; x-ms-meta-n: 3; etag: {e3} | two
         GET /box/b?versionid={v3} → 200 | x-ms-version-id: {v3}; x-ms-is-current-version: true; x-ms-lease-state: - | two
         GET /box/b?versionid={v2} → 200 | x-ms-version-id: {v2}; x-ms-is-current-version: -; x-ms-meta-n: -; x-ms-lease-state: - | two
         HEAD /box/b?versionid={v1} → 200 | x-ms-version-id: {v1}; etag: {e1}; x-ms-meta-n: 1; content-length: 3
         GET /box/b?versionid=2020-01-01T00:00:00.0000000Z → 404 BlobNotFound
         GET /box/b?versionid=soon → 400 InvalidQueryParameterValue
         GET /box/b?versionid={v1}&snapshot={v1} → 400 MutuallyExclusiveQueryParameters
         # only the tags and the tier of a version can be set
         PUT /box/b?versionid={v1} | x-ms-blob-type: BlockBlob | x → 400 InvalidQueryParameterValue
         PUT /box/b?comp=metadata&versionid={v1} | x-ms-meta-n: 9 → 400 InvalidQueryParameterValue
         PUT /box/b?comp=tags&versionid={v1} | | <Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags> → 204
         GET /box/b?comp=tags&versionid={v1} → 200 | | ~<Key>k</Key>
         GET /box/b?comp=tags → 200 | | !<Key>k</Key>
         PUT /box/b?comp=tier&versionid={v1} | x-ms-access-tier: Cool → 200
         HEAD /box/b?versionid={v1} → 200 | x-ms-access-tier: Cool
         HEAD /box/b → 200 | x-ms-access-tier: Hot
         # a list includes them on request, oldest first
         GET /box?restype=container&comp=list → 200 | | ~<VersionId>{v3}</VersionId><IsCurrentVersion>true</IsCurrentVersion> | !{v2}
         GET /box?restype=container&comp=list&include=versions → 200 | | ~<VersionId>{v1}</VersionId><Properties> | ~<VersionId>{v2}</VersionId><Properties>",
    )
    .await;
}

#[tokio::test]
async fn a_deleted_blob_stays_as_a_version_and_a_deleted_version_does_not() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | x-ms-version-id: $v1
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $v2
         # the current blob cannot be deleted by its id
         DELETE /box/b?versionid={v2} → 403 OperationNotAllowedOnRootBlob
         DELETE /box/b?versionid={v1} | x-ms-delete-snapshots: include → 400 InvalidHeaderValue
         # a deleted blob is its last version
         DELETE /box/b → 202 | x-ms-delete-type-permanent: false
         GET /box/b → 404 BlobNotFound
         GET /box/b?versionid={v2} → 200 | x-ms-is-current-version: - | two
         GET /box?restype=container&comp=list → 200 | | !<Name>
         GET /box?restype=container&comp=list&include=versions → 200 | | ~{v1} | ~{v2} | !IsCurrentVersion
         # a deleted version does not exist
         DELETE /box/b?versionid={v1} → 202 | x-ms-delete-type-permanent: true
         GET /box/b?versionid={v1} → 404 BlobNotFound
         DELETE /box/b?versionid={v1} → 404 BlobNotFound
         # a new blob of the name has no properties of the old one
         PUT /box/b | x-ms-blob-type: BlockBlob; if-none-match: * | three → 201 | x-ms-version-id: $v3
         GET /box/b?versionid={v2} → 200 | | two
         GET /box/b → 200 | x-ms-version-id: {v3} | three",
    )
    .await;
}

#[tokio::test]
async fn a_name_that_only_has_versions_is_listed_if_included() {
    let listed = "<Blobs><Blob><Name>b</Name><HasVersionsOnly>true</HasVersionsOnly><Properties>";
    check_in(
        &server().await,
        &format!(
            "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | x-ms-version-id: $v1
             PUT /box/b | x-ms-blob-type: BlockBlob | three → 201 | x-ms-version-id: $v2
             GET /box?restype=container&comp=list&include=deletedwithversions → 200 | | ~<VersionId>{{v2}}</VersionId><IsCurrentVersion>true | !HasVersionsOnly | !{{v1}}
             DELETE /box/b → 202
             PUT /box/c | x-ms-blob-type: BlockBlob | c → 201 | x-ms-version-id: $c
             GET /box?restype=container&comp=list&include=deletedwithversions → 200 | | ~{listed} | ~<Content-Length>5</Content-Length> | ~<LeaseStatus>unlocked</LeaseStatus><LeaseState>available</LeaseState> | ~<Name>c</Name><VersionId>{{c}}</VersionId> | !{{v1}} | !{{v2}} | !<Content-Length>3</Content-Length>
             # a list of versions has them
             GET /box?restype=container&comp=list&include=deletedwithversions,versions → 200 | | ~{{v1}} | ~{{v2}}
             # page by page
             GET /box?restype=container&comp=list&include=deletedwithversions&maxresults=1 → 200 | | ~{listed} | !<Name>c</Name>
             # as many versions as are left
             DELETE /box/b?versionid={{v2}} → 202
             GET /box?restype=container&comp=list&include=deletedwithversions → 200 | | ~{listed} | ~<Content-Length>3</Content-Length>
             DELETE /box/b?versionid={{v1}} → 202
             GET /box?restype=container&comp=list&include=deletedwithversions → 200 | | !<Name>b</Name>"
        ),
    )
    .await;
}

#[tokio::test]
async fn appends_and_page_writes_create_no_version() {
    check_in(
        &server().await,
        "PUT /box/log | x-ms-blob-type: AppendBlob → 201 | x-ms-version-id: $v1
         PUT /box/log?comp=appendblock | | line → 201 | x-ms-version-id: -
         PUT /box/log?comp=properties | x-ms-blob-content-type: text/plain → 200 | x-ms-version-id: -
         PUT /box/log?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         GET /box/log → 200 | x-ms-version-id: {v1} | line
         GET /box?restype=container&comp=list&include=versions → 200 | | ~{v1}
         # the blob has the lease, its versions have none
         PUT /box/log | x-ms-blob-type: AppendBlob; x-ms-lease-id: {A} → 201 | x-ms-version-id: $v2
         HEAD /box/log → 200 | x-ms-lease-state: leased
         HEAD /box/log?versionid={v1} → 200 | x-ms-lease-state: -; content-length: 4
         DELETE /box/log?versionid={v1} → 202
         # a snapshot exists beside them
         PUT /box/log?comp=snapshot → 201 | x-ms-snapshot: $taken; x-ms-version-id: $v3
         GET /box/log?snapshot={taken} → 200 | x-ms-version-id: -
         HEAD /box/log → 200 | x-ms-version-id: {v3}
         HEAD /box/log?versionid={v2} → 200",
    )
    .await;
}

/// Point-in-time restores (kopia's tests) read the time of a deletion from the list.
#[tokio::test]
async fn a_deletion_is_listed_after_the_versions_with_its_own_time() {
    let place = Scratch::new("deletions");
    let account = format!("devstoreaccount1:{WELL_KNOWN_KEY},versioning");
    let mut server = TestServer::with(&["--account", &account, "--location", place.path()]).await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | x-ms-version-id: $v1
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $v2; last-modified: $l2
         wait 5
         DELETE /box/b → 202",
    )
    .await;
    let list = "/box?restype=container&comp=list&include=deletedwithversions,versions";
    let deleted = server.now();
    for _ in 0..2 {
        let page = server.request("GET", list).send().await;
        let entries: Vec<&str> = page.text().split("<Blob>").skip(1).collect();
        assert_eq!(entries.len(), 3, "{}", page.text());
        assert!(!page.text().contains("IsCurrentVersion"));
        let ids = page.elements("VersionId");
        assert!(ids[0] < ids[1] && ids[1] < ids[2], "{ids:?}");
        assert_eq!(Timestamp::parse_iso(ids[2]).map(Timestamp::to_second), Some(deleted.to_second()));
        assert!(entries[2].contains("<HasVersionsOnly>true</HasVersionsOnly>") && !entries[1].contains("HasVersionsOnly"));
        assert_eq!(page.elements("Last-Modified")[1], page.elements("Last-Modified")[2]);
        let page = server.request("GET", "/box?restype=container&comp=list&include=deletedwithversions").send().await;
        assert_eq!((page.elements("HasVersionsOnly").len(), page.elements("VersionId").len()), (1, 0), "{}", page.text());
        server.restart().await;
    }
}

#[tokio::test]
async fn names_that_only_have_versions_are_listed_if_included() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/a | x-ms-blob-type: BlockBlob | one → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | x-ms-version-id: $v1
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-n: 2 | two → 201 | x-ms-version-id: $v2; etag: $e2
         PUT /box/c?comp=block&blockid=MQ== | | x → 201
         # they are earlier states of an existing blob
         GET /box?restype=container&comp=list&include=deletedwithversions → 200 | | ~<VersionId>{v2}</VersionId><IsCurrentVersion>true | !HasVersionsOnly
         DELETE /box/b → 202
         GET /box?restype=container&comp=list → 200 | | !<Name>b<
         GET /box?restype=container&comp=list&include=deletedwithversions,metadata → 200 | | ~<Name>b</Name><HasVersionsOnly>true</HasVersionsOnly><Properties> | ~<LeaseStatus>unlocked</LeaseStatus> | ~<n>2</n> | !{v2} | !<Name>c<
         GET /box?restype=container&comp=list&include=deletedwithversions,versions,uncommittedblobs → 200 | | ~{v1} | ~{v2} | ~<Name>c<
         # they are earlier states of a new blob of the name
         PUT /box/b | x-ms-blob-type: BlockBlob | three → 201
         GET /box?restype=container&comp=list&include=deletedwithversions → 200 | | !HasVersionsOnly
         DELETE /box/b → 202",
    )
    .await;
    let (mut names, mut marker) = (Vec::new(), String::new());
    loop {
        let target =
            format!("/box?restype=container&comp=list&include=deletedwithversions,versions&maxresults=1&marker={marker}");
        let page = server.request("GET", &target).send().await;
        names.extend(page.elements("Name").iter().map(|name| (*name).to_owned()));
        marker = page.element("NextMarker").to_owned();
        if marker.is_empty() {
            break;
        }
    }
    assert_eq!(names, ["a", "b", "b", "b", "b"], "three versions, and that there are only these");
}

#[tokio::test]
async fn deleted_versions_are_retained_and_a_copy_restores_one() {
    let server = server().await;
    let source = format!("{}/box/b", server.blob_url());
    check_in(
        &server,
        &"PUT /?restype=service&comp=properties | | <StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy></StorageServiceProperties> → 202
         PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-n: 1 | one → 201 | x-ms-version-id: $v1
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $v2
         # a deleted blob is a version like the others, and not deleted
         DELETE /box/b → 202 | x-ms-delete-type-permanent: false
         GET /box?restype=container&comp=list&include=deleted → 200 | | !<Name>
         GET /box?restype=container&comp=list&include=versions → 200 | | ~{v1} | ~{v2} | !IsCurrentVersion | !Deleted
         # a deleted version is retained
         DELETE /box/b?versionid={v1} → 202 | x-ms-delete-type-permanent: false
         GET /box/b?versionid={v1} → 404 BlobNotFound
         GET /box?restype=container&comp=list&include=versions → 200 | | !{v1} | ~{v2}
         GET /box?restype=container&comp=list&include=versions,deleted → 200 | | ~<VersionId>{v1}</VersionId><Deleted>true</Deleted> | ~{v2}
         PUT /box/copy | x-ms-copy-source: {source}?versionid={v1} → 404 BlobNotFound
         PUT /box/b?comp=undelete → 200
         GET /box/b → 404 BlobNotFound
         GET /box/b?versionid={v1} → 200 | | one
         # copied over the blob it is current again
         PUT /box/b | x-ms-copy-source: {source}?versionid={v1} → 202 | x-ms-version-id: $v3
         GET /box/b → 200 | x-ms-version-id: {v3}; x-ms-is-current-version: true; x-ms-meta-n: 1 | one
         GET /box/b?versionid={v2} → 200 | | two
         # a retained version ends with its retention, versions stay
         DELETE /box/b?versionid={v2} → 202
         wait 604800
         PUT /box/b?comp=undelete → 200
         GET /box/b?versionid={v2} → 404 BlobNotFound
         GET /box/b?versionid={v1} → 200 | | one"
            .replace("{source}", &source),
    )
    .await;
}
