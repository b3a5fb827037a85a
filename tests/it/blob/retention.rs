//! Soft delete: deleted and overwritten blobs are retained for the days that the service properties set.

use crate::scenario::check_in;
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

const ON: &str = "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy></StorageServiceProperties>";

/// A server whose blob service retains deleted blobs for seven days.
async fn server() -> TestServer {
    let server = TestServer::new().await;
    let set = server.request("PUT", "/?restype=service&comp=properties").body(ON).send().await;
    assert_eq!(set.verdict(), "202", "{}", set.text());
    server.container("box").await;
    server
}

#[tokio::test]
async fn a_deleted_blob_can_be_restored_within_its_retention() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob; x-ms-meta-a: 1 | one → 201 | etag: $etag
         PUT /box/b?comp=undelete → 200
         DELETE /box/b → 202 | x-ms-delete-type-permanent: false
         GET /box/b → 404 BlobNotFound
         HEAD /box/b → 404 BlobNotFound
         DELETE /box/b → 404 BlobNotFound
         PUT /box/b?comp=metadata | x-ms-meta-a: 2 → 404 BlobNotFound
         GET /box?restype=container&comp=list → 200 | | !<Name>
         GET /box?restype=container&comp=list&include=deleted → 200 | | ~<Name>b</Name><Deleted>true</Deleted> | ~<RemainingRetentionDays>7</RemainingRetentionDays> | ~<DeletedTime>{at}</DeletedTime>
         wait 86401
         GET /box?restype=container&comp=list&include=deleted → 200 | | ~<RemainingRetentionDays>5</RemainingRetentionDays>
         PUT /box/b?comp=undelete → 200
         GET /box/b → 200 | etag: {etag}; x-ms-meta-a: 1 | one
         # after its retention it does not exist
         DELETE /box/b → 202 | x-ms-delete-type-permanent: false
         wait 604800
         GET /box?restype=container&comp=list&include=deleted → 200 | | !<Name>
         PUT /box/b?comp=undelete → 404 BlobNotFound
         PUT /box/none?comp=undelete → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn snapshots_are_retained_and_restored_with_their_blob() {
    check_in(
        &server().await,
        "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s1
         wait 1
         PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s2
         # one snapshot
         DELETE /box/b?snapshot={s1}&deletetype=permanent → 409 BlobOperationNotSupported
         DELETE /box/b?snapshot={s1} → 202 | x-ms-delete-type-permanent: false
         GET /box/b?snapshot={s1} → 404 BlobNotFound
         GET /box?restype=container&comp=list&include=snapshots → 200 | | !{s1} | ~{s2}
         GET /box?restype=container&comp=list&include=snapshots,deleted → 200 | | ~<Snapshot>{s1}</Snapshot><Deleted>true</Deleted> | ~{s2}
         PUT /box/b?comp=undelete → 200
         GET /box/b?snapshot={s1} → 200 | | one
         # the snapshots and not the blob
         DELETE /box/b → 409 SnapshotsPresent
         DELETE /box/b | x-ms-delete-snapshots: only → 202
         GET /box/b → 200
         GET /box/b?snapshot={s2} → 404 BlobNotFound
         # deleted snapshots do not prevent the deletion of the blob
         DELETE /box/b → 202
         PUT /box/b?comp=undelete → 200
         GET /box/b?snapshot={s1} → 200 | | one
         GET /box/b?snapshot={s2} → 200 | | one",
    )
    .await;
}

#[tokio::test]
async fn an_overwritten_blob_is_retained_as_a_deleted_snapshot() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 201
         GET /box?restype=container&comp=list&include=snapshots → 200 | | !<Snapshot>
         GET /box?restype=container&comp=list&include=snapshots,deleted → 200 | | ~<Deleted>true</Deleted>
         # a new blob of a deleted name
         DELETE /box/b → 202
         wait 1
         PUT /box/b | x-ms-blob-type: BlockBlob; if-none-match: * | three → 201
         GET /box/b → 200 | | three",
    )
    .await;
    let list = server.request("GET", "/box?restype=container&comp=list&include=deleted,snapshots").send().await;
    assert_eq!(list.elements("Snapshot").len(), 2, "{}", list.text());
    assert_eq!(server.request("PUT", "/box/b?comp=undelete").send().await.status, 200);
    let list = server.request("GET", "/box?restype=container&comp=list&include=snapshots").send().await;
    assert_eq!(list.elements("Snapshot").len(), 2, "{}", list.text());
    let mut contents = Vec::new();
    for taken in list.elements("Snapshot") {
        contents.push(server.request("GET", &format!("/box/b?snapshot={taken}")).send().await.text().to_owned());
    }
    assert_eq!(contents, ["one", "two"]);
}

#[tokio::test]
async fn without_a_policy_nothing_is_retained() {
    let server = TestServer::new().await;
    server.container("box").await;
    check_in(
        &server,
        "PUT /box/b | x-ms-blob-type: BlockBlob | one → 201
         DELETE /box/b → 202 | x-ms-delete-type-permanent: true
         GET /box?restype=container&comp=list&include=deleted → 200 | | !<Name>
         PUT /box/b?comp=undelete → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn retained_states_can_be_deleted_permanently_if_allowed() {
    let account = format!("devstoreaccount1:{WELL_KNOWN_KEY},versioning");
    let server = TestServer::with(&["--account", &account]).await;
    let allow = ON.replace("<Days>7</Days>", "<Days>7</Days><AllowPermanentDelete>true</AllowPermanentDelete>");
    server.container("box").await;
    check_in(
        &server,
        &format!(
            "PUT /?restype=service&comp=properties | | {ON} → 202
             PUT /box/b | x-ms-blob-type: BlockBlob | one → 201 | x-ms-version-id: $v1
             PUT /box/b?comp=snapshot → 201 | x-ms-snapshot: $s; x-ms-version-id: $v2
             DELETE /box/b?versionid={{v1}} → 202 | x-ms-delete-type-permanent: false
             DELETE /box/b?snapshot={{s}} → 202 | x-ms-delete-type-permanent: false
             # not before it is allowed
             DELETE /box/b?versionid={{v1}}&deletetype=permanent → 409 BlobOperationNotSupported
             PUT /?restype=service&comp=properties | | {allow} → 202
             # neither the blob itself, nor a state that is not deleted
             DELETE /box/b?deletetype=permanent → 409 BlobOperationNotSupported
             DELETE /box/b?versionid={{v2}}&deletetype=permanent → 409 BlobSnapshotNotSoftDeleted
             DELETE /box/b?versionid={{v1}}&deletetype=later → 400 InvalidQueryParameterValue
             DELETE /box/b?versionid=2020-01-01T00:00:00.0000000Z&deletetype=permanent → 404 BlobNotFound
             # then it does not exist
             DELETE /box/b?versionid={{v1}}&deletetype=permanent → 202 | x-ms-delete-type-permanent: true
             DELETE /box/b?versionid={{v1}}&deletetype=permanent → 404 BlobNotFound
             DELETE /box/b?snapshot={{s}}&deletetype=PERMANENT → 202 | x-ms-delete-type-permanent: true
             GET /box?restype=container&comp=list&include=versions,snapshots,deleted → 200 | | !{{v1}} | !{{s}} | ~{{v2}}
             PUT /box/b?comp=undelete → 200
             GET /box/b?versionid={{v1}} → 404 BlobNotFound
             # nothing to delete after the retention
             PUT /box/b | x-ms-blob-type: BlockBlob | two → 201 | x-ms-version-id: $v3
             DELETE /box/b?versionid={{v2}} → 202
             wait 604800
             DELETE /box/b?versionid={{v2}}&deletetype=permanent → 404 BlobNotFound"
        ),
    )
    .await;
}

/// Uncommitted blocks are listed beside the deleted blob of their name, with a position of their own.
#[tokio::test]
async fn uncommitted_blocks_of_a_deleted_name_are_listed() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box/a | x-ms-blob-type: BlockBlob | one → 201
         PUT /box/a?comp=snapshot → 201 | x-ms-snapshot: $s
         DELETE /box/a | x-ms-delete-snapshots: include → 202
         PUT /box/a?comp=block&blockid=QQ== | | two → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | one → 201
         PUT /box/b?comp=block&blockid=QQ== | | two → 201
         GET /box?restype=container&comp=list → 200 | | !<Name>a<
         GET /box?restype=container&comp=list&include=uncommittedblobs → 200 | | ~<Name>a</Name> | !<Deleted>",
    )
    .await;
    for (include, expected) in [
        ("uncommittedblobs", "a b"),
        ("deleted", "a-deleted b"),
        ("uncommittedblobs,deleted", "a-deleted a b"),
        ("uncommittedblobs,deleted,snapshots", "a-deleted a-deleted a b"),
    ] {
        let (mut listed, mut marker) = (Vec::new(), String::new());
        for _ in 0..5 {
            let target = format!("/box?restype=container&comp=list&maxresults=1&include={include}&marker={marker}");
            let page = server.request("GET", &target).send().await;
            let deleted = if page.text().contains("<Deleted>") { "-deleted" } else { "" };
            listed.push(format!("{}{deleted}", page.element("Name")));
            marker = page.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!(listed.join(" "), expected, "{include}");
    }
}
