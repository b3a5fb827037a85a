//! Checkpoints over sockets: everything is as it was, in memory and on disk.

use super::{control, done, refusal};
use crate::scratch::Scratch;
use crate::server::{Answer, TestServer};
use lazuli::{ServiceKind, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY};
use serde_json::json;
use std::collections::BTreeSet;

const CORS: &str = "<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods>\
                    <MaxAgeInSeconds>1</MaxAgeInSeconds><ExposedHeaders></ExposedHeaders><AllowedHeaders></AllowedHeaders>\
                    </CorsRule></Cors></StorageServiceProperties>";

/// Sends a request that succeeds.
async fn send(
    server: &TestServer,
    kind: ServiceKind,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let answer = server.request(method, target).of(kind).headers(headers).body(body.to_owned()).send().await;
    assert!((200..300).contains(&answer.status), "{method} {target}: {} {}", answer.verdict(), answer.text());
    answer
}

/// Fills every service.
async fn fill(server: &TestServer) {
    use ServiceKind::{Blob, File, Queue, Table};
    for name in ["cats", "dogs"] {
        server.container(name).await;
    }
    server.blob("/cats/tom", "first ".repeat(200)).await;
    server.blob("/cats/kept", "kept").await;
    server.blob("/dogs/rex", "woof").await;
    send(server, Blob, "PUT", "/cats/tom?comp=metadata", &[("x-ms-meta-colour", "grey")], "").await;
    send(server, Blob, "PUT", "/cats/draft?comp=block&blockid=AAAA", &[], "a block").await;
    send(server, Blob, "PUT", "/?restype=service&comp=properties", &[], CORS).await;
    send(server, Queue, "PUT", "/jobs", &[], "").await;
    send(server, Queue, "POST", "/jobs/messages", &[], "<QueueMessage><MessageText>one</MessageText></QueueMessage>").await;
    send(server, Table, "POST", "/Tables", &[], "{\"TableName\":\"people\"}").await;
    send(server, Table, "POST", "/people", &[], "{\"PartitionKey\":\"p\",\"RowKey\":\"r\",\"Age\":7}").await;
    send(server, File, "PUT", "/docs?restype=share", &[], "").await;
    let file = [("x-ms-type", "file"), ("x-ms-content-length", "4")];
    send(server, File, "PUT", "/docs/note", &file, "").await;
    let range = [("x-ms-write", "update"), ("x-ms-range", "bytes=0-3")];
    send(server, File, "PUT", "/docs/note?comp=range", &range, "text").await;
}

/// Changes every service.
async fn change(server: &TestServer) {
    use ServiceKind::{Blob, File, Queue, Table};
    server.blob("/cats/tom", "second").await;
    server.blob("/cats/new", "new").await;
    send(server, Blob, "DELETE", "/cats/kept", &[], "").await;
    send(server, Blob, "PUT", "/cats/draft?comp=block&blockid=AAAB", &[], "another").await;
    send(server, Blob, "DELETE", "/dogs?restype=container", &[], "").await;
    server.container("birds").await;
    server.blob("/birds/tweety", "tweet").await;
    send(
        server,
        Blob,
        "PUT",
        "/?restype=service&comp=properties",
        &[],
        "<StorageServiceProperties><Cors/></StorageServiceProperties>",
    )
    .await;
    send(server, Queue, "DELETE", "/jobs/messages", &[], "").await;
    send(server, Queue, "PUT", "/others", &[], "").await;
    send(server, Table, "POST", "/Tables", &[], "{\"TableName\":\"others\"}").await;
    send(server, Table, "DELETE", "/people(PartitionKey='p',RowKey='r')", &[("if-match", "*")], "").await;
    send(server, Table, "POST", "/people", &[], "{\"PartitionKey\":\"p\",\"RowKey\":\"new\"}").await;
    let range = [("x-ms-write", "update"), ("x-ms-range", "bytes=0-1")];
    send(server, File, "PUT", "/docs/note?comp=range", &range, "TE").await;
    send(server, File, "DELETE", "/docs?restype=share", &[], "").await;
}

/// Everything that a client can see: lists with ETags, contents, messages, entities, properties.
async fn seen(server: &TestServer) -> Vec<String> {
    use ServiceKind::{Blob, File, Queue, Table};
    let mut seen = Vec::new();
    for (kind, target) in [
        (Blob, "/?comp=list&include=metadata"),
        (Blob, "/cats?restype=container&comp=list&include=metadata,uncommittedblobs"),
        (Blob, "/dogs?restype=container&comp=list"),
        (Blob, "/cats/tom"),
        (Blob, "/cats/kept"),
        (Blob, "/dogs/rex"),
        (Blob, "/cats/draft?comp=blocklist&blocklisttype=all"),
        (Blob, "/?restype=service&comp=properties"),
        (Queue, "/?comp=list"),
        (Queue, "/jobs/messages?peekonly=true&numofmessages=32"),
        (Table, "/Tables"),
        (Table, "/people()"),
        (File, "/?comp=list"),
        (File, "/docs/note"),
        (File, "/docs?restype=directory&comp=list"),
    ] {
        let answer = server.request("GET", target).of(kind).send().await;
        // The message of an error has the id of its request.
        let body = if answer.status < 300 { answer.text().to_owned() } else { String::new() };
        // The endpoint of a server that was started again has another port.
        let body = body.replace(&server.host(kind), "HOST");
        seen.push(format!("{target}: {} {} {body}", answer.verdict(), answer.header("etag")));
    }
    seen
}

#[tokio::test]
async fn a_restore_brings_everything_back() {
    let server = TestServer::with(&["--control"]).await;
    fill(&server).await;
    let before = seen(&server).await;
    let made = done(&server, "POST", "/checkpoints/clean").await;
    assert_eq!((&made["name"], &made["account"]), (&json!("clean"), &json!(null)));
    for _ in 0..3 {
        change(&server).await;
        let changed = seen(&server).await;
        assert!(before.iter().zip(&changed).all(|(before, changed)| before != changed), "{changed:#?}");
        done(&server, "POST", "/checkpoints/clean/restore").await;
        assert_eq!(seen(&server).await, before);
    }
    // The server goes on from there.
    server.blob("/cats/more", "more").await;
    server.blob("/dogs/more", "more").await;
    send(&server, ServiceKind::Blob, "PUT", "/cats/draft?comp=blocklist", &[], "<BlockList><Latest>AAAA</Latest></BlockList>")
        .await;
}

#[tokio::test]
async fn a_restore_is_on_disk() {
    let folder = Scratch::new("checkpoint");
    let location = format!("--location={}", folder.path());
    let mut server = TestServer::with(&["--control", &location]).await;
    fill(&server).await;
    let before = seen(&server).await;
    done(&server, "POST", "/checkpoints/clean").await;
    change(&server).await;
    done(&server, "POST", "/checkpoints/clean/restore").await;
    assert_eq!(seen(&server).await, before);
    server.restart().await;
    assert_eq!(seen(&server).await, before, "after a start");
    assert_eq!(done(&server, "GET", "/checkpoints").await, json!({ "checkpoints": [] }), "checkpoints end with their server");
    // What was restored can be changed, and is deleted from the disk with a reset.
    change(&server).await;
    done(&server, "POST", "/reset").await;
    server.restart().await;
    assert_eq!(server.request("GET", "/?comp=list").send().await.elements("Name"), [""; 0]);
}

#[tokio::test]
async fn one_account_is_restored_alone() {
    let server = TestServer::with(&["--control", "--account=devstoreaccount1", "--account=other"]).await;
    let put = |account: &'static str, name: &'static str| {
        server.request("PUT", &format!("/{name}?restype=container")).account(account, WELL_KNOWN_KEY).send()
    };
    let names = async |account: &str| {
        let listed = server.request("GET", "/?comp=list").account(account, WELL_KNOWN_KEY).send().await;
        listed.elements("Name").join(" ")
    };
    for account in [WELL_KNOWN_ACCOUNT, "other"] {
        assert_eq!(put(account, "one").await.status, 201);
    }
    done(&server, "POST", "/checkpoints/both").await;
    let made = done(&server, "POST", "/checkpoints/single?account=other").await;
    assert_eq!(made["account"], "other");
    server.wait(10);
    for account in [WELL_KNOWN_ACCOUNT, "other"] {
        assert_eq!(put(account, "two").await.status, 201);
    }
    done(&server, "POST", "/checkpoints/single/restore").await;
    assert_eq!((names(WELL_KNOWN_ACCOUNT).await, names("other").await), ("one two".to_owned(), "one".to_owned()));
    assert_eq!(done(&server, "GET", "/clock").await["offset_seconds"], 10);
    done(&server, "POST", &format!("/checkpoints/both/restore?account={WELL_KNOWN_ACCOUNT}")).await;
    assert_eq!(names(WELL_KNOWN_ACCOUNT).await, "one");
    assert_eq!(done(&server, "GET", "/clock").await["offset_seconds"], 10, "the clock is that of all accounts");
    let other = control(&server, "POST", &format!("/checkpoints/single/restore?account={WELL_KNOWN_ACCOUNT}")).await;
    assert_eq!(refusal(&other), "400 InvalidInput");
}

#[tokio::test]
async fn leases_and_the_clock_are_as_they_were() {
    let server = TestServer::with(&["--control"]).await;
    server.container("cats").await;
    server.blob("/cats/tom", "meow").await;
    let lease = [("x-ms-lease-action", "acquire"), ("x-ms-lease-duration", "30")];
    assert_eq!(server.request("PUT", "/cats/tom?comp=lease").headers(&lease).send().await.status, 201);
    let state = async || server.request("HEAD", "/cats/tom").send().await.header("x-ms-lease-state").to_owned();
    server.wait(10);
    done(&server, "POST", "/checkpoints/leased").await;
    server.wait(60);
    assert_eq!(state().await, "expired");
    done(&server, "POST", "/checkpoints/leased/restore").await;
    assert_eq!((state().await.as_str(), &done(&server, "GET", "/clock").await["offset_seconds"]), ("leased", &json!(10)));
    server.wait(60);
    done(&server, "POST", "/checkpoints/leased/restore?clock=keep").await;
    assert_eq!(state().await, "expired");
}

#[tokio::test]
async fn checkpoints_are_named_replaced_and_deleted() {
    let server = TestServer::with(&["--control"]).await;
    done(&server, "POST", "/checkpoints/a").await;
    server.container("cats").await;
    done(&server, "POST", "/checkpoints/b").await;
    done(&server, "POST", "/checkpoints/a").await;
    done(&server, "POST", "/reset").await;
    done(&server, "POST", "/checkpoints/a/restore").await;
    assert_eq!(server.request("GET", "/cats?restype=container").send().await.status, 200, "the newer one of this name");
    let names = |listed: serde_json::Value| {
        let all = listed["checkpoints"].as_array().unwrap().clone();
        all.iter().map(|checkpoint| checkpoint["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(done(&server, "GET", "/checkpoints").await), ["a", "b"], "a reset keeps them");
    done(&server, "DELETE", "/checkpoints/a").await;
    assert_eq!(names(done(&server, "GET", "/checkpoints").await), ["b"]);
    for (method, path, expected) in [
        ("DELETE", "/checkpoints/a", "404 NotFound"),
        ("POST", "/checkpoints/a/restore", "404 NotFound"),
        ("POST", "/checkpoints/a%20b", "400 InvalidInput"),
        ("POST", "/checkpoints/..", "400 InvalidInput"),
        ("POST", "/checkpoints/a?account=nobody", "404 NotFound"),
        ("GET", "/checkpoints/a", "405 MethodNotAllowed"),
    ] {
        assert_eq!(refusal(&control(&server, method, path).await), expected, "{method} {path}");
    }
}

#[tokio::test]
async fn an_account_that_was_not_in_use_is_empty_again() {
    let server = TestServer::with(&["--control", "--account=*"]).await;
    let send = |method: &'static str, kind, target: &'static str| {
        server.request(method, target).of(kind).account("fresh", WELL_KNOWN_KEY).send()
    };
    done(&server, "POST", "/checkpoints/unused?account=fresh").await;
    assert_eq!(send("PUT", ServiceKind::Blob, "/cats?restype=container").await.verdict(), "201");
    done(&server, "POST", "/checkpoints/blobs?account=fresh").await;
    assert_eq!(send("PUT", ServiceKind::Queue, "/letters").await.verdict(), "201");
    let found = async || {
        let cats = send("GET", ServiceKind::Blob, "/cats?restype=container").await.status;
        (cats, send("GET", ServiceKind::Queue, "/letters?comp=metadata").await.status)
    };
    done(&server, "POST", "/checkpoints/blobs/restore").await;
    assert_eq!(found().await, (200, 404), "it had no queues");
    done(&server, "POST", "/checkpoints/unused/restore").await;
    assert_eq!(found().await, (404, 404));
}

/// The clock of the test stands still, so that the times of writes repeat.
#[tokio::test]
async fn an_entity_tag_of_what_a_restore_discards_does_not_come_again() {
    let server = TestServer::with(&["--control"]).await;
    server.container("cats").await;
    let first = server.blob("/cats/tom", "one").await;
    done(&server, "POST", "/checkpoints/clean").await;
    let mut tags = vec![first];
    for content in ["two", "three", "four"] {
        tags.push(server.blob("/cats/tom", content).await);
        // Once the container is there, and once it is not.
        if content == "three" {
            assert_eq!(server.request("DELETE", "/cats?restype=container").send().await.status, 202);
        }
        done(&server, "POST", "/checkpoints/clean/restore").await;
        assert_eq!(server.request("GET", "/cats/tom").send().await.header("etag"), tags[0]);
    }
    let distinct: BTreeSet<&String> = tags.iter().collect();
    assert_eq!(distinct.len(), tags.len(), "{tags:?}");
}

/// Writers that meet a restore have their effect before it, after it, or are refused because their container is gone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writers_and_restores_do_not_wait_for_each_other_for_ever() {
    let server = TestServer::with(&["--control"]).await;
    server.container("kept").await;
    done(&server, "POST", "/checkpoints/clean").await;
    let write = |at: usize| {
        let server = &server;
        async move {
            for round in 0..40 {
                _ = server.request("PUT", "/gone?restype=container").send().await;
                let container = ["kept", "gone"][(at + round) % 2];
                let put = server.request("PUT", &format!("/{container}/{at}")).header("x-ms-blob-type", "BlockBlob").body("x");
                let put = put.send().await;
                assert!(matches!(put.status, 201 | 404), "{}", put.verdict());
            }
        }
    };
    let restore = async {
        for _ in 0..40 {
            done(&server, "POST", "/checkpoints/clean/restore").await;
        }
    };
    tokio::join!(restore, write(0), write(1), write(2));
    done(&server, "POST", "/checkpoints/clean/restore").await;
    assert_eq!(server.request("GET", "/?comp=list").send().await.elements("Name"), ["kept"]);
    assert_eq!(server.request("GET", "/kept?restype=container&comp=list").send().await.elements("Name"), [""; 0]);
}
