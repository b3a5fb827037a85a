//! A real process is killed while clients write to all its services. After a restart it has everything that it acknowledged.

use crate::process::{FREE, Running};
use crate::scratch::Scratch;
use crate::server::{RequestBuilder, TestClient};
use lazuli::{ServiceKind, WELL_KNOWN_KEY};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// How often the process is killed.
const ROUNDS: u32 = 100;
/// The clients: one for each service, all at once.
const KINDS: [ServiceKind; 5] =
    [ServiceKind::Blob, ServiceKind::Queue, ServiceKind::Table, ServiceKind::File, ServiceKind::DataLake];
/// The account with a hierarchical namespace, to which the client of Data Lake writes.
pub const LAKE: &str = "lake";

/// What a client wrote: names and their texts. A write that was not answered may be there or not.
#[derive(Default)]
struct Written {
    sure: BTreeMap<String, String>,
    unsure: BTreeMap<String, String>,
    next: u32,
}

pub fn start(place: &Scratch) -> (Running, TestClient) {
    let lake = format!("--account={LAKE}:{WELL_KNOWN_KEY},hns");
    let arguments = ["--silent", "--location", place.path(), "--dfs-port=0", "--account=devstoreaccount1", &lake];
    let running = Running::start_in(&[&FREE[..], &arguments].concat(), &[]);
    let ports: Vec<u16> = running.ready(5).into_iter().map(|(_, port)| port).collect();
    let client = TestClient::at(&KINDS.into_iter().zip(ports).collect::<Vec<_>>());
    (running, client)
}

/// The request that creates the container, queue, table or share that a client writes to.
fn make(client: &TestClient, kind: ServiceKind) -> RequestBuilder<'_> {
    match kind {
        ServiceKind::Blob => client.request("PUT", "/box?restype=container"),
        ServiceKind::Queue => client.request("PUT", "/work").of(kind),
        ServiceKind::Table => client.request("POST", "/Tables").of(kind).body(r#"{"TableName":"people"}"#),
        ServiceKind::File => client.request("PUT", "/shr?restype=share").of(kind),
        ServiceKind::DataLake => client.request("PUT", "/box?resource=filesystem").of(kind).account(LAKE, WELL_KNOWN_KEY),
    }
}

/// The request to the account of its service.
fn to_account(request: RequestBuilder<'_>, kind: ServiceKind) -> RequestBuilder<'_> {
    if kind == ServiceKind::DataLake { request.account(LAKE, WELL_KNOWN_KEY) } else { request }
}

/// The request that writes a text under a name.
fn write<'a>(client: &'a TestClient, kind: ServiceKind, name: &str, text: &str) -> RequestBuilder<'a> {
    match kind {
        ServiceKind::Blob => {
            client.request("PUT", &format!("/box/{name}")).header("x-ms-blob-type", "BlockBlob").body(text.to_owned())
        }
        ServiceKind::Queue => client
            .request("POST", "/work/messages")
            .of(kind)
            .body(format!("<QueueMessage><MessageText>{text}</MessageText></QueueMessage>")),
        ServiceKind::Table => client
            .request("PUT", &format!("/people(PartitionKey='p',RowKey='{name}')"))
            .of(kind)
            .body(format!(r#"{{"text":"{text}"}}"#)),
        ServiceKind::File => {
            let size = text.len();
            client
                .request("PUT", &format!("/shr/{name}"))
                .of(kind)
                .header("x-ms-type", "file")
                .header("x-ms-content-length", size)
        }
        ServiceKind::DataLake => {
            client.request("PUT", &format!("/box/{}?resource=file", path(name))).of(kind).account(LAKE, WELL_KNOWN_KEY)
        }
    }
}

/// The path of a name: a directory has some of them.
fn path(name: &str) -> String {
    let (directory, _) = name.split_at(name.len().saturating_sub(1));
    format!("{directory}d/{name}")
}

/// A server that is killed after this many acknowledged writes.
pub struct Doomed<'a> {
    pub left: Cell<u32>,
    pub running: RefCell<&'a mut Running>,
}

impl Doomed<'_> {
    pub fn count(&self) {
        self.left.set(self.left.get().saturating_sub(1));
        if self.left.get() == 0 {
            self.running.borrow_mut().kill();
        }
    }
}

/// Writes until the server is killed.
async fn write_on(client: &TestClient, kind: ServiceKind, written: &mut Written, doomed: &Doomed<'_>) {
    loop {
        let name = format!("n{}", written.next);
        // Some are long enough for an extent.
        let text = format!("{name} ").repeat(if written.next.is_multiple_of(5) { 400 } else { 3 });
        written.next += 1;
        written.unsure.insert(name.clone(), text.clone());
        let Some(answer) = write(client, kind, &name, text.trim()).attempt().await else { return };
        assert!(answer.status < 300, "{kind:?} {name}: {}", answer.verdict());
        if kind == ServiceKind::File {
            let put = client.request("PUT", &format!("/shr/{name}?comp=range")).of(kind).header("x-ms-write", "update");
            let put = put.header("x-ms-range", format!("bytes=0-{}", text.trim().len() - 1)).body(text.trim().to_owned());
            let Some(answer) = put.attempt().await else { return };
            assert_eq!(answer.status, 201, "{name}: {}", answer.verdict());
        }
        if kind == ServiceKind::DataLake {
            let target = format!("/box/{}?action=append&position=0&flush=true", path(&name));
            let append = client.request("PATCH", &target).of(kind).account(LAKE, WELL_KNOWN_KEY);
            let Some(answer) = append.body(text.trim().to_owned()).attempt().await else { return };
            assert_eq!(answer.status, 202, "{name}: {}", answer.verdict());
        }
        written.unsure.remove(&name);
        written.sure.insert(name, text.trim().to_owned());
        doomed.count();
    }
}

/// Reads everything that was written, and compares it with what was acknowledged.
async fn check(client: &TestClient, kind: ServiceKind, written: &mut Written, round: u32) {
    let mut found = BTreeMap::new();
    if kind == ServiceKind::Queue {
        loop {
            let got = client.request("GET", "/work/messages?numofmessages=32").of(kind).send().await;
            assert_eq!(got.verdict(), "200");
            let texts = got.elements("MessageText");
            if texts.is_empty() {
                break;
            }
            found.extend(texts.iter().map(|text| (text.split(' ').next().unwrap().to_owned(), (*text).to_owned())));
        }
        assert_eq!(client.request("DELETE", "/work/messages").of(kind).send().await.verdict(), "204");
    } else {
        for (name, _) in written.sure.iter().chain(&written.unsure) {
            let (path, removed) = match kind {
                ServiceKind::Blob => (format!("/box/{name}"), format!("/box/{name}")),
                ServiceKind::Table => {
                    let path = format!("/people(PartitionKey='p',RowKey='{name}')");
                    (format!("{path}?$select=text"), path)
                }
                ServiceKind::DataLake => (format!("/box/{}", path(name)), format!("/box/{}", path(name))),
                _ => (format!("/shr/{name}"), format!("/shr/{name}")),
            };
            let got = to_account(client.request("GET", &path).of(kind), kind).send().await;
            if got.status == 404 {
                continue;
            }
            assert_eq!(got.status, 200, "{path}: {}", got.text());
            let text = match kind {
                ServiceKind::Table => {
                    serde_json::from_slice::<serde_json::Value>(&got.body).unwrap()["text"].as_str().unwrap().to_owned()
                }
                _ => String::from_utf8(got.body.to_vec()).unwrap(),
            };
            found.insert(name.clone(), text);
            let delete = to_account(client.request("DELETE", &removed).of(kind), kind);
            let deleted = if kind == ServiceKind::Table { delete.header("if-match", "*") } else { delete }.send().await;
            assert!(deleted.status < 300, "{path}: {}", deleted.verdict());
        }
    }
    for (name, text) in &written.sure {
        assert_eq!(found.remove(name).as_ref(), Some(text), "round {round}: {kind:?} lost {name}");
    }
    for (name, text) in found {
        let whole = written.unsure.get(&name).is_some_and(|unsure| unsure.trim() == text);
        // A file is created before it is written.
        let empty = match kind {
            ServiceKind::File => text.bytes().all(|byte| byte == 0),
            ServiceKind::DataLake => text.is_empty(),
            _ => false,
        };
        assert!(whole || empty, "round {round}: {kind:?} has {name}: {text:?}");
    }
    written.sure.clear();
    written.unsure.clear();
}

#[tokio::test]
async fn acknowledged_writes_survive_a_hundred_kills() {
    let place = Scratch::new("kill");
    let mut all: [Written; 5] = Default::default();
    let (mut running, mut client) = start(&place);
    for kind in KINDS {
        assert_eq!(make(&client, kind).send().await.verdict(), "201", "{kind:?}");
    }
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let [blob, queue, table, file, lake] = &mut all;
        let doomed = Doomed { left: Cell::new(5 + round % 40), running: RefCell::new(&mut running) };
        tokio::join!(
            write_on(&client, ServiceKind::Blob, blob, &doomed),
            write_on(&client, ServiceKind::Queue, queue, &doomed),
            write_on(&client, ServiceKind::Table, table, &doomed),
            write_on(&client, ServiceKind::File, file, &doomed),
            write_on(&client, ServiceKind::DataLake, lake, &doomed),
        );
        (running, client) = start(&place);
        for (kind, written) in KINDS.into_iter().zip(&mut all) {
            acknowledged += written.sure.len();
            check(&client, kind, written, round).await;
        }
    }
    assert!(acknowledged > 1000, "{acknowledged} writes were acknowledged");
}
