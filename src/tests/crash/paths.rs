//! Paths of two file systems of Data Lake: created, written, renamed, deleted and restored, with their access control, properties, leases
//! and expiry.

use super::{BETWEEN, Model};
use crate::operation::ServiceKind;
use crate::tests::support::rng::Rng;
use crate::tests::support::server::{Answer, RequestBuilder, TestServer};
use std::collections::BTreeMap;

const FILE_SYSTEMS: [&str; 2] = ["one", "two"];
/// The paths that are created. Directories have short names, so that no file is above another path.
const PATHS: [&str; 8] = ["d", "d/e", "d/e/file", "d/file", "e", "e/file", "e/e/e", "file"];
const LEASE: &str = "5d0e6b4e-0a5b-4a5e-8a4f-6d0f2f6f9b10";
/// The lengths of appends: in a record, and in an extent.
const LENGTHS: [usize; 2] = [8, 800];
/// The most appends that wait for a flush.
const WAITING: usize = 2;
const LISTS: [&str; 2] = ["user::rwx,group::r--,other::---", "user::rw-,group::rwx,other::--x"];

/// What is at a path.
#[derive(Clone, Default)]
struct Item {
    directory: bool,
    text: String,
    waiting: Vec<String>,
    permissions: &'static str,
    /// The property of the user; empty if there is none.
    property: String,
    leased: bool,
    expires: Option<u64>,
}

/// Paths and what is at them.
type Tree = BTreeMap<String, Item>;

#[derive(Clone, Default)]
pub struct Paths {
    made: usize,
    retains: bool,
    /// With the file system before each path.
    tree: Tree,
    /// The deletions that can be undone, the last one last: the path, and what was at it and below.
    deleted: Vec<(String, Tree)>,
}

fn is_directory(path: &str) -> bool {
    !path.ends_with("file")
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(parent, _)| parent)
}

/// The rest of a path behind one that is it, or is above it.
fn below<'p>(path: &'p str, above: &str) -> Option<&'p str> {
    path.strip_prefix(above).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn now(step: usize) -> u64 {
    step as u64 * BETWEEN
}

fn lake<'s>(server: &'s TestServer, method: &str, target: &str) -> RequestBuilder<'s> {
    server.request(method, target).of(ServiceKind::DataLake)
}

impl Item {
    fn new(path: &str) -> Item {
        let directory = is_directory(path);
        Item { directory, permissions: if directory { "rwxr-x---" } else { "rw-r-----" }, ..Item::default() }
    }

    fn described(&self, path: &str) -> String {
        let waiting = self.waiting.concat();
        let Item { text, permissions, property, leased, expires, .. } = self;
        format!("{path}: {permissions} {property:?} leased {leased} expires {} {text:?} + {waiting:?}", expires.is_some())
    }
}

impl Paths {
    fn expire(&mut self, now: u64) {
        let lives = |item: &Item| item.expires.is_none_or(|at| at > now);
        self.tree.retain(|_, item| lives(item));
        self.deleted.iter_mut().for_each(|(_, tree)| tree.retain(|_, item| lives(item)));
        self.deleted.retain(|(_, tree)| tree.contains_key(""));
    }

    /// Creates the missing directories above a path.
    fn make_parents(&mut self, path: &str) {
        let mut above = parent(path);
        while let Some(directory) = above.filter(|directory| directory.contains('/')) {
            self.tree.entry(directory.to_owned()).or_insert_with(|| Item::new(directory));
            above = parent(directory);
        }
    }

    /// Removes a path with all that is below it, under the rests of the paths.
    fn take(&mut self, path: &str) -> Tree {
        let (moved, rest) = std::mem::take(&mut self.tree).into_iter().partition(|(key, _)| below(key, path).is_some());
        self.tree = rest;
        let moved: Tree = moved;
        moved.into_iter().map(|(key, item)| (key[path.len()..].to_owned(), item)).collect()
    }

    fn put(&mut self, path: &str, tree: Tree) {
        self.tree.extend(tree.into_iter().map(|(rest, item)| (format!("{path}{rest}"), item)));
    }

    /// Paths without a lease at or below them.
    fn free(&self) -> Vec<String> {
        let leased = |path: &str| self.tree.iter().any(|(key, item)| item.leased && below(key, path).is_some());
        self.tree.keys().filter(|path| !leased(path)).cloned().collect()
    }

    fn files(&self) -> Vec<String> {
        self.tree.iter().filter(|(_, item)| !item.directory).map(|(path, _)| path.clone()).collect()
    }

    /// A rename that succeeds: its source, its destination, the mode, and the path at which the source is then.
    fn possible_rename(&self, rng: &mut Rng) -> Option<(String, String, &'static str, String)> {
        let free = self.free();
        for _ in 0..if free.is_empty() { 0 } else { 30 } {
            let (from, mode) = (rng.pick(&free.iter().collect::<Vec<_>>()).clone(), rng.pick(&["posix", "legacy"]));
            let to = format!("{}/{}", rng.pick(&FILE_SYSTEMS), rng.pick(&PATHS));
            let into = mode == "posix" && self.tree.get(&to).is_some_and(|item| item.directory);
            let last = from.rsplit('/').next()?;
            let path = if into { format!("{to}/{last}") } else { to.clone() };
            let has_parent = parent(&path).is_some_and(|parent| !parent.contains('/') || self.tree.contains_key(parent));
            let replaces = self.tree.contains_key(&path);
            let is_empty = self.tree.keys().filter(|key| below(key, &path).is_some()).count() <= 1;
            let admits = !replaces || (!into && is_empty && free.contains(&path));
            if has_parent && admits && is_directory(&path) == is_directory(&from) && below(&path, &from).is_none() {
                return Some((from, to, mode, path));
            }
        }
        None
    }

    async fn create(&mut self, server: &TestServer, rng: &mut Rng) -> (Answer, &'static str) {
        let path = format!("{}/{}", rng.pick(&FILE_SYSTEMS), rng.pick(&PATHS));
        if self.tree.get(&path).is_some_and(|item| item.leased) {
            return (lake(server, "PUT", &format!("/{path}?resource=file")).send().await, "412 LeaseIdMissing");
        }
        self.make_parents(&path);
        let new = Item::new(&path);
        // A directory that exists keeps its access control.
        let permissions = self.tree.get(&path).filter(|item| item.directory).map_or(new.permissions, |item| item.permissions);
        self.tree.insert(path.clone(), Item { permissions, ..new });
        let kind = if is_directory(&path) { "directory" } else { "file" };
        (lake(server, "PUT", &format!("/{path}?resource={kind}")).send().await, "201")
    }

    /// Appends to a file, or flushes it.
    async fn write(&mut self, server: &TestServer, rng: &mut Rng, step: usize, path: &str) -> (Answer, &'static str) {
        let Some(item) = self.tree.get_mut(path) else { unreachable!("the model has {path}") };
        let leased = if item.leased { &[("x-ms-lease-id", LEASE)][..] } else { &[] };
        let end = item.text.len() + item.waiting.iter().map(String::len).sum::<usize>();
        let (first, flushes) = (rng.roll(2) == 0, rng.roll(3) == 0);
        let request = |query: String| lake(server, "PATCH", &format!("/{path}?{query}")).headers(leased);
        if item.waiting.len() < WAITING && (item.waiting.is_empty() || rng.roll(2) == 0) {
            let data: String = format!("{step:07}.").chars().cycle().take(rng.pick(&LENGTHS)).collect();
            item.waiting.push(data.clone());
            if flushes {
                item.text.extend(item.waiting.drain(..));
            }
            return (request(format!("action=append&position={end}&flush={flushes}")).body(data).send().await, "202");
        }
        if first {
            item.text += &item.waiting.remove(0);
            let position = item.text.len();
            return (request(format!("action=flush&position={position}&retainUncommittedData=true")).send().await, "200");
        }
        item.text.extend(item.waiting.drain(..));
        (request(format!("action=flush&position={end}")).send().await, "200")
    }

    /// Changes properties of a path.
    async fn change(&mut self, server: &TestServer, rng: &mut Rng, step: usize, path: &str) -> (Answer, &'static str) {
        let Some(item) = self.tree.get_mut(path) else { unreachable!("the model has {path}") };
        let leased = if item.leased { &[("x-ms-lease-id", LEASE)][..] } else { &[] };
        let request = |method: &str, query: &str| lake(server, method, &format!("/{path}?{query}")).headers(leased);
        match rng.roll(8) {
            0 | 1 => {
                item.permissions = rng.pick(&["rwx--x--x", "rw-rw-rw-"]);
                (request("PATCH", "action=setAccessControl").header("x-ms-permissions", item.permissions).send().await, "200")
            }
            2 | 3 => {
                // The base64 of a text that no other step writes.
                let value = format!("{step:08}");
                item.property = format!("k={value}");
                (request("PATCH", "action=setProperties").header("x-ms-properties", &item.property).send().await, "200")
            }
            4 if item.leased => {
                item.leased = false;
                let release = request("POST", "").header("x-ms-lease-action", "release");
                (release.send().await, "200")
            }
            4 | 5 if !item.leased && !item.directory => {
                item.leased = true;
                let acquire = request("POST", "").header("x-ms-lease-action", "acquire").header("x-ms-lease-duration", -1);
                (acquire.header("x-ms-proposed-lease-id", LEASE).send().await, "201")
            }
            6 if !item.directory && !item.leased => {
                let seconds = rng.pick(&[15, 45]);
                item.expires = Some(now(step) + seconds);
                let expire = request("PUT", "comp=expiry").header("x-ms-expiry-option", "RelativeToNow");
                (expire.header("x-ms-expiry-time", seconds * 1000).send().await, "200")
            }
            _ => {
                let at = rng.roll(LISTS.len());
                let permissions = ["rwxr-----", "rw-rwx--x"][at];
                let inside = self.tree.iter_mut().filter(|(key, _)| below(key, path).is_some());
                inside.for_each(|(_, item)| item.permissions = permissions);
                let request = request("PATCH", "action=setAccessControlRecursive&mode=set");
                (request.header("x-ms-acl", LISTS[at]).send().await, "200")
            }
        }
    }

    async fn delete(&mut self, server: &TestServer, path: &str) -> (Answer, &'static str) {
        let mut tree = self.take(path);
        // What was not flushed of a deleted file is lost; files below a deleted directory keep it.
        tree.values_mut().take(1).for_each(|item| item.waiting.clear());
        if self.retains {
            self.deleted.push((path.to_owned(), tree));
        }
        (lake(server, "DELETE", &format!("/{path}?recursive=true")).send().await, "200")
    }

    async fn undelete(&mut self, server: &TestServer, path: &str) -> (Answer, &'static str) {
        let last = self.deleted.iter().rposition(|(deleted, _)| deleted == path).map(|at| self.deleted.remove(at));
        self.make_parents(path);
        self.put(path, last.map(|(_, tree)| tree).unwrap_or_default());
        (server.request("PUT", &format!("/{path}?comp=undelete")).send().await, "200")
    }

    async fn retain(&mut self, server: &TestServer) -> (Answer, &'static str) {
        self.retains = !self.retains;
        let days = if self.retains { "<Days>7</Days>" } else { "" };
        let policy = format!("<DeleteRetentionPolicy><Enabled>{}</Enabled>{days}</DeleteRetentionPolicy>", self.retains);
        let document = format!("<StorageServiceProperties>{policy}</StorageServiceProperties>");
        (server.request("PUT", "/?restype=service&comp=properties").body(document).send().await, "202")
    }
}

impl Model for Paths {
    const ARGUMENTS: &[&str] = &["--dfs-port=0", "--account=devstoreaccount1,hns"];
    const STEPS: usize = 100;

    async fn one(&mut self, server: &TestServer, rng: &mut Rng, step: usize) -> (Answer, &'static str) {
        if let Some(name) = FILE_SYSTEMS.get(step) {
            self.made += 1;
            return (lake(server, "PUT", &format!("/{name}?resource=filesystem")).send().await, "201");
        }
        self.expire(now(step));
        let (files, free) = (self.files(), self.free());
        let lost: Vec<&String> =
            self.deleted.iter().map(|(path, _)| path).filter(|path| !self.tree.contains_key(*path)).collect();
        let lost: Vec<String> = lost.into_iter().cloned().collect();
        match rng.roll(40) {
            0..=9 if !files.is_empty() => {
                let path = rng.pick(&files.iter().collect::<Vec<_>>());
                self.write(server, rng, step, path).await
            }
            10..=17 if !self.tree.is_empty() => {
                let path = rng.pick(&self.tree.keys().collect::<Vec<_>>()).clone();
                self.change(server, rng, step, &path).await
            }
            18..=26 => match self.possible_rename(rng) {
                Some((from, to, mode, path)) => {
                    self.take(&path);
                    let tree = self.take(&from);
                    self.put(&path, tree);
                    let request = lake(server, "PUT", &format!("/{to}?mode={mode}"));
                    (request.header("x-ms-rename-source", format!("/{from}")).send().await, "201")
                }
                None => self.create(server, rng).await,
            },
            27..=30 if !free.is_empty() => {
                let path = rng.pick(&free.iter().collect::<Vec<_>>());
                self.delete(server, path).await
            }
            31..=33 if !lost.is_empty() => {
                let path = rng.pick(&lost.iter().collect::<Vec<_>>());
                self.undelete(server, path).await
            }
            34 => self.retain(server).await,
            _ => self.create(server, rng).await,
        }
    }

    fn expected(&self, step: usize) -> Vec<String> {
        let mut model = self.clone();
        model.expire(now(step));
        // In the order of their list: by the names in their paths, and then by time.
        model.deleted.sort_by(|(one, _), (other, _)| one.split('/').cmp(other.split('/')));
        for (number, (path, tree)) in std::mem::take(&mut model.deleted).into_iter().enumerate() {
            let file_system = path.split('/').next().unwrap_or_default();
            model.put(&format!("{file_system}/restored-{number:02}"), tree);
        }
        let mut state = vec![format!("{} file systems, retains {}", model.made, model.retains)];
        state.extend(model.tree.iter().map(|(path, item)| item.described(path)));
        state
    }

    async fn observed(server: &TestServer) -> Vec<String> {
        let (mut made, mut number, mut tree) = (0, 0, Tree::new());
        for name in FILE_SYSTEMS {
            let target = format!("/{name}?restype=container&comp=list&showonly=deleted");
            let deleted = server.request("GET", &target).header("x-ms-version", "2021-06-08").send().await;
            for (path, id) in deleted.elements("Name").into_iter().zip(deleted.elements("DeletionId")) {
                let undelete = server.request("PUT", &format!("/{name}/restored-{number:02}?comp=undelete"));
                let undelete = undelete.header("x-ms-undelete-source", format!("{path}?deletionid={id}"));
                assert_eq!(undelete.header("x-ms-version", "2021-06-08").send().await.verdict(), "200", "{path}");
                number += 1;
            }
            let listed = lake(server, "GET", &format!("/{name}?resource=filesystem&recursive=true")).send().await;
            if listed.status != 200 {
                assert_eq!(listed.verdict(), "404 FilesystemNotFound");
                continue;
            }
            made += 1;
            let listed: serde_json::Value = serde_json::from_slice(&listed.body).unwrap();
            for entry in listed["paths"].as_array().unwrap() {
                let path = format!("{name}/{}", entry["name"].as_str().unwrap());
                tree.insert(path.clone(), found(server, &path).await);
            }
        }
        let properties = server.request("GET", "/?restype=service&comp=properties").send().await;
        let retains = properties.text().contains("<DeleteRetentionPolicy><Enabled>true");
        let mut state = vec![format!("{made} file systems, retains {retains}")];
        state.extend(tree.iter().map(|(path, item)| item.described(path)));
        state
    }
}

/// What the server has at a path. Flushes what was appended.
async fn found(server: &TestServer, path: &str) -> Item {
    let head = lake(server, "HEAD", &format!("/{path}")).send().await;
    assert_eq!(head.status, 200, "{path}: {}", head.verdict());
    let directory = head.header("x-ms-resource-type") == "directory";
    let known = ["rwxr-x---", "rw-r-----", "rwx--x--x", "rw-rw-rw-", "rwxr-----", "rw-rwx--x"];
    let permissions = known.into_iter().find(|known| *known == head.header("x-ms-permissions")).unwrap_or("others");
    let property = head.header("x-ms-properties").split(',').find(|property| property.starts_with("k="));
    let property = property.unwrap_or_default().to_owned();
    let leased = head.header("x-ms-lease-state") == "leased";
    let expires = Some(0).filter(|_| !head.header("x-ms-expiry-time").is_empty());
    let mut item = Item { directory, permissions, property, leased, expires, ..Item::default() };
    if directory {
        return item;
    }
    let read = lake(server, "GET", &format!("/{path}")).send().await;
    assert_eq!(read.status, 200, "{path}: {}", read.verdict());
    item.text = read.text().to_owned();
    let lease = if leased { &[("x-ms-lease-id", LEASE)][..] } else { &[] };
    for length in [1600, 808, 800, 16, 8] {
        let position = item.text.len() + length;
        let flush = lake(server, "PATCH", &format!("/{path}?action=flush&position={position}")).headers(lease).send().await;
        if flush.status == 200 {
            let whole = lake(server, "GET", &format!("/{path}")).send().await;
            item.waiting = vec![whole.text()[item.text.len()..].to_owned()];
            break;
        }
        assert_eq!(flush.verdict(), "400 InvalidFlushPosition", "{path}");
    }
    item
}
