//! The server as a library: what a Rust test suite uses.

use crate::scratch::Scratch;
use crate::server::TestClient;
use crate::time::Timestamp;
use http_body_util::Empty;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use lazuli::{Clock, Config, Emulator, ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use std::time::{Duration, SystemTime};

async fn get(url: &str) -> u16 {
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<&[u8]>>();
    let response = client.get(url.parse().unwrap()).await;
    response.map_or(0, |response| response.status().as_u16())
}

#[tokio::test]
async fn a_stopped_server_leaves_its_port_and_its_location_to_the_next() {
    let place = Scratch::new("embedded");
    let first = Emulator::builder().location(&place.0).start().await.unwrap();
    let port = first.addresses()[0].port;
    let client = TestClient::at(&[(ServiceKind::Blob, port)]);
    assert_eq!(client.request("PUT", "/box?restype=container").send().await.status, 201);
    // The client's connection stays open, and does not keep the server from stopping.
    first.stop().await;
    let second = Emulator::builder().location(&place.0).port(ServiceKind::Blob, port).start().await.unwrap();
    assert_eq!(client.request("GET", "/box?restype=container").send().await.status, 200);
    second.stop().await;
    assert_eq!(get(&format!("http://127.0.0.1:{port}/")).await, 0);
}

#[tokio::test]
async fn a_location_that_another_server_uses_is_refused() {
    let place = Scratch::new("embedded-twice");
    let first = Emulator::builder().location(&place.0).start().await.unwrap();
    let second = Emulator::builder().location(&place.0).start().await.unwrap_err();
    assert!(second.is_location_in_use(), "{second}");
    first.stop().await;
}

#[tokio::test]
async fn accounts_are_given_by_name_and_key() {
    let emulator = Emulator::builder().account("orders", "a2V5").account("images", WELL_KNOWN_KEY).start().await.unwrap();
    let [blob, queue, table, file] = [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File]
        .map(|kind| emulator.endpoint(kind, "orders").unwrap());
    assert_eq!(
        emulator.connection_string(),
        format!(
            "DefaultEndpointsProtocol=http;AccountName=orders;AccountKey=a2V5;BlobEndpoint={blob};QueueEndpoint={queue};\
             TableEndpoint={table};FileEndpoint={file};"
        )
    );
    assert_eq!(emulator.account(), "orders");
    for (kind, list) in [(ServiceKind::Blob, "comp=list"), (ServiceKind::Queue, "comp=list"), (ServiceKind::File, "comp=list")] {
        let url = emulator.sas_url(kind).unwrap();
        assert_eq!(get(&format!("{url}&{list}")).await, 200, "{url}");
    }
    let url = emulator.sas_url(ServiceKind::Table).unwrap().replacen("?", "/Tables?$format=json&", 1);
    assert_eq!(get(&url).await, 200, "{url}");
    let forged = emulator.sas_url(ServiceKind::Blob).unwrap().replace("sp=rw", "sp=rx");
    assert_eq!(get(&format!("{forged}&comp=list")).await, 403);

    for (name, key, message) in [
        ("Orders", WELL_KNOWN_KEY, "\"Orders\" is not an account's name: 3 to 24 lower-case letters and digits"),
        ("orders", "?", "a key of account \"orders\" is not base64"),
    ] {
        let error = Emulator::builder().account(name, key).start().await.unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[tokio::test]
async fn the_clock_moves_by_hand() {
    let start = SystemTime::from(Timestamp::from_unix(1_900_000_000));
    let emulator = Emulator::builder().clock(Clock::Manual(start)).seed(1).start().await.unwrap();
    assert_eq!(emulator.now(), start);
    emulator.advance(Duration::from_millis(1_500));
    assert_eq!(emulator.now(), start + Duration::from_millis(1_500));
}

#[tokio::test]
async fn a_configuration_is_made_of_flags() {
    let config =
        Config::from_arguments(["--blob-port=0", "--queue-port=0", "--table-port=0", "--file-port=0", "--account=orders"]);
    let emulator = Emulator::builder().config(config.unwrap()).start().await.unwrap();
    assert!(emulator.endpoint(ServiceKind::Blob, WELL_KNOWN_ACCOUNT).unwrap().ends_with("/devstoreaccount1"));
    assert_eq!(emulator.account(), "orders");
    for (argument, message) in [
        ("--blob-prot=1", "--blob-prot is not a flag; did you mean --blob-port?"),
        ("--help", "these flags are those of another command: a server is configured without them"),
    ] {
        assert_eq!(Config::from_arguments([argument]).unwrap_err().to_string(), message);
    }
}
