//! Free space: the server returns unused disk space and memory by itself, and nothing that is in use.

use crate::process::{FREE, Running, lazuli, run};
use crate::scratch::Scratch;
use crate::server::TestClient;
use crate::support::wait::in_time;
use lazuli::ServiceKind;
use std::collections::BTreeMap;

fn start(more: &[&str]) -> (Running, TestClient) {
    let running = Running::start_in(&[&FREE[..], &["--silent"], more].concat(), &[]);
    let ports = running.ready(4).into_iter().map(|(_, port)| port);
    let client = TestClient::at(
        &[ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File]
            .into_iter()
            .zip(ports)
            .collect::<Vec<_>>(),
    );
    (running, client)
}

async fn put(client: &TestClient, name: &str, content: Vec<u8>) {
    let put = client.request("PUT", &format!("/box/{name}")).header("x-ms-blob-type", "BlockBlob").body(content).send().await;
    assert_eq!(put.verdict(), "201", "{name}");
}

#[tokio::test]
async fn a_kill_while_space_is_reclaimed_loses_nothing_that_a_record_names() {
    let place = Scratch::new("reclaim");
    let (mut running, mut client) = start(&["--location", place.path()]);
    assert_eq!(client.request("PUT", "/box?restype=container").send().await.verdict(), "201");
    let mut held: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for round in 0..12_u8 {
        for number in 0..60_u8 {
            // Some blobs are new, some overwritten, some deleted. Blocks of the disk that they share with others remain.
            let name = format!("n{}", number % 40);
            if number % 7 == round % 7 && held.remove(&name).is_some() {
                assert_eq!(client.request("DELETE", &format!("/box/{name}")).send().await.verdict(), "202");
                continue;
            }
            let content = vec![number ^ round; 3000 + usize::from(number) * 700];
            put(&client, &name, content.clone()).await;
            held.insert(name, content);
        }
        running.kill();
        (running, client) = start(&["--location", place.path()]);
        for (name, content) in &held {
            let got = client.request("GET", &format!("/box/{name}")).send().await;
            assert!(got.status == 200 && got.body == *content, "round {round}: {name}: {}", got.verdict());
        }
    }
    let named: u64 = held.values().map(|content| content.len() as u64).sum();
    assert!(in_time(60, || place.room() < 3 * named), "{} bytes for {named}", place.room());
    running.kill();
    let (code, said, complained) = run(lazuli(), &["--check", "--location", place.path()]);
    assert_eq!((code, complained.as_str()), (0, ""), "{said}");
}

/// Even runs that are killed early reclaim the space that earlier runs freed.
#[tokio::test]
async fn runs_that_are_killed_early_reclaim_space() {
    const CONTENT: u64 = 40_000;
    let place = Scratch::new("short");
    let (mut running, client) = start(&["--location", place.path()]);
    assert_eq!(client.request("PUT", "/box?restype=container").send().await.verdict(), "201");
    for number in 0..400_u64 {
        put(&client, &format!("n{number}"), vec![number as u8; CONTENT as usize]).await;
    }
    for number in (0..400).step_by(2) {
        assert_eq!(client.request("DELETE", &format!("/box/n{number}")).send().await.verdict(), "202");
    }
    running.kill();
    let named = 200 * CONTENT;
    let given_back = in_time(60, || {
        start(&["--location", place.path()]).0.kill();
        place.room() < named + named / 2
    });
    assert!(given_back, "{} bytes for {named}", place.room());
}

#[tokio::test]
async fn an_idle_server_returns_memory() {
    let (running, client) = start(&[]);
    let empty = running.resident();
    assert_eq!(client.request("PUT", "/box?restype=container").send().await.verdict(), "201");
    for number in 0..64 {
        put(&client, &format!("large{number}"), vec![1; 1 << 20]).await;
    }
    for number in 0..1000 {
        put(&client, &format!("small{number}"), vec![1; 20_000]).await;
    }
    let full = running.resident() - empty;
    assert!(full > 80 << 20, "{full} bytes");
    assert_eq!(client.request("DELETE", "/box?restype=container").send().await.verdict(), "202");
    let left = || running.resident().saturating_sub(empty);
    assert!(in_time(5, || left() < full / 4), "{} of {full} bytes", left());
}

#[tokio::test]
async fn a_check_reports_the_contents_and_the_damage_of_a_folder() {
    let place = Scratch::new("check");
    let check = || run(lazuli(), &["--check", "--location", place.path()]);
    let (code, _, why) = check();
    assert_eq!(code, 1, "{why}");
    assert!(!place.0.exists(), "a check makes no folder");
    let (mut running, client) = start(&["--location", place.path(), "--account=devstoreaccount1,hns"]);
    assert_eq!(client.request("PUT", "/box?restype=container").send().await.verdict(), "201");
    put(&client, "one", vec![1; 5000]).await;
    put(&client, "two", vec![2; 6000]).await;
    let (code, _, why) = check();
    assert!(code == 1 && why.contains("another server is using this folder"), "{why}");
    running.kill();
    let (code, said, why) = check();
    assert_eq!((code, why.as_str()), (0, ""));
    let paths = "2 paths and 0 retained deletions in hierarchical namespaces";
    for line in ["format 2", "the data of devstoreaccount1", "2 contents of 10.7 KiB in extents", paths, "No damage found"] {
        assert!(said.contains(line), "{line} in {said}");
    }
    let extent = place.0.join("extent-00000001");
    let mut bytes = std::fs::read(&extent).unwrap();
    bytes[7000] ^= 1;
    std::fs::write(&extent, bytes).unwrap();
    let (code, said, why) = check();
    assert!(code == 1 && why.contains("extent-00000001: 6000 bytes at 5000 are damaged"), "{why}");
    assert!(!said.contains("No damage found"), "{said}");
    let log = place.0.join("log-00000001");
    std::fs::File::options().write(true).open(&log).unwrap().set_len(0).unwrap();
    let (code, _, why) = check();
    assert!(code == 1 && why.contains("log-00000001 ends at 0"), "{why}");
    assert_eq!(std::fs::metadata(&log).unwrap().len(), 0, "a check changes nothing");
}
