//! Seeds: from a directory at the start, and by request.

use super::{control, done, json, post, refusal};
use crate::scratch::Scratch;
use crate::server::TestServer;
use lazuli::{ServiceKind, WELL_KNOWN_KEY};
use serde_json::{Value, json};

/// The document of the page that describes seeds.
fn documented() -> Value {
    let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/seed.md"));
    let document = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    serde_json::from_str(document).unwrap()
}

fn write(folder: &Scratch, path: &str, content: &str) {
    let path = folder.0.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// The directory of the page, with its document.
fn folder() -> Scratch {
    let folder = Scratch::new("seed");
    write(&folder, "containers/photos/cat.jpg", "a cat");
    write(&folder, "containers/photos/2026/dog.jpg", "a dog");
    write(&folder, "containers/photos/.hidden", "");
    write(&folder, "shares/docs/readme.txt", "read me");
    write(&folder, "queues/letters.json", "[\"<a> & b\"]");
    write(
        &folder,
        "tables/places.json",
        "[{\"PartitionKey\":\"o'neill\",\"RowKey\":\"r\",\"Big@odata.type\":\"Edm.Int64\",\"Big\":\"7\"}]",
    );
    write(&folder, "accounts/other/containers/dogs/rex", "woof");
    write(&folder, "seed.json", &documented().to_string());
    folder
}

async fn get(server: &TestServer, kind: ServiceKind, target: &str) -> String {
    let answer = server.request("GET", target).of(kind).send().await;
    assert_eq!(answer.status, 200, "{target}: {}", answer.text());
    answer.text().to_owned()
}

async fn check(server: &TestServer) {
    use ServiceKind::{Blob, File, Queue, Table};
    for (kind, target, content) in [
        (Blob, "/photos/hello.txt", "the text of a blob"),
        (Blob, "/photos/settings.json", "{\"theme\":\"dark\"}"),
        (Blob, "/photos/cat.jpg", "a cat"),
        (Blob, "/photos/2026/dog.jpg", "a dog"),
        (File, "/docs/readme.txt", "read me"),
        (File, "/docs/notes/today.txt", "the text of a file"),
    ] {
        assert_eq!(get(server, kind, target).await, content, "{target}");
    }
    let cat = server.request("HEAD", "/photos/cat.jpg").send().await;
    assert_eq!((cat.header("content-type"), cat.header("x-ms-meta-name")), ("image/jpeg", "Tom"));
    let settings = server.request("HEAD", "/photos/settings.json").send().await;
    assert_eq!((settings.header("content-type"), settings.header("x-ms-tag-count")), ("application/json", "1"));
    assert_eq!(server.request("HEAD", "/photos/pixel.gif").send().await.header("x-ms-access-tier"), "Cool");
    assert_eq!(server.request("HEAD", "/photos/.hidden").send().await.status, 404);
    let anonymous = server.request("GET", "/photos/hello.txt").anonymous().send().await;
    assert_eq!(anonymous.status, 200, "its access level is blob");
    let peeked = get(server, Queue, "/jobs/messages?peekonly=true&numofmessages=32").await;
    assert!(peeked.contains("<MessageText>a message<") && peeked.contains("{\"id\":1}"), "{peeked}");
    let letters = get(server, Queue, "/letters/messages?peekonly=true").await;
    assert!(letters.contains("&lt;a&gt; &amp; b"), "{letters}");
    assert!(get(server, Table, "/people()").await.contains("\"Age\":7"));
    assert!(get(server, Table, "/places(PartitionKey='o''neill',RowKey='r')").await.contains("\"Big\":\"7\""));
    let rex = server.request("GET", "/dogs/rex").account("other", WELL_KNOWN_KEY).send().await;
    assert_eq!(rex.text(), "woof");
}

#[tokio::test]
async fn a_directory_is_planted_at_the_start_of_an_empty_account() {
    let (seed, data) = (folder(), Scratch::new("seeded"));
    let (seed_flag, location) = (format!("--seed={}", seed.path()), format!("--location={}", data.path()));
    let accounts = ["--control", "--account=devstoreaccount1", "--account=other"];
    let mut server = TestServer::with(&[&accounts[..], &[&seed_flag, &location]].concat()).await;
    check(&server).await;
    let requests = done(&server, "GET", "/requests?method=PUT").await;
    assert_eq!(requests["requests"], json!([]), "seeding is not among the requests of clients");
    // A start does not undo what was stored since.
    server.blob("/photos/hello.txt", "changed").await;
    assert_eq!(server.request("DELETE", "/photos/cat.jpg").send().await.status, 202);
    server.restart().await;
    assert_eq!(get(&server, ServiceKind::Blob, "/photos/hello.txt").await, "changed");
    assert_eq!(server.request("HEAD", "/photos/cat.jpg").send().await.status, 404);
    // A request does.
    let planted = json(&control(&server, "POST", "/seed").await);
    assert_eq!((&planted["containers"], &planted["messages"], &planted["files"]), (&json!(3), &json!(3), &json!(2)));
    check(&server).await;
    let peeked = get(&server, ServiceKind::Queue, "/jobs/messages?peekonly=true&numofmessages=32").await;
    assert_eq!(peeked.matches("<QueueMessage>").count(), 2, "messages are replaced");
}

#[tokio::test]
async fn a_document_is_written_by_request() {
    let server = TestServer::with(&["--control", "--account=devstoreaccount1", "--account=other,hns"]).await;
    let document = json!({ "containers": { "cats": { "blobs": { "a/tom": "meow" } } }, "queues": { "jobs": ["one"] } });
    assert_eq!(json(&post(&server, "/seed", &document).await)["blobs"], 1);
    assert_eq!(get(&server, ServiceKind::Blob, "/cats/a/tom").await, "meow");
    assert_eq!(json(&post(&server, "/seed?account=other", &document).await)["blobs"], 1);
    let other = server.request("GET", "/cats/a/tom").account("other", WELL_KNOWN_KEY).send().await;
    assert_eq!(other.text(), "meow");
    // A rule that disturbs clients does not disturb a seed.
    json(&post(&server, "/faults", &json!({ "do": { "cut": "before" } })).await);
    assert_eq!(json(&post(&server, "/seed", &document).await)["blobs"], 1);
    for (document, expected) in [
        (json!({ "container": {} }), "400 InvalidInput"),
        (json!({ "containers": { "No": {} } }), "400 InvalidInput"),
        (json!({ "containers": { "cats": { "blobs": { "a": {} } } } }), "400 InvalidInput"),
        (json!({ "accounts": { "nobody": {} } }), "404 NotFound"),
        (json!({ "tables": { "people": [{ "RowKey": "r" }] } }), "400 InvalidInput"),
        (json!([]), "400 InvalidInput"),
    ] {
        assert_eq!(refusal(&post(&server, "/seed", &document).await), expected, "{document}");
    }
    assert_eq!(refusal(&control(&server, "POST", "/seed").await), "400 InvalidInput", "there is no --seed");
}

#[tokio::test]
async fn a_directory_that_is_no_seed_is_refused() {
    for (path, content, reason) in [
        ("containers.json", "{}", "a seed has only"),
        ("queues/jobs.txt", "", "a seed has only"),
        ("queues/jobs.json", "{", "jobs.json: EOF"),
        ("seed.json", "{\"tables\":[]}", "seed.json: invalid type"),
        ("containers/Not_a_name/a", "", "InvalidResourceName"),
        ("accounts/nobody/containers/cats/tom", "", "there is no account \"nobody\""),
    ] {
        let seed = Scratch::new("no-seed");
        write(&seed, path, content);
        let config = crate::support::server::configuration(&["--seed", seed.path()]);
        let error = lazuli::Emulator::builder().config(config).start().await.err().unwrap().to_string();
        assert!(error.starts_with("--seed: ") && error.contains(reason), "{path}: {error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_cannot_be_read_to_an_end_is_no_seed() {
    for (path, target, reason) in [
        ("containers/cats/zero", "/dev/zero", "neither a file nor a directory"),
        ("seed.json", "/dev/zero", "neither a file nor a directory"),
        ("containers/cats/loop", ".", "contains itself"),
        ("containers/cats/gone", "gone", "cannot be read"),
    ] {
        let seed = Scratch::new("no-end");
        write(&seed, "containers/cats/tom", "");
        std::os::unix::fs::symlink(target, seed.0.join(path)).unwrap();
        let config = crate::support::server::configuration(&["--seed", seed.path()]);
        let error = lazuli::Emulator::builder().config(config).start().await.err().unwrap().to_string();
        assert!(error.contains(reason), "{path}: {error}");
    }
}
