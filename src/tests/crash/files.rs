//! Directories and files that are created, written, copied, renamed and deleted, and snapshots of their share.

use super::{Model, text};
use crate::operation::ServiceKind;
use crate::tests::support::rng::Rng;
use crate::tests::support::server::{Answer, TestServer};
use std::collections::BTreeMap;

/// All possible paths. Directories have short names.
const PATHS: [&str; 10] = ["d", "e", "d/s", "e/s", "file", "d/file", "e/file", "d/s/file", "e/s/file", "d/other-file"];
const SIZE: usize = 2048;
const SNAPSHOTS: usize = 2;

/// The resource at each path: `None` for a directory, or the bytes of a file.
type Tree = BTreeMap<String, String>;

#[derive(Clone, Default)]
pub struct Files {
    made: bool,
    tree: Tree,
    snapshots: Vec<Tree>,
}

fn is_directory(path: &str) -> bool {
    !path.ends_with("file")
}

impl Files {
    /// Paths at which something can be created, or replaced.
    fn free(&self, replace: bool) -> Vec<&'static str> {
        let has_parent = |path: &str| path.rsplit_once('/').is_none_or(|(parent, _)| self.tree.contains_key(parent));
        PATHS.into_iter().filter(|path| has_parent(path) && (replace || !self.tree.contains_key(*path))).collect()
    }

    fn there(&self, directory: bool) -> Vec<String> {
        self.tree.keys().filter(|path| is_directory(path) == directory).cloned().collect()
    }

    async fn make(&mut self, server: &TestServer, rng: &mut Rng) -> (Answer, &'static str) {
        let path = rng.pick(&self.free(true));
        if !is_directory(path) {
            self.tree.insert(path.to_owned(), "\0".repeat(SIZE));
            let request = server.request("PUT", &format!("/shr/{path}")).of(ServiceKind::File).header("x-ms-type", "file");
            return (request.header("x-ms-content-length", SIZE).send().await, "201");
        }
        let wanted = if self.tree.insert(path.to_owned(), String::new()).is_none() { "201" } else { "409 ResourceAlreadyExists" };
        (server.request("PUT", &format!("/shr/{path}?restype=directory")).of(ServiceKind::File).send().await, wanted)
    }

    /// Renames a directory with everything below it.
    async fn rename(&mut self, server: &TestServer, from: &str, to: &str) -> (Answer, &'static str) {
        let inside = |path: &str| path == from || path.strip_prefix(from).is_some_and(|rest| rest.starts_with('/'));
        let tree = std::mem::take(&mut self.tree).into_iter();
        self.tree = tree.map(|(path, held)| (if inside(&path) { path.replacen(from, to, 1) } else { path }, held)).collect();
        let request = server.request("PUT", &format!("/shr/{to}?restype=directory&comp=rename")).of(ServiceKind::File);
        (request.header("x-ms-file-rename-source", format!("/devstoreaccount1/shr/{from}")).send().await, "200")
    }

    async fn delete(&mut self, server: &TestServer, path: &str) -> (Answer, &'static str) {
        let restype = if is_directory(path) { "?restype=directory" } else { "" };
        let below = format!("{path}/");
        let wanted = if self.tree.keys().any(|path| path.starts_with(&below)) {
            "409 DirectoryNotEmpty"
        } else {
            self.tree.remove(path);
            "202"
        };
        (server.request("DELETE", &format!("/shr/{path}{restype}")).of(ServiceKind::File).send().await, wanted)
    }
}

impl Model for Files {
    async fn one(&mut self, server: &TestServer, rng: &mut Rng, step: usize) -> (Answer, &'static str) {
        let request = |method: &str, target: &str| server.request(method, target).of(ServiceKind::File);
        if step == 0 {
            self.made = true;
            return (request("PUT", "/shr?restype=share").send().await, "201");
        }
        let (text, at, roll) = (text(rng, step), rng.roll(SIZE / 2), rng.roll(20));
        let (files, directories) = (self.there(false), self.there(true));
        match roll {
            0..=5 if !files.is_empty() => {
                let path = &files[rng.roll(files.len())];
                let text = &text[..text.len().min(SIZE / 2)];
                self.tree.get_mut(path).unwrap().replace_range(at..at + text.len(), text);
                let range = format!("bytes={at}-{}", at + text.len() - 1);
                let request = request("PUT", &format!("/shr/{path}?comp=range")).header("x-ms-write", "update");
                (request.header("x-ms-range", range).body(text.to_owned()).send().await, "201")
            }
            6 | 7 if !files.is_empty() => {
                let from = &files[rng.roll(files.len())];
                let to: Vec<_> = self.free(false).into_iter().filter(|path| !is_directory(path)).collect();
                if to.is_empty() {
                    return self.delete(server, from).await;
                }
                let to = rng.pick(&to);
                self.tree.insert(to.to_owned(), self.tree[from].clone());
                let source = format!("/devstoreaccount1/shr/{from}");
                (request("PUT", &format!("/shr/{to}")).header("x-ms-copy-source", source).send().await, "202")
            }
            8..=10 if !directories.is_empty() => {
                let from = &directories[rng.roll(directories.len())];
                let to = self.free(false).into_iter().filter(|path| is_directory(path) && !path.starts_with(&**from));
                match to.collect::<Vec<_>>()[..] {
                    [] => self.delete(server, from).await,
                    ref to => self.rename(server, from, rng.pick(to)).await,
                }
            }
            11 | 12 if !self.tree.is_empty() => {
                let path = self.tree.keys().nth(rng.roll(self.tree.len())).unwrap().clone();
                self.delete(server, &path).await
            }
            13 if self.snapshots.len() < SNAPSHOTS => {
                self.snapshots.push(self.tree.clone());
                (request("PUT", "/shr?restype=share&comp=snapshot").send().await, "201")
            }
            _ => self.make(server, rng).await,
        }
    }

    fn expected(&self, _: usize) -> Vec<String> {
        let mut state = vec![format!("{} shares, {} snapshots", usize::from(self.made), self.snapshots.len())];
        for tree in self.snapshots.iter().chain([&self.tree]) {
            let held = |path: &str| tree.get(path).map_or_else(|| "none".to_owned(), Clone::clone);
            state.extend(PATHS.map(|path| format!("{path}: {}", held(path))));
        }
        state
    }

    async fn observed(server: &TestServer) -> Vec<String> {
        let listed = server.request("GET", "/?comp=list&include=snapshots").of(ServiceKind::File).send().await;
        let mut moments = listed.elements("Snapshot");
        let shares = listed.elements("Name").len() - moments.len();
        let mut state = vec![format!("{shares} shares, {} snapshots", moments.len())];
        moments.sort_unstable();
        let queries = moments.into_iter().map(|moment| format!("&sharesnapshot={moment}")).chain([String::new()]);
        for (query, path) in queries.flat_map(|query| PATHS.map(|path| (query.clone(), path))) {
            let restype = if is_directory(path) { "restype=directory" } else { "timeout=30" };
            let got = server.request("GET", &format!("/shr/{path}?{restype}{query}")).of(ServiceKind::File).send().await;
            let held = match got.status {
                200 => got.text().to_owned(),
                404 => "none".to_owned(),
                _ => got.verdict(),
            };
            state.push(format!("{path}: {held}"));
        }
        state
    }
}
