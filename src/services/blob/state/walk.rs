//! Walks over the paths of a hierarchical namespace, depth first: a directory comes right before what it contains, and names in a
//! directory are in the order of their bytes (recorded).

use crate::rules::lake::path::segments;
use crate::rules::time::Timestamp;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::DirectoryId;
use std::iter::Peekable;
use std::sync::Arc;

/// Which paths below a directory a walk visits.
#[derive(Clone, Copy, Debug, Default)]
pub struct WalkOptions<'a> {
    /// Whether it visits the paths in directories below, too.
    pub recursive: bool,
    /// Where the walk begins: at this path, relative to the directory, or at the first one after it.
    pub from: &'a str,
    /// The prefix of the names in the directory itself.
    pub prefix: &'a str,
}

/// A walk over the paths below a directory.
pub struct Walk<'a> {
    container: &'a Container,
    now: Timestamp,
    recursive: bool,
    prefix: String,
    levels: Vec<Level<'a>>,
}

/// The entries of a directory with their names.
type Entries<'a> = Peekable<Box<dyn Iterator<Item = (&'a str, &'a Arc<Blob>)> + Send + 'a>>;

/// The rest of a directory that is being walked.
struct Level<'a> {
    /// The path of the directory with a final slash, or nothing for the root.
    path: String,
    entries: Entries<'a>,
}

impl Container {
    /// Walks over the paths below the directory with this path and id. Paths are relative to the container.
    pub fn walk<'a>(&'a self, path: &str, directory: DirectoryId, options: WalkOptions<'_>, now: Timestamp) -> Walk<'a> {
        let mut walk =
            Walk { container: self, now, recursive: options.recursive, prefix: options.prefix.to_owned(), levels: Vec::new() };
        let mut path = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut directory = directory;
        let mut names = segments(options.from).peekable();
        loop {
            let name = names.next().unwrap_or_default();
            let first = if walk.levels.is_empty() { name.max(options.prefix) } else { name };
            let mut entries = walk.entries(directory, first);
            let descend = names.peek().is_some() && options.recursive;
            let next = match entries.peek() {
                // The path to begin at is below this directory, which the walk has visited already.
                Some((found, _)) if names.peek().is_some() && *found == name => {
                    entries.next().and_then(|(name, blob)| Some((format!("{path}{name}/"), blob.directory()?)))
                }
                _ => None,
            };
            walk.levels.push(Level { path, entries });
            match next {
                Some((below, id)) if descend => (path, directory) = (below, id),
                _ => return walk,
            }
        }
    }
}

impl<'a> Walk<'a> {
    fn entries(&self, directory: DirectoryId, from: &str) -> Entries<'a> {
        let entries: Box<dyn Iterator<Item = _> + Send> = Box::new(self.container.children(directory, from, self.now));
        entries.peekable()
    }
}

impl<'a> Iterator for Walk<'a> {
    /// A path, and what it is.
    type Item = (String, &'a Arc<Blob>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let top = self.levels.len() == 1;
            let level = self.levels.last_mut()?;
            let Some((name, blob)) = level.entries.next().filter(|(name, _)| !top || name.starts_with(&self.prefix)) else {
                self.levels.pop();
                continue;
            };
            let path = format!("{}{name}", level.path);
            if let Some(directory) = blob.directory().filter(|_| self.recursive) {
                let entries = self.entries(directory, "");
                self.levels.push(Level { path: format!("{path}/"), entries });
            }
            return Some((path, blob));
        }
    }
}
