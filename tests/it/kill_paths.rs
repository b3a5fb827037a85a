//! A real process is killed while clients rename, write, delete and restore directories of Data Lake. After a restart each directory is as
//! its last acknowledged write left it, or as the next one would have, and at one place only.

use crate::kill::{Doomed, LAKE, start};
use crate::scratch::Scratch;
use crate::server::{RequestBuilder, TestClient};
use lazuli::{ServiceKind, WELL_KNOWN_KEY};
use std::cell::{Cell, RefCell};

/// How often the process is killed.
const ROUNDS: u32 = 40;
/// Where a directory is: renames go through them, to another file system and back.
const PLACES: [&str; 3] = ["/box/here", "/box/there", "/other/here"];
const PERMISSIONS: [&str; 2] = ["rwxr-x---", "rwx--x--x"];
const RETAIN: &str = "<StorageServiceProperties><DeleteRetentionPolicy><Enabled>true</Enabled><Days>7</Days></DeleteRetentionPolicy>\
    </StorageServiceProperties>";

/// The directory of a client, with a file in a directory in it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Directory {
    place: usize,
    deleted: bool,
    permissions: usize,
    text: String,
}

/// A client, and what its directory is after the last acknowledged write, and after the next one.
struct Writer {
    number: usize,
    steps: usize,
    now: Directory,
    next: Directory,
}

fn request<'c>(client: &'c TestClient, kind: ServiceKind, method: &str, target: &str) -> RequestBuilder<'c> {
    client.request(method, target).of(kind).account(LAKE, WELL_KNOWN_KEY)
}

impl Writer {
    fn path(&self, place: usize) -> String {
        format!("{}-{}", PLACES[place], self.number)
    }

    /// The next write, and the directory after it.
    fn next<'c>(&mut self, client: &'c TestClient) -> RequestBuilder<'c> {
        self.steps += 1;
        let path = self.path(self.now.place);
        let next = &mut self.next;
        if self.now.deleted {
            next.deleted = false;
            return request(client, ServiceKind::Blob, "PUT", &format!("{path}?comp=undelete"));
        }
        let lake = |method: &str, target: &str| request(client, ServiceKind::DataLake, method, target);
        match self.steps % 6 {
            0 => {
                next.permissions = 1 - next.permissions;
                let set = lake("PATCH", &format!("{path}?action=setAccessControl"));
                set.header("x-ms-permissions", PERMISSIONS[next.permissions])
            }
            1 | 3 => {
                let text = format!("{} ", self.steps);
                let append = format!("{path}/sub/file?action=append&flush=true&position={}", next.text.len());
                next.text += &text;
                lake("PATCH", &append).body(text)
            }
            5 => {
                next.deleted = true;
                lake("DELETE", &format!("{path}?recursive=true"))
            }
            _ => {
                next.place = (next.place + 1) % PLACES.len();
                let to = format!("{}-{}?mode=legacy", PLACES[next.place], self.number);
                lake("PUT", &to).header("x-ms-rename-source", path)
            }
        }
    }

    /// Writes until the server is killed.
    async fn write_on(&mut self, client: &TestClient, doomed: &Doomed<'_>) -> usize {
        for acknowledged in 0.. {
            let Some(answer) = self.next(client).attempt().await else { return acknowledged };
            assert!(answer.status < 300, "{:?}: {}", self.next, answer.verdict());
            self.now = self.next.clone();
            doomed.count();
        }
        0
    }

    /// Reads the directory, after it is restored if it is deleted.
    async fn found(&self, client: &TestClient) -> Directory {
        let mut places = Vec::new();
        let mut deleted = false;
        for place in 0..PLACES.len() {
            let head = request(client, ServiceKind::DataLake, "HEAD", &self.path(place)).send().await;
            if head.status != 404 {
                assert_eq!(head.status, 200);
                places.push(place);
            }
        }
        assert!(places.len() < 2, "the directory is at {places:?}");
        if places.is_empty() {
            for place in 0..PLACES.len() {
                let undelete = request(client, ServiceKind::Blob, "PUT", &format!("{}?comp=undelete", self.path(place)));
                let undeleted = undelete.send().await;
                if undeleted.status != 404 {
                    assert_eq!(undeleted.verdict(), "200");
                    places.push(place);
                    deleted = true;
                }
            }
            assert_eq!(places.len(), 1, "deleted directories of one client: {places:?}");
        }
        let (place, path) = (places[0], self.path(places[0]));
        let head = request(client, ServiceKind::DataLake, "HEAD", &path).send().await;
        let permissions = PERMISSIONS.iter().position(|known| *known == head.header("x-ms-permissions")).unwrap();
        let file = request(client, ServiceKind::DataLake, "GET", &format!("{path}/sub/file")).send().await;
        assert_eq!(file.status, 200, "{path}: {}", file.verdict());
        Directory { place, deleted, permissions, text: file.text().to_owned() }
    }

    async fn check(&mut self, client: &TestClient, round: u32) {
        let found = self.found(client).await;
        assert!(
            found == self.now || found == self.next,
            "round {round}: found {found:?}, acknowledged {:?}, then {:?}",
            self.now,
            self.next
        );
        self.now = Directory { deleted: false, ..found };
        self.next = self.now.clone();
    }
}

#[tokio::test]
async fn directories_survive_kills_whole_and_at_one_place() {
    let place = Scratch::new("kill-paths");
    let (mut running, mut client) = start(&place);
    for name in ["box", "other"] {
        let target = format!("/{name}?resource=filesystem");
        assert_eq!(request(&client, ServiceKind::DataLake, "PUT", &target).send().await.verdict(), "201");
    }
    let retain = request(&client, ServiceKind::Blob, "PUT", "/?restype=service&comp=properties").body(RETAIN);
    assert_eq!(retain.send().await.verdict(), "202");
    let mut writers =
        [0, 1, 2].map(|number| Writer { number, steps: number, now: Directory::default(), next: Directory::default() });
    for writer in &writers {
        let target = format!("{}/sub/file?resource=file", writer.path(0));
        assert_eq!(request(&client, ServiceKind::DataLake, "PUT", &target).send().await.verdict(), "201");
    }
    let mut acknowledged = 0;
    for round in 0..ROUNDS {
        let [one, two, three] = &mut writers;
        let doomed = Doomed { left: Cell::new(3 + round % 20), running: RefCell::new(&mut running) };
        let (one, two, three) =
            tokio::join!(one.write_on(&client, &doomed), two.write_on(&client, &doomed), three.write_on(&client, &doomed));
        acknowledged += one + two + three;
        (running, client) = start(&place);
        for writer in &mut writers {
            writer.check(&client, round).await;
        }
    }
    assert!(acknowledged > 300, "{acknowledged} writes were acknowledged");
}
