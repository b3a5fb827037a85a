//! Flat containers that get a hierarchical namespace, while the disk stops.

use crate::account::{Account, Accounts, WELL_KNOWN_ACCOUNT};
use crate::check::check;
use crate::operation::ServiceKind;
use crate::progress::Progress;
use crate::rules::time::Timestamp;
use crate::services::blob::Blobs;
use crate::store::Store;
use crate::store::disk::medium::Medium;
use crate::store::disk::{Disk, Durability};
use crate::tests::support::scenario::check_of;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::TestServer;
use std::path::Path;
use std::sync::Arc;

const CONTAINERS: [&str; 2] = ["one", "two"];

/// Converts the containers of a folder on a disk that stops after some writes. Returns true if it did not stop.
async fn converted(place: &Path, writes: u64) -> bool {
    let account = Account { name: WELL_KNOWN_ACCOUNT.to_owned(), hns: true, ..Account::default() };
    let accounts: Accounts = std::iter::once(account).collect();
    let (disk, _) = Disk::open(place, Medium::default(), Durability::Process, &Progress::default()).unwrap();
    let disk = Arc::new(disk);
    let closed = disk.closed();
    let store = Store::on_disk(disk.clone());
    let blobs = Blobs::open(&accounts, &store).unwrap();
    disk.settle();
    disk.medium().limit_writes(writes);
    let converted = blobs.convert(&accounts, Timestamp::from_unix(1_900_000_000, 0)).await;
    drop((blobs, store, disk));
    closed.await;
    converted.is_ok_and(|messages| messages.len() == CONTAINERS.len())
}

#[tokio::test]
async fn a_container_is_flat_or_hierarchical_as_a_whole() {
    for writes in 0.. {
        let place = Scratch::new("crash");
        let mut server = TestServer::with(&["--location", place.path()]).await;
        for name in CONTAINERS {
            let rows = "PUT /box?restype=container → 201
                PUT /box/a/b/f | x-ms-blob-type: BlockBlob; x-ms-meta-k: v | text → 201
                PUT /box/a/b/f?comp=block&blockid=QQ== | | more → 201
                PUT /box/a/g?comp=block&blockid=QQ== | | block → 201
                PUT /box/d | x-ms-blob-type: BlockBlob; x-ms-meta-hdi_isfolder: true → 201
                PUT /box/log | x-ms-blob-type: AppendBlob → 201
                PUT /box/log?comp=appendblock | | line → 201
                PUT /box/log?comp=lease | x-ms-lease-action: acquire; x-ms-lease-duration: -1; x-ms-proposed-lease-id: {A} → 201";
            check_of(&server, ServiceKind::Blob, &rows.replace("/box", &format!("/{name}"))).await;
            server.blob(&format!("/{name}/a/large"), "large ".repeat(300)).await;
        }
        server.restart_with(&[]).await;
        let is_complete = converted(&place.0, writes).await;
        assert_eq!(check(&place.0, &Progress::default()).wrong, Vec::<String>::new(), "{writes} writes");
        // The next start converts the rest.
        server.restart_with(&["--location", place.path(), "--account=devstoreaccount1,hns", "--dfs-port=0"]).await;
        for name in CONTAINERS {
            let rows = "HEAD /box/a → 200 | x-ms-resource-type: directory
                HEAD /box/d → 200 | x-ms-resource-type: directory
                GET /box/a/b/f → 200 | x-ms-properties: k=dg== | text
                GET /box/log → 200 | x-ms-lease-state: leased | line";
            check_of(&server, ServiceKind::DataLake, &rows.replace("/box", &format!("/{name}"))).await;
            let rows = "PUT /box/a/b/f?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
                GET /box/a/b/f → 200 | | more
                PUT /box/a/g?comp=blocklist | | <BlockList><Latest>QQ==</Latest></BlockList> → 201
                GET /box/a/g → 200 | | block
                PUT /box/log?comp=appendblock | x-ms-lease-id: {A} | s → 201
                GET /box/log → 200 | | lines";
            check_of(&server, ServiceKind::Blob, &rows.replace("/box", &format!("/{name}"))).await;
            let large = server.request("GET", &format!("/{name}/a/large")).send().await;
            assert_eq!(large.text(), "large ".repeat(300), "{writes} writes");
        }
        if is_complete {
            assert!(writes >= 2, "a conversion of two containers has more than {writes} writes");
            break;
        }
    }
}
