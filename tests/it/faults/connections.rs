//! Slow and silent clients: each costs one connection for a limited time, and does not delay the others.

use super::Stored;
use super::wire::{Wire, head, request, sas};
use crate::server::TestServer;
use lazuli::ServiceKind;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A connection without a request, with half a head, or without another request is closed after the timeout.
#[tokio::test]
async fn silence_has_a_limit() {
    let stored = Stored::with(&["--blob-keep-alive-timeout", "1"]).await;
    let mut silent = Wire::to(&stored.server, ServiceKind::Blob).await;
    let mut half = Wire::to(&stored.server, ServiceKind::Blob).await;
    half.say("PUT /devstoreaccount1/kept/digits HTTP/1.1\r\nhost: a\r\nx-ms-blob").await;
    let mut idle = Wire::to(&stored.server, ServiceKind::Blob).await;
    idle.say(request("GET", "/kept/digits", &[], "")).await;
    assert_eq!(idle.hear("GET").await.answer.text(), "0123456789");
    stored.unchanged("silence").await;
    for (who, wire) in [("silent", &mut silent), ("half a head", &mut half), ("idle", &mut idle)] {
        let said = wire.end().await;
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408 "), "{who}: {said:?}");
    }
    // On a connection of its own: those in the client's pool are idle too.
    let mut next = Wire::to(&stored.server, ServiceKind::Blob).await;
    next.say(request("GET", "/kept/digits", &[], "")).await;
    assert_eq!(next.hear("GET").await.answer.text(), "0123456789");
}

/// Hundreds of clients that stop in a head or a body, or never read, do not delay another client.
#[tokio::test]
async fn the_slow_do_not_hold_up_the_rest() {
    let stored = Stored::new().await;
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut wire = Wire::to(&stored.server, ServiceKind::Blob).await;
        match n % 3 {
            0 => wire.say("GET /devstoreaccount1/kept/dig").await,
            1 => {
                wire.say(format!(
                    "{}content-length: 10\r\n\r\nhalf",
                    head("PUT", "/kept/digits", &[("x-ms-blob-type", "BlockBlob")], 10)
                ))
                .await
            }
            _ => wire.say(request("GET", "/kept/digits", &[], "").repeat(50)).await,
        };
        slow.push(wire);
    }
    stored.unchanged("the slow").await;
    // The stalled bodies continue, and are accepted.
    let mut wire = slow.swap_remove(1);
    wire.say(" whole").await;
    assert_eq!(wire.hear("PUT").await.answer.verdict(), "201");
    assert_eq!(stored.server.request("GET", "/kept/digits").send().await.text(), "half whole");
}

/// Five hundred clients that come at once all get a connection, before the server has accepted the first. (One that did not would be
/// kept waiting by its own system, for there is nobody here who could accept meanwhile: this test has one thread.)
#[tokio::test]
async fn a_burst_of_connections() {
    let server = TestServer::new().await;
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        let address: SocketAddr = server.host(kind).parse().unwrap();
        let burst: Vec<_> = (0..500).map_while(|_| TcpStream::connect_timeout(&address, Duration::from_secs(20)).ok()).collect();
        assert_eq!(burst.len(), 500, "{kind:?}");
    }
}

/// HTTP/1.1 has one `Host`: with none or two a request reaches no service.
#[tokio::test]
async fn one_host() {
    let stored = Stored::new().await;
    for kind in [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File] {
        for hosts in ["", "host: a\r\nhost: a\r\n", "Host: 127.0.0.1\r\nx: y\r\nHOST: b\r\n"] {
            for target in ["/devstoreaccount1/kept/digits", "http://127.0.0.1/devstoreaccount1/kept/digits"] {
                let mut wire = Wire::to(&stored.server, kind).await;
                wire.say(format!(
                    "PUT {target}?{} HTTP/1.1\r\n{hosts}x-ms-blob-type: BlockBlob\r\ncontent-length: 3\r\n\r\nnew",
                    sas()
                ))
                .await;
                let spoken = wire.hear("PUT").await;
                assert_eq!(spoken.line, "HTTP/1.1 400 Bad Request", "{kind:?} {hosts:?}");
                assert!(spoken.answer.text().contains("Invalid Hostname"), "{}", spoken.answer.text());
                assert_eq!((spoken.answer.header("connection"), spoken.answer.header("x-ms-request-id")), ("close", ""));
                assert_eq!(wire.end().await, "");
            }
        }
        // HTTP/1.0 has no Host.
        let mut wire = Wire::to(&stored.server, kind).await;
        wire.say("OPTIONS /devstoreaccount1/ HTTP/1.0\r\nx-ms-version: 2021-12-02\r\n\r\n").await;
        assert!(wire.end().await.contains("A required CORS header is not present."), "{kind:?}");
    }
    stored.unchanged("hosts").await;
}
