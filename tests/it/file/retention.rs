//! Soft delete of shares, in accounts with a retention period.

use super::check_in;
use crate::server::TestServer;
use lazuli::{ServiceKind, WELL_KNOWN_KEY};

const BACK: &str = "/box?restype=share&comp=undelete";

/// A server whose account retains deleted shares for a week.
async fn server() -> TestServer {
    TestServer::with(&["--account", &format!("devstoreaccount1:{WELL_KNOWN_KEY},share-retention=7")]).await
}

/// The version of the only deleted share.
async fn version(server: &TestServer) -> String {
    let list = server.request("GET", "/?comp=list&include=deleted").of(ServiceKind::File).send().await;
    let versions = list.elements("Version");
    assert_eq!(versions.len(), 1, "{}", list.text());
    versions[0].to_owned()
}

async fn restore(server: &TestServer, target: &str, name: &str, version: &str) -> String {
    let request = server.request("PUT", target).of(ServiceKind::File);
    request.header("x-ms-deleted-share-name", name).header("x-ms-deleted-share-version", version).send().await.verdict()
}

#[tokio::test]
async fn a_deleted_share_is_restored_with_its_content() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box?restype=share | x-ms-meta-n: 1; x-ms-share-quota: 7 → 201 | etag: $e1
         PUT /box/d?restype=directory → 201
         PUT /box?restype=share&comp=snapshot → 201 | x-ms-snapshot: $s
         DELETE /box?restype=share → 409 ShareHasSnapshots
         DELETE /box?restype=share | x-ms-delete-snapshots: include → 202
         # only a listing with deleted shares includes it; during the deletion, nobody can use its name
         GET /box?restype=share → 404 ShareNotFound
         GET /box/d?restype=directory → 404 ShareNotFound
         GET /?comp=list → 200 | | !<Name>
         GET /?comp=list&include=deleted,metadata → 200 | | ~<Name>box</Name><Deleted>true</Deleted><Version>01D | ~<Etag>{e1}</Etag><LeaseStatus>unlocked</LeaseStatus><LeaseState>broken</LeaseState><Quota>7</Quota> | ~<DeletedTime>{at}</DeletedTime><RemainingRetentionDays>7</RemainingRetentionDays></Properties><Metadata><n>1</n></Metadata>
         PUT /box?restype=share → 409 ShareBeingDeleted | | ~Try operation later.",
    )
    .await;
    let version = version(&server).await;
    assert_eq!(restore(&server, BACK, "box", &version).await, "409 ShareBeingDeleted");
    server.wait(30);
    for (name, version, verdict) in [
        ("box", "0000000000000000", "404 ShareNotFound"),
        ("box", "soon", "404 ShareNotFound"),
        ("other", version.as_str(), "404 ShareNotFound"),
        ("box", version.as_str(), "201"),
        ("box", version.as_str(), "409 ShareAlreadyExists"),
    ] {
        assert_eq!(restore(&server, BACK, name, version).await, verdict, "{name} {version}");
    }
    check_in(
        &server,
        "GET /box?restype=share → 200 | x-ms-meta-n: 1; x-ms-lease-state: available; last-modified: {at}
         GET /box/d?restype=directory → 200
         GET /?comp=list&include=deleted,snapshots → 200 | | !Deleted | ~<Snapshot>
         PUT /box?restype=share&comp=undelete | x-ms-deleted-share-name: box → 400 MissingRequiredHeader",
    )
    .await;
}

#[tokio::test]
async fn after_the_retention_period_a_share_cannot_be_restored() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box?restype=share → 201
         DELETE /box?restype=share → 202
         wait 60
         PUT /box?restype=share → 201",
    )
    .await;
    let version = version(&server).await;
    assert_eq!(restore(&server, BACK, "box", &version).await, "409 ShareAlreadyExists");
    assert_eq!(restore(&server, "/new?restype=share&comp=undelete", "none", &version).await, "404 ShareNotFound");
    server.wait(7 * 24 * 60 * 60 - 60);
    assert_eq!(restore(&server, "/new?restype=share&comp=undelete", "box", &version).await, "404 ShareNotFound");
    check_in(&server, "GET /?comp=list&include=deleted → 200 | | !Deleted").await;
}
