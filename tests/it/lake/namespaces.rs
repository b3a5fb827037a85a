//! An account that gets a hierarchical namespace, or loses it, while it has containers.

use super::{check_in, names};
use crate::scenario::check_in as check_blobs;
use crate::scratch::Scratch;
use crate::server::{TestServer, configuration};
use lazuli::{Clock, Emulator, WELL_KNOWN_KEY};

const FLAT: &str = "--account=devstoreaccount1";
const HIERARCHICAL: &str = "--account=devstoreaccount1,hns";

async fn flat(place: &Scratch) -> TestServer {
    let server = TestServer::with(&["--dfs-port=0", "--location", place.path(), FLAT]).await;
    server.container("box").await;
    server
}

/// Why a server does not start.
async fn refusal(place: &Scratch, account: &str) -> String {
    let config = configuration(&["--location", place.path(), account]);
    let started = Emulator::builder().config(config).clock(Clock::Manual(std::time::SystemTime::now())).start().await;
    started.err().unwrap().to_string()
}

#[tokio::test]
async fn flat_containers_are_converted_at_the_start() {
    let place = Scratch::new("converted");
    let mut server = flat(&place).await;
    check_blobs(
        &server,
        "PUT /box/a/b/f | x-ms-blob-type: BlockBlob; x-ms-meta-k: v | text → 201 | etag: $file
         PUT /box/a-b | x-ms-blob-type: BlockBlob | text → 201
         PUT /box/c | x-ms-blob-type: BlockBlob; x-ms-meta-hdi_isfolder: true → 201
         PUT /box/c/f | x-ms-blob-type: BlockBlob | text → 201
         PUT /box/d/g?comp=block&blockid=QQ== | | block → 201
         PUT /box/log | x-ms-blob-type: AppendBlob → 201
         PUT /box/log?comp=appendblock | | line → 201
         HEAD /box/a/b/f → 200 | etag: $file",
    )
    .await;
    let etag = server.request("HEAD", "/box/a/b/f").send().await.header("etag").to_owned();
    server.restart_with(&["--dfs-port=0", "--location", place.path(), HIERARCHICAL]).await;
    // And once more, from what was converted.
    for _ in 0..2 {
        assert_eq!(
            names(&server, "/box?resource=filesystem&recursive=true").await,
            ["a/", "a/b/", "a/b/f", "a-b", "c/", "c/f", "d/", "log"]
        );
        check_in(
            &server,
            &format!(
                "GET /box/a/b/f → 200 | etag: {etag}; x-ms-meta-k: v; x-ms-owner: $superuser; x-ms-permissions: rw-r----- | text
                 HEAD /box/c → 200 | x-ms-resource-type: directory; x-ms-properties: hdi_isfolder=dHJ1ZQ==
                 GET /box/log → 200 | | line
                 HEAD /box/ → 200"
            ),
        )
        .await;
        server.restart().await;
    }
    check_blobs(
        &server,
        "PUT /box/d/g?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201\nGET /box/d/g → 200 | | block",
    )
    .await;
    // There is no way back.
    server.restart_with(&[]).await;
    let error = refusal(&place, FLAT).await;
    assert!(error.contains("container box of account devstoreaccount1") && error.contains("hierarchical namespace"), "{error}");
}

#[tokio::test]
async fn what_does_not_fit_is_named_and_nothing_changes() {
    for (number, (rows, named)) in [
        ("PUT /box/a | x-ms-blob-type: BlockBlob | text → 201\nPUT /box/a/b | x-ms-blob-type: BlockBlob | text → 201", "\"a\""),
        ("PUT /box/a | x-ms-blob-type: BlockBlob | text → 201\nPUT /box/a?comp=snapshot → 201", "snapshots"),
        ("PUT /box/a | x-ms-blob-type: BlockBlob; x-ms-tags: k=v | text → 201", "index tags"),
        ("PUT /box/a | x-ms-blob-type: PageBlob; x-ms-blob-content-length: 512 → 201", "page blob"),
        (
            "PUT /box/a | x-ms-blob-type: BlockBlob | text → 201\nPUT /box/a./ | x-ms-blob-type: BlockBlob | text → 201",
            "same path",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let place = Scratch::new(&format!("unfit{number}"));
        let mut server = flat(&place).await;
        check_blobs(&server, rows).await;
        server.restart_with(&[]).await;
        let error = refusal(&place, HIERARCHICAL).await;
        assert!(error.contains(named) && error.contains("container box"), "{rows}: {error}");
        server.restart_with(&["--dfs-port=0", "--location", place.path(), FLAT]).await;
        assert_eq!(server.request("HEAD", "/box/a").send().await.status, 200, "{rows}");
    }
}

#[tokio::test]
async fn a_deleted_container_is_converted_too() {
    let place = Scratch::new("deleted");
    let retained = |account: &str| format!("{account}:{WELL_KNOWN_KEY},container-retention=7");
    let flat = retained(FLAT);
    let hierarchical = format!("{flat},hns");
    let arguments = |account: &str| ["--dfs-port=0", "--location", place.path(), account].map(str::to_owned);
    let mut server = TestServer::with(&arguments(&flat).each_ref().map(String::as_str)).await;
    server.container("box").await;
    server.blob("/box/a/f", "text").await;
    check_blobs(&server, "DELETE /box?restype=container → 202\nwait 31").await;
    server.restart_with(&arguments(&hierarchical).each_ref().map(String::as_str)).await;
    // And once more, from what was converted.
    server.restart().await;
    let listed = server.request("GET", "/?comp=list&include=deleted").send().await;
    let restored = server
        .request("PUT", "/box?restype=container&comp=undelete")
        .header("x-ms-deleted-container-name", "box")
        .header("x-ms-deleted-container-version", listed.element("Version"))
        .send()
        .await;
    assert_eq!(restored.verdict(), "201", "{}", listed.text());
    assert_eq!(names(&server, "/box?resource=filesystem&recursive=true").await, ["a/", "a/f"]);
    check_in(&server, "GET /box/a/f → 200 | x-ms-owner: $superuser | text").await;
}
