//! Soft delete of containers: their retention, and restoring them.

use crate::scenario::{check, check_in};
use crate::server::TestServer;
use lazuli::WELL_KNOWN_KEY;

/// A server whose account retains deleted containers for a week.
async fn server() -> TestServer {
    TestServer::with(&["--account", &format!("devstoreaccount1:{WELL_KNOWN_KEY},container-retention=7")]).await
}

/// The version of the only deleted container.
async fn version(server: &TestServer) -> String {
    let list = server.request("GET", "/?comp=list&include=deleted").send().await;
    let versions = list.elements("Version");
    assert_eq!(versions.len(), 1, "{}", list.text());
    versions[0].to_owned()
}

async fn restore(server: &TestServer, target: &str, name: &str, version: &str) -> String {
    let request = server
        .request("PUT", target)
        .header("x-ms-deleted-container-name", name)
        .header("x-ms-deleted-container-version", version);
    request.send().await.verdict()
}

#[tokio::test]
async fn a_restored_container_has_all_its_blobs() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box?restype=container | x-ms-meta-n: 1; x-ms-blob-public-access: blob → 201 | etag: $e1
         PUT /box/b | x-ms-blob-type: BlockBlob | one → 201
         PUT /box?restype=container&comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201
         DELETE /box?restype=container → 412 LeaseIdMissing
         GET /?comp=list&include=deleted → 200 | | !Deleted
         DELETE /box?restype=container | x-ms-lease-id: {A} → 202
         # only a list that includes deleted containers has it; while it is being deleted, nobody can use its name
         GET /box?restype=container → 404 ContainerNotFound
         GET /box/b → 404 ContainerNotFound
         PUT /box/b | x-ms-blob-type: BlockBlob | two → 404 ContainerNotFound
         GET /?comp=list → 200 | | !<Name>
         GET /?comp=list&include=deleted,metadata → 200 | | ~<Name>box</Name><Deleted>true</Deleted><Version>01D | ~<Etag>{e1}</Etag><LeaseStatus>locked</LeaseStatus><LeaseState>leased</LeaseState><LeaseDuration>fixed</LeaseDuration><PublicAccess>blob | ~<DeletedTime>{at}</DeletedTime><RemainingRetentionDays>7</RemainingRetentionDays></Properties><Metadata><n>1</n></Metadata>
         PUT /box?restype=container → 409 ContainerBeingDeleted | | ~Try operation later.
         DELETE /box?restype=container → 202
         DELETE /other?restype=container → 404 ContainerNotFound
         wait 29
         DELETE /box?restype=container → 202
         GET /?comp=list&include=deleted → 200 | | ~<DeletedTime>{at-29}</DeletedTime>",
    )
    .await;
    let version = version(&server).await;
    let back = "/box?restype=container&comp=undelete";
    assert_eq!(restore(&server, back, "box", &version).await, "409 ContainerBeingDeleted");
    server.wait(1);
    for (name, version, verdict) in [
        ("box", "0000000000000000", "404 ContainerNotFound"),
        ("box", "soon", "404 ContainerNotFound"),
        ("other", version.as_str(), "404 ContainerNotFound"),
        ("box", version.as_str(), "201"),
        ("box", version.as_str(), "409 ContainerAlreadyExists"),
    ] {
        assert_eq!(restore(&server, back, name, version).await, verdict, "{name} {version}");
    }
    assert_eq!(restore(&server, "/other?restype=container&comp=undelete", "box", &version).await, "404 ContainerNotFound");
    check_in(
        &server,
        "GET /box?restype=container → 200 | x-ms-meta-n: 1; x-ms-blob-public-access: blob; x-ms-lease-state: available; last-modified: {at}
         GET /box/b → 200 | | one
         PUT /box/c | x-ms-blob-type: BlockBlob | two → 201
         GET /?comp=list&include=deleted → 200 | | !Deleted | ~<Name>box</Name>
         PUT /box?restype=container&comp=undelete | x-ms-deleted-container-name: box → 400 MissingRequiredHeader
         PUT /box?restype=container&comp=undelete | x-ms-deleted-container-version: 01 → 400 MissingRequiredHeader",
    )
    .await;
}

#[tokio::test]
async fn a_container_can_be_restored_under_another_name() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box?restype=container → 201
         PUT /box/b | x-ms-blob-type: BlockBlob | old → 201
         DELETE /box?restype=container → 202
         wait 29
         PUT /box?restype=container → 409 ContainerBeingDeleted
         wait 1
         PUT /box?restype=container → 201
         GET /?comp=list&include=deleted → 200 | | ~<LeaseStatus>unlocked</LeaseStatus><LeaseState>expired</LeaseState>",
    )
    .await;
    let version = version(&server).await;
    assert_eq!(restore(&server, "/box?restype=container&comp=undelete", "box", &version).await, "409 ContainerAlreadyExists");
    assert_eq!(restore(&server, "/again?restype=container&comp=undelete", "box", &version).await, "201");
    check_in(
        &server,
        "GET /again/b → 200 | | old
         GET /box/b → 404 BlobNotFound",
    )
    .await;
}

#[tokio::test]
async fn a_deleted_container_is_retained_for_its_days() {
    let server = server().await;
    check_in(
        &server,
        "PUT /box?restype=container → 201
         DELETE /box?restype=container → 202
         wait 3600
         GET /?comp=list&include=deleted → 200 | | ~<RemainingRetentionDays>6<
         wait 601199
         GET /?comp=list&include=deleted → 200 | | ~<RemainingRetentionDays>0<",
    )
    .await;
    let version = version(&server).await;
    server.wait(1);
    assert_eq!(restore(&server, "/box?restype=container&comp=undelete", "box", &version).await, "404 ContainerNotFound");
    check_in(&server, "GET /?comp=list&include=deleted → 200 | | !<Name>").await;
}

#[tokio::test]
async fn pages_of_a_list_have_every_container_of_a_name_once() {
    let server = server().await;
    for _ in 0..3 {
        check_in(
            &server,
            "PUT /a?restype=container → 400 OutOfRangeInput
             PUT /box?restype=container → 201
             DELETE /box?restype=container → 202
             wait 31",
        )
        .await;
    }
    for name in ["able", "box", "cab"] {
        server.container(name).await;
    }
    let whole = server.request("GET", "/?comp=list&include=deleted").send().await;
    assert_eq!(whole.elements("Name"), ["able", "box", "box", "box", "box", "cab"]);
    for size in 1..=6 {
        let (mut names, mut versions, mut marker) = (Vec::new(), Vec::new(), String::new());
        loop {
            let target = format!("/?comp=list&include=deleted&maxresults={size}&marker={marker}");
            let page = server.request("GET", &target).send().await;
            names.extend(page.elements("Name").iter().map(|name| (*name).to_owned()));
            versions.extend(page.elements("Version").iter().map(|version| (*version).to_owned()));
            marker = page.element("NextMarker").to_owned();
            if marker.is_empty() {
                break;
            }
        }
        assert_eq!(names, whole.elements("Name"), "{size} a page");
        assert_eq!(versions, whole.elements("Version"), "{size} a page");
    }
}

#[tokio::test]
async fn without_retention_a_deletion_is_permanent() {
    check(
        "PUT /box?restype=container → 201
         DELETE /box?restype=container → 202
         GET /?comp=list&include=deleted → 200 | | !<Name>
         PUT /box?restype=container&comp=undelete | x-ms-deleted-container-name: box; x-ms-deleted-container-version: 01D80E28F195E7A5 → 404 ContainerNotFound
         PUT /box?restype=container → 201
         PUT /box?restype=container&comp=undelete | x-ms-deleted-container-name: box; x-ms-deleted-container-version: 01D80E28F195E7A5 → 409 ContainerAlreadyExists",
    )
    .await;
}

/// WebJobs looks for logs at its start, and fails without this container.
#[tokio::test]
async fn system_containers_are_created_by_the_service_and_listed_if_included() {
    const LOGGING: &str = "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>false</Delete><Read>false</Read><Write>WRITE</Write><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging></StorageServiceProperties>";
    check(
        &"PUT /$web?restype=container → 201
         HEAD /$logs?restype=container → 404 ContainerNotFound
         GET /?comp=list&include=system → 200 | | !$logs
         PUT /$logs?restype=container → 403 AuthorizationFailure
         PUT /$blobchangefeed?restype=container → 403 AuthorizationFailure
         DELETE /$logs?restype=container → 404 ContainerNotFound
         PUT /?restype=service&comp=properties | | OFF → 202
         HEAD /$logs?restype=container → 404 ContainerNotFound
         # enabling logging creates it, and it remains when logging is disabled
         PUT /?restype=service&comp=properties | | ON → 202
         PUT /?restype=service&comp=properties | | OFF → 202
         GET /?comp=list → 200 | | ~$web | !$logs
         GET /?comp=list&include=system → 200 | | ~$web | ~$logs
         HEAD /$logs?restype=container → 200
         GET /$logs?restype=container&comp=acl → 200
         GET /$logs?restype=container&comp=list → 200 | | ~<Blobs />
         PUT /$logs?restype=container → 409 ContainerAlreadyExists
         DELETE /$logs?restype=container → 403 AuthorizationFailure
         PUT /new?restype=container&comp=rename | x-ms-source-container-name: $logs → 403 AuthorizationFailure
         HEAD /$logs?restype=container → 200"
            .replace("ON", &LOGGING.replace("WRITE", "true"))
            .replace("OFF", &LOGGING.replace("WRITE", "false")),
    )
    .await;
}
