//! A disk that stops at each write of a restore in turn: after a start, all of the restore is there or nothing.

use crate::operation::ServiceKind;
use crate::tests::support::scratch::Scratch;
use crate::tests::support::server::TestServer;

/// The contents of all containers and queues.
async fn observed(server: &TestServer) -> Vec<String> {
    let mut found = Vec::new();
    let listed = server.request("GET", "/?comp=list").send().await;
    for container in listed.elements("Name") {
        let blobs = server.request("GET", &format!("/{container}?restype=container&comp=list")).send().await;
        for blob in blobs.elements("Name") {
            let content = server.request("GET", &format!("/{container}/{blob}")).send().await;
            found.push(format!("{container}/{blob}: {} {}", content.header("etag"), content.text()));
        }
    }
    let messages = server.request("GET", "/jobs/messages?peekonly=true&numofmessages=32").of(ServiceKind::Queue).send().await;
    found.push(format!("{} {}", messages.status, messages.elements("MessageText").join(" ")));
    found
}

async fn control(server: &TestServer, path: &str) -> u16 {
    server.visit("POST", "127.0.0.1", &format!("/_lazuli/checkpoints/{path}")).send().await.status
}

#[tokio::test]
async fn a_restore_is_on_disk_as_a_whole_or_not_at_all() {
    let mut stopped = 0;
    for writes in 0.. {
        let place = Scratch::new("crash-restore");
        let mut server = TestServer::with(&["--control", "--location", place.path()]).await;
        for container in ["cats", "dogs"] {
            server.container(container).await;
            for at in 0..9 {
                server.blob(&format!("/{container}/{at}"), format!("{at} ").repeat(200)).await;
            }
        }
        let queue = |method: &'static str, target: &'static str| server.request(method, target).of(ServiceKind::Queue);
        assert_eq!(queue("PUT", "/jobs").send().await.status, 201);
        let message = "<QueueMessage><MessageText>one</MessageText></QueueMessage>";
        assert_eq!(queue("POST", "/jobs/messages").body(message).send().await.status, 201);
        assert_eq!(control(&server, "clean").await, 200);
        let clean = observed(&server).await;

        assert_eq!(server.request("DELETE", "/dogs?restype=container").send().await.status, 202);
        for at in 3..12 {
            server.blob(&format!("/cats/{at}"), "changed").await;
        }
        server.container("birds").await;
        assert_eq!(queue("DELETE", "/jobs/messages").send().await.status, 204);
        let changed = observed(&server).await;
        assert_ne!(changed, clean);

        server.emulator.store().disk().unwrap().medium().limit_writes(writes);
        let status = control(&server, "clean/restore").await;
        server.restart().await;
        let found = observed(&server).await;
        if status == 200 {
            assert_eq!(found, clean, "{writes} writes");
            break;
        }
        stopped += 1;
        assert_eq!(status, 500);
        assert!(found == clean || found == changed, "{writes} writes: half of a restore: {found:#?}");
    }
    assert!(stopped > 0, "the disk stopped at no write");
}
