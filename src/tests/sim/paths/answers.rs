//! What the model answers to reads, checks of access and lists, and what a simulation reads of it.

use super::{Caller, NOT_FOUND, Names, Need, Node, Paths, REFUSED};
use crate::tests::sim::acl::{EXECUTE, READ};

impl Paths {
    /// The answer to a check of access with these permissions.
    pub fn check_access(&self, caller: Caller, (system, path): (usize, &Names), wanted: u8) -> &'static str {
        let inside = &self.systems[system];
        match inside.nodes.contains_key(path) {
            _ if !inside.permits(caller, Need::Status, path) => REFUSED,
            false => NOT_FOUND,
            true if inside.permits(caller, Need::Check(wanted), path) => "200",
            true => REFUSED,
        }
    }

    pub fn read(&self, caller: Caller, (system, path): (usize, &Names)) -> String {
        let inside = &self.systems[system];
        if !inside.permits(caller, Need::Read, path) {
            return REFUSED.to_owned();
        }
        inside.nodes.get(path).map_or_else(
            || NOT_FOUND.to_owned(),
            |node| format!("200 {:?} {} {}", node.blob.content, node.blob.etag, node.blob.lease_state(self.now)),
        )
    }

    pub fn access(&self, caller: Caller, (system, path): (usize, &Names)) -> String {
        let inside = &self.systems[system];
        if !inside.permits(caller, Need::Status, path) {
            return REFUSED.to_owned();
        }
        let node = inside.nodes.get(path);
        node.map_or_else(
            || NOT_FOUND.to_owned(),
            |node| format!("200 {} {} {} {}", node.owner, node.group, node.acl.permissions(), node.acl.text()),
        )
    }

    /// A list of Data Lake, page by page: what the caller sees until a page is refused.
    pub fn list(&self, caller: Caller, (system, path): (usize, &Names), is_recursive: bool, most: usize) -> Vec<String> {
        let inside = &self.systems[system];
        if !inside.permits(caller, Need::List, path) {
            return vec![REFUSED.to_owned()];
        }
        match inside.nodes.get(path) {
            None => return vec![NOT_FOUND.to_owned()],
            Some(node) if !node.is_directory => return vec![node.listed(path)],
            Some(_) => {}
        }
        let all: Vec<(&Names, &Node)> =
            inside.below(path).filter(|(other, _)| is_recursive || other.len() == path.len() + 1).collect();
        let mut listed = Vec::new();
        for page in all.chunks(most) {
            if is_recursive
                && !page.iter().filter(|(_, node)| node.is_directory).all(|(_, node)| node.has(caller, READ | EXECUTE))
            {
                listed.push(REFUSED.to_owned());
                break;
            }
            listed.extend(page.iter().map(|(path, node)| node.listed(path)));
        }
        listed
    }

    /// The names of a list of blobs.
    pub fn list_blobs(&self, system: usize, prefix: &str, has_delimiter: bool) -> Vec<String> {
        let mut names = Vec::new();
        for (path, node) in self.systems[system].nodes.iter().filter(|(path, _)| !path.is_empty()) {
            let text = path.join("/");
            match text.strip_prefix(prefix) {
                Some(rest) if has_delimiter && rest.contains('/') => {}
                Some(_) => names.push(if has_delimiter && node.is_directory { text + "/" } else { text }),
                None => {}
            }
        }
        names
    }

    /// All that is in a file system, by the super user's lists.
    pub fn everything(&self, system: usize) -> Vec<String> {
        let mut all = self.list(Caller::SuperUser, (system, &Names::new()), true, usize::MAX);
        all.extend(self.deleted(system).into_iter().map(|(path, _)| format!("deleted {path}")));
        all
    }

    pub fn find(&self, system: usize, path: &Names) -> Option<&Node> {
        self.systems[system].nodes.get(path)
    }

    pub fn etag(&self, system: usize, path: &Names) -> Option<String> {
        self.find(system, path).map(|node| node.blob.etag.clone()).filter(|etag| !etag.is_empty())
    }

    pub fn lease_id(&self, system: usize, path: &Names) -> Option<String> {
        self.find(system, path)?.blob.lease_id()
    }

    /// The length of the deepest path below this one.
    pub fn depth(&self, system: usize, path: &Names) -> usize {
        self.systems[system].below(path).map(|(path, _)| path.len()).max().unwrap_or(path.len())
    }

    /// The length of a file, and the end of what was appended to it.
    pub fn ends(&self, system: usize, path: &Names) -> (usize, usize) {
        let Some(node) = self.find(system, path) else { return (0, 0) };
        let pending = node.pending.1.iter().map(|(at, text)| at + text.len()).max();
        (node.blob.content.len(), pending.unwrap_or(0).max(node.blob.content.len()))
    }

    /// The deleted paths of a file system, in the order of a list.
    pub fn deleted(&self, system: usize) -> Vec<(String, String)> {
        let mut all: Vec<_> = self.systems[system].deleted.iter().collect();
        all.sort_by_key(|deleted| deleted.path.split('/').collect::<Vec<_>>());
        all.into_iter().map(|deleted| (deleted.path.clone(), deleted.id.clone())).collect()
    }

    /// All paths of a file system.
    pub fn paths(&self, system: usize) -> Vec<Names> {
        self.systems[system].nodes.keys().cloned().collect()
    }

    /// Takes the ETags of directories that were created on the way to a path from a list of everything.
    pub fn learn_etags(&mut self, system: usize, listed: &[String]) {
        for (path, node) in
            self.systems[system].nodes.iter_mut().filter(|(_, node)| node.is_directory && node.blob.etag.is_empty())
        {
            let start = format!("{} d 0 ", path.join("/"));
            let etag = listed.iter().find_map(|line| line.strip_prefix(&start)?.split(' ').next());
            etag.unwrap_or_default().clone_into(&mut node.blob.etag);
        }
    }
}
