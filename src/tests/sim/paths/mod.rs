//! A model of file systems with directories, as plain as possible: one map of whole paths, and an `if` for each rule. It shares no code
//! with the server.
//!
//! A path is the list of its names, so that the map has the order of a walk: a directory comes right before what it contains.

mod answers;

use super::acl::{Acl, EXECUTE, READ, WRITE};
use super::model::{Action, Blob, If, Write};
use std::collections::{BTreeMap, BTreeSet};

/// The names from the root directory to a path; none for the root directory itself.
pub type Names = Vec<String>;

/// The object ids of two principals.
pub const ANN: &str = "ann";
pub const BOB: &str = "bob";
/// A group of Bob.
pub const STAFF: &str = "staff";
const SUPER_USER: &str = "$superuser";

const REFUSED: &str = "403 AuthorizationPermissionMismatch";
const NOT_FOUND: &str = "404 PathNotFound";
const NOT_MET: &str = "412 ConditionNotMet";
const BAD_ACL: &str = "400 InvaldAccessControlList";
const BAD_POSITION: &str = "400 InvalidFlushPosition";
const WEEK: u64 = 7 * 24 * 3600;

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    SuperUser,
    /// A principal without a role.
    Principal(&'static str),
}

impl Caller {
    fn owner(self) -> &'static str {
        match self {
            Caller::SuperUser => SUPER_USER,
            Caller::Principal(oid) => oid,
        }
    }

    fn is_in(self, group: &str) -> bool {
        self.owner() == group || self == Caller::Principal(BOB) && group == STAFF
    }
}

/// An action that depends on access control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Read,
    Status,
    List,
    Check(u8),
    Create,
    Append,
    Overwrite,
    /// Deletes or renames.
    Remove,
    SetAccess,
    SetGroup(&'static str),
    SetOwner,
}

/// A file or a directory.
#[derive(Clone, Debug)]
pub struct Node {
    pub is_directory: bool,
    owner: String,
    group: String,
    acl: Acl,
    /// Its content, ETag and lease. An empty ETag is not known yet.
    blob: Blob,
    /// When the last append came, and the appends by their positions.
    pending: (u64, BTreeMap<usize, String>),
    is_written_by_blob_api: bool,
    expires: Option<u64>,
}

impl Node {
    fn has(&self, caller: Caller, wanted: u8) -> bool {
        let Caller::Principal(oid) = caller else { return true };
        let access = &self.acl.access;
        let mask = access.get("mask:").copied().unwrap_or(7);
        if self.owner == oid {
            return access["user:"] & wanted == wanted;
        }
        if let Some(bits) = access.get(&format!("user:{oid}")) {
            return bits & mask & wanted == wanted;
        }
        let mut groups: Vec<u8> = Vec::new();
        if caller.is_in(&self.group) {
            groups.push(access["group:"]);
        }
        let named =
            access.iter().filter_map(|(name, bits)| Some((name.strip_prefix("group:").filter(|id| !id.is_empty())?, bits)));
        groups.extend(named.filter(|(id, _)| caller.is_in(id)).map(|(_, bits)| *bits));
        let bits = if groups.is_empty() { access["other:"] } else { groups.into_iter().fold(0, |all, bits| all | bits) & mask };
        bits & wanted == wanted
    }

    /// The entry of a list.
    fn listed(&self, path: &Names) -> String {
        let (kind, length) = if self.is_directory { ("d", 0) } else { ("f", self.blob.content.len()) };
        format!("{} {kind} {length} {} {} {} {}", path.join("/"), self.blob.etag, self.owner, self.group, self.acl.permissions())
    }

    fn lease_refuses(&self, write: &Write, now: u64) -> Option<&'static str> {
        // Data Lake has shorter names for some errors.
        self.blob.lease_allows(write.lease.as_ref(), now).map(|code| match code {
            "412 LeaseIdMismatchWithBlobOperation" => "412 LeaseIdMismatch",
            "412 LeaseNotPresentWithBlobOperation" => "412 LeaseNotPresent",
            same => same,
        })
    }
}

/// A deleted path that can be restored, with all that was below it.
#[derive(Clone, Debug)]
struct Deleted {
    path: String,
    /// Known once a list or an answer had it.
    id: String,
    until: u64,
    tree: BTreeMap<Names, Node>,
}

#[derive(Clone, Debug)]
pub struct FileSystem {
    nodes: BTreeMap<Names, Node>,
    deleted: Vec<Deleted>,
}

/// What a creation says of the new path.
#[derive(Clone, Debug, Default)]
pub struct New {
    pub is_directory: bool,
    pub mode: Option<u16>,
    pub umask: Option<u16>,
    pub acl: Option<&'static str>,
}

/// A rename.
#[derive(Clone, Debug)]
pub struct Rename {
    pub from: (usize, Names),
    pub to: (usize, Names),
    pub is_posix: bool,
    pub source_lease: Option<String>,
    pub destination: Write,
}

/// A change of access control.
#[derive(Clone, Copy, Debug)]
pub enum Access {
    Mode(u16),
    Acl(&'static str),
    Owner(&'static str),
    Group(&'static str),
}

/// A page of a recursive change.
#[derive(Clone, Debug)]
pub struct Page {
    pub mode: &'static str,
    pub acl: &'static str,
    pub from: Option<Names>,
    pub most: usize,
    pub is_forced: bool,
}

/// The file systems of one account.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Seconds since the beginning.
    pub now: u64,
    /// For how many days deleted paths are retained.
    pub retention: Option<u64>,
    pub systems: Vec<FileSystem>,
}

fn node(caller: Caller, group: &str, acl: Acl, is_directory: bool) -> Node {
    let group = if caller == Caller::SuperUser { SUPER_USER } else { group };
    Node {
        is_directory,
        owner: caller.owner().to_owned(),
        group: group.to_owned(),
        acl,
        blob: Blob::default(),
        pending: (0, BTreeMap::new()),
        is_written_by_blob_api: false,
        expires: None,
    }
}

impl FileSystem {
    fn parent_is_file(&self, path: &Names) -> bool {
        (0..path.len()).any(|length| self.nodes.get(&path[..length]).is_some_and(|above| !above.is_directory))
    }

    /// The paths below a directory.
    fn below<'a>(&'a self, path: &'a Names) -> impl Iterator<Item = (&'a Names, &'a Node)> {
        self.nodes.iter().filter(move |(other, _)| other.len() > path.len() && other.starts_with(path))
    }

    fn permits(&self, caller: Caller, need: Need, path: &Names) -> bool {
        if caller == Caller::SuperUser || self.parent_is_file(path) {
            return true;
        }
        let on_path = match need {
            Need::Read => READ,
            Need::List => READ | EXECUTE,
            Need::Check(wanted) => wanted,
            Need::Append => READ | WRITE,
            Need::Overwrite => WRITE,
            _ => 0,
        };
        let on_parent = if matches!(need, Need::Create | Need::Remove) { WRITE | EXECUTE } else { EXECUTE };
        let above: Vec<&Node> = (0..path.len()).filter_map(|length| self.nodes.get(&path[..length])).collect();
        let this = self.nodes.get(path);
        let owns = |node: &Node| node.owner == caller.owner();
        if matches!(need, Need::SetAccess | Need::SetGroup(_)) && !this.is_some_and(owns) || need == Need::SetOwner {
            return false;
        }
        if matches!(need, Need::SetGroup(group) if !caller.is_in(group)) {
            return false;
        }
        let is_sticky = need == Need::Remove && above.last().is_some_and(|parent| parent.acl.is_sticky);
        if is_sticky && !above.last().copied().into_iter().chain(this).any(owns) {
            return false;
        }
        let wanted = |at: usize| if at + 1 == above.len() { on_parent } else { EXECUTE };
        above.iter().enumerate().all(|(at, directory)| directory.has(caller, wanted(at)))
            && this.is_none_or(|this| this.has(caller, on_path))
    }

    /// Creates the directories above a path.
    fn make_parents(&mut self, caller: Caller, path: &Names) {
        for length in 1..path.len() {
            if !self.nodes.contains_key(&path[..length]) {
                let parent = &self.nodes[&path[..length - 1]];
                let made = node(caller, &parent.group, parent.acl.of_new(true, None, None, None).unwrap(), true);
                self.nodes.insert(path[..length].to_vec(), made);
            }
        }
    }

    /// Removes a path with all that is below it. The paths of the result are relative to it.
    fn take(&mut self, path: &Names) -> BTreeMap<Names, Node> {
        let all: Vec<Names> = self.nodes.keys().filter(|other| other.starts_with(path)).cloned().collect();
        all.into_iter().map(|other| (other[path.len()..].to_vec(), self.nodes.remove(&other).unwrap())).collect()
    }

    fn put_below(&mut self, path: &Names, tree: BTreeMap<Names, Node>) {
        self.nodes.extend(tree.into_iter().map(|(rest, node)| ([path.clone(), rest].concat(), node)));
    }
}

impl Paths {
    pub fn new(systems: usize) -> Paths {
        let root = node(Caller::SuperUser, SUPER_USER, Acl::plain(0o750), true);
        let empty = FileSystem { nodes: [(Names::new(), root)].into(), deleted: Vec::new() };
        Paths { now: 0, retention: None, systems: vec![empty; systems] }
    }

    /// Time passes: expired files, appends and deletions are gone.
    pub fn wait(&mut self, seconds: u64) {
        self.now += seconds;
        let now = self.now;
        for system in &mut self.systems {
            system.deleted.retain(|deleted| now < deleted.until && !has_expired(&deleted.tree[&Names::new()], now));
            for tree in system.deleted.iter_mut().map(|deleted| &mut deleted.tree).chain([&mut system.nodes]) {
                tree.retain(|_, node| !has_expired(node, now));
                for node in tree.values_mut().filter(|node| node.pending.0 + WEEK <= now) {
                    node.pending.1.clear();
                }
            }
        }
    }

    /// The ETag of a root directory, which no list has.
    pub fn learn_root(&mut self, system: usize, etag: &str) {
        etag.clone_into(&mut self.systems[system].nodes.get_mut(&Names::new()).unwrap().blob.etag);
    }

    pub fn create(
        &mut self,
        caller: Caller,
        (system, path): (usize, &Names),
        new: &New,
        write: &Write,
        etag: &str,
    ) -> &'static str {
        let now = self.now;
        let inside = &mut self.systems[system];
        if inside.parent_is_file(path) {
            return "409 PathConflict";
        }
        let current = inside.nodes.get(path);
        let need = if current.is_some() { Need::Overwrite } else { Need::Create };
        if !inside.permits(caller, need, path) {
            return REFUSED;
        }
        if let Some(refusal) = refuses_overwriting(current, write, now) {
            return refusal;
        }
        if current.is_some_and(|current| current.is_directory != new.is_directory) {
            return "409 PathConflict";
        }
        // Only its owner, and who may delete a file, gives a path that exists another owner and other access control.
        let may = |need| inside.permits(caller, need, path);
        let kept = current.filter(|current| !may(Need::SetAccess) && (current.is_directory || !may(Need::Remove))).cloned();
        let mut draft = inside.clone();
        if let Some(Node { owner, group, acl, blob, .. }) = kept {
            let mut made = Node { owner, ..node(caller, &group, acl, new.is_directory) };
            made.blob.keep_lease(Some(&blob));
            made.blob.written(etag, now);
            inside.nodes.insert(path.clone(), made);
            return "201";
        }
        draft.make_parents(caller, path);
        let parent = &draft.nodes[&path[..path.len() - 1]];
        let Some(mut acl) = parent.acl.of_new(new.is_directory, new.mode, new.umask, new.acl) else { return BAD_ACL };
        let current = draft.nodes.get(path);
        if let Some(current) =
            current.filter(|current| current.is_directory && (new.mode, new.umask, new.acl) == (None, None, None))
        {
            acl = current.acl.clone();
        }
        let mut made = node(caller, &parent.group, acl, new.is_directory);
        made.blob.keep_lease(current.map(|current| &current.blob));
        made.blob.written(etag, now);
        draft.nodes.insert(path.clone(), made);
        *inside = draft;
        "201"
    }

    /// Put Blob by the super user.
    pub fn put_blob(&mut self, (system, path): (usize, &Names), write: &Write, text: &str, etag: &str) -> &'static str {
        let now = self.now;
        let inside = &mut self.systems[system];
        if inside.parent_is_file(path) {
            return "409 PathConflict";
        }
        let current = inside.nodes.get(path);
        // The lease of a blob that is overwritten is checked first, and `If-None-Match: *` is then ignored.
        let refusal = match (current.map(|current| &current.blob), &write.condition) {
            (None, If::Match(_)) => Some(NOT_MET),
            (None, _) => Blob::default().lease_allows(write.lease.as_ref(), now),
            (Some(blob), condition) => blob.lease_allows(write.lease.as_ref(), now).or(match condition {
                If::Missing if write.lease.is_none() => Some("409 BlobAlreadyExists"),
                If::Match(etag) if *etag != blob.etag => Some(NOT_MET),
                If::NoneMatch(etag) if *etag == blob.etag => Some(NOT_MET),
                _ => None,
            }),
        };
        if let Some(refusal) = refusal {
            return refusal;
        }
        if current.is_some_and(|current| current.is_directory) {
            return "409 ResourceTypeMismatch";
        }
        let made = current.cloned();
        inside.make_parents(Caller::SuperUser, path);
        let parent = &inside.nodes[&path[..path.len() - 1]];
        let mut made = made
            .unwrap_or_else(|| node(Caller::SuperUser, SUPER_USER, parent.acl.of_new(false, None, None, None).unwrap(), false));
        made.blob.content = text.to_owned();
        made.blob.written(etag, now);
        made.pending.1.clear();
        (made.is_written_by_blob_api, made.expires) = (true, None);
        inside.nodes.insert(path.clone(), made);
        "201"
    }

    /// Appends, and commits what was appended if an ETag is given.
    pub fn append(
        &mut self,
        caller: Caller,
        (system, path): (usize, &Names),
        (position, text): (usize, &str),
        write: &Write,
        flushed: Option<&str>,
    ) -> &'static str {
        let (now, inside) = (self.now, &mut self.systems[system]);
        if !inside.permits(caller, Need::Append, path) {
            return REFUSED;
        }
        let Some(node) = inside.nodes.get_mut(path) else { return NOT_FOUND };
        if let Some(refusal) = refuses_appends(node, write, now) {
            return refusal;
        }
        let mut draft = node.clone();
        draft.pending.0 = now;
        draft.pending.1.insert(position, text.to_owned());
        if flushed.is_some_and(|etag| !commit(&mut draft, position + text.len(), false, etag, now)) {
            return BAD_POSITION;
        }
        *node = draft;
        "202"
    }

    pub fn flush(
        &mut self,
        caller: Caller,
        (system, path): (usize, &Names),
        (position, retains): (usize, bool),
        write: &Write,
        etag: &str,
    ) -> &'static str {
        let (now, inside) = (self.now, &mut self.systems[system]);
        if !inside.permits(caller, Need::Append, path) {
            return REFUSED;
        }
        let Some(node) = inside.nodes.get_mut(path) else { return NOT_FOUND };
        if matches!(&write.condition, If::Match(etag) if *etag != node.blob.etag) {
            return NOT_MET;
        }
        if let Some(refusal) = refuses_appends(node, write, now) {
            return refusal;
        }
        if commit(node, position, retains, etag, now) { "200" } else { BAD_POSITION }
    }

    pub fn rename(&mut self, caller: Caller, rename: &Rename) -> &'static str {
        let now = self.now;
        let (from, source) = (&self.systems[rename.from.0], &rename.from.1);
        if !from.permits(caller, Need::Remove, source) {
            return REFUSED;
        }
        let Some(moved) = from.nodes.get(source) else { return "404 SourcePathNotFound" };
        let (to, mut path) = (&self.systems[rename.to.0], rename.to.1.clone());
        let moves_into = rename.is_posix && to.nodes.get(&path).is_some_and(|node| node.is_directory);
        if moves_into {
            path.extend(source.last().cloned());
        }
        let parent = path.split_last().map(|(_, parent)| to.nodes.get(parent));
        let existing = to.nodes.get(&path);
        if parent.is_none_or(|parent| parent.is_some_and(|parent| parent.is_directory)) {
            let need = if existing.is_some() { Need::Remove } else { Need::Create };
            if !to.permits(caller, need, &path) {
                return REFUSED;
            }
        }
        let shown = Write { condition: If::Always, lease: rename.source_lease.clone() };
        if let Some(refusal) =
            moved.lease_refuses(&shown, now).or_else(|| refuses_overwriting(existing, &rename.destination, now))
        {
            return refusal;
        }
        if rename.from.0 == rename.to.0 && path.starts_with(source) {
            return "409 InvalidRenameSourcePath";
        }
        if to.parent_is_file(&path) {
            return "409 InvalidDestinationPath";
        }
        if parent.is_some_and(|parent| parent.is_none()) {
            return "404 RenameDestinationParentPathNotFound";
        }
        match existing {
            Some(_) if moves_into => return "409 PathAlreadyExists",
            Some(existing) if existing.is_directory != moved.is_directory => return "409 InvalidSourceOrDestinationResourceType",
            Some(_) if to.below(&path).next().is_some() => return "409 DirectoryNotEmpty",
            _ => {}
        }
        let replaced = self.systems[rename.to.0].take(&path).remove(&Names::new());
        let mut tree = self.systems[rename.from.0].take(source);
        let new = tree.get_mut(&Names::new()).unwrap();
        // A leased source keeps its lease; otherwise the new path has that of what it replaces.
        if new.blob.lease_state(now) != "leased" {
            new.blob.keep_lease(None);
            if let Some(replaced) = replaced.filter(|replaced| replaced.blob.is_locked(now)) {
                new.blob.keep_lease(Some(&replaced.blob));
            }
        }
        self.systems[rename.to.0].put_below(&path, tree);
        "201"
    }

    /// Deletes a path. `id` is that of the answer, if it had one.
    pub fn delete(
        &mut self,
        caller: Caller,
        (system, path): (usize, &Names),
        is_recursive: bool,
        write: &Write,
        id: &str,
    ) -> &'static str {
        if path.is_empty() {
            return "400 InvalidUri";
        }
        let (now, retention) = (self.now, self.retention);
        let inside = &mut self.systems[system];
        if !inside.permits(caller, Need::Remove, path) {
            return REFUSED;
        }
        let Some(node) = inside.nodes.get(path) else { return NOT_FOUND };
        if matches!(&write.condition, If::Match(etag) if *etag != node.blob.etag) {
            return NOT_MET;
        }
        if let Some(refusal) = node.lease_refuses(write, now) {
            return refusal;
        }
        if !is_recursive && inside.below(path).next().is_some() {
            return "409 DirectoryNotEmpty";
        }
        let mut directories = inside.nodes.iter().filter(|(other, node)| other.starts_with(path) && node.is_directory);
        if is_recursive && !directories.all(|(_, node)| node.has(caller, 7)) {
            return REFUSED;
        }
        let mut tree = inside.take(path);
        let top = tree.get_mut(&Names::new()).unwrap();
        top.blob.keep_lease(None);
        top.pending.1.clear();
        if let Some(days) = retention {
            inside.deleted.push(Deleted { path: path.join("/"), id: id.to_owned(), until: now + days * 24 * 3600, tree });
        }
        "200"
    }

    /// Restores what was deleted under an id, by the super user.
    pub fn undelete(&mut self, (system, path): (usize, &Names), deleted: (&str, &str)) -> &'static str {
        let inside = &mut self.systems[system];
        let at = inside.deleted.iter().position(|known| (known.path.as_str(), known.id.as_str()) == deleted);
        let Some(at) = at else { return "404 BlobNotFound" };
        if inside.parent_is_file(path) {
            return "409 PathConflict";
        }
        if inside.nodes.contains_key(path) {
            return "409 BlobAlreadyExists";
        }
        inside.make_parents(Caller::SuperUser, path);
        let tree = inside.deleted.remove(at).tree;
        inside.put_below(path, tree);
        "200"
    }

    /// Takes the ids of deletions from a list: Delete Blob does not return them.
    pub fn learn_deletions(&mut self, system: usize, listed: &[(String, String)]) {
        let known: BTreeSet<String> = self.systems[system].deleted.iter().map(|deleted| deleted.id.clone()).collect();
        let mut new = listed.iter().filter(|(_, id)| !known.contains(id));
        let inside = &mut self.systems[system];
        let unknown = inside.deleted.iter_mut().filter(|deleted| deleted.id.is_empty());
        for deleted in unknown {
            if let Some((_, id)) = new.by_ref().find(|(path, _)| *path == deleted.path) {
                deleted.id = id.clone();
            }
        }
    }

    pub fn lease(&mut self, (system, path): (usize, &Names), action: Action) -> &'static str {
        let now = self.now;
        let Some(node) = self.systems[system].nodes.get_mut(path) else { return NOT_FOUND };
        node.blob.step_lease(action, now)
    }

    pub fn set_expiry(&mut self, (system, path): (usize, &Names), seconds: u64, lease: Option<&String>) -> &'static str {
        let now = self.now;
        let Some(node) = self.systems[system].nodes.get_mut(path) else { return "404 BlobNotFound" };
        if let Some(refusal) = node.blob.lease_allows(lease, now) {
            return refusal;
        }
        node.expires = Some(now + seconds);
        "200"
    }

    pub fn set_access(&mut self, caller: Caller, (system, path): (usize, &Names), access: Access) -> &'static str {
        let inside = &self.systems[system];
        if !inside.permits(caller, Need::Status, path) {
            return REFUSED;
        }
        let Some(node) = inside.nodes.get(path) else { return NOT_FOUND };
        let need = match access {
            Access::Mode(_) | Access::Acl(_) => Some(Need::SetAccess),
            Access::Group(group) => (node.group != group).then_some(Need::SetGroup(group)),
            Access::Owner(owner) => (node.owner != owner).then_some(Need::SetOwner),
        };
        if need.is_some_and(|need| !inside.permits(caller, need, path)) {
            return REFUSED;
        }
        let node = self.systems[system].nodes.get_mut(path).unwrap();
        match access {
            Access::Mode(mode) => node.acl = node.acl.chmod(mode),
            Access::Acl(text) => match node.acl.set(text, node.is_directory) {
                Some(acl) => node.acl = acl,
                None => return BAD_ACL,
            },
            Access::Owner(owner) => owner.clone_into(&mut node.owner),
            Access::Group(group) => group.clone_into(&mut node.group),
        }
        "200"
    }

    /// A page of a recursive change: the verdict, the changed directories and files, and the failed paths; and where the next page begins.
    pub fn change_access(&mut self, caller: Caller, (system, path): (usize, &Names), page: &Page) -> (String, Option<Names>) {
        let mut draft = self.systems[system].clone();
        if !draft.permits(caller, Need::Status, path) {
            return (REFUSED.to_owned(), None);
        }
        if !draft.nodes.contains_key(path) {
            return (NOT_FOUND.to_owned(), None);
        }
        // What the caller cannot list is not there for it.
        let is_listed =
            |other: &Names| (path.len()..other.len()).all(|end| draft.permits(caller, Need::List, &other[..end].to_vec()));
        let all: Vec<Names> = draft.nodes.keys().filter(|other| other.starts_with(path) && is_listed(other)).cloned().collect();
        let mut rest = all.into_iter().skip_while(|path| page.from.as_ref().is_some_and(|from| path < from));
        let (mut directories, mut files, mut failed, mut stopped) = (0, 0, Vec::new(), false);
        for path in rest.by_ref().take(page.most) {
            if !draft.permits(caller, Need::SetAccess, &path) {
                failed.push(path.join("/"));
                stopped = !page.is_forced;
                if stopped {
                    break;
                }
                continue;
            }
            let node = draft.nodes.get_mut(&path).unwrap();
            // Files skip default entries, and remain as they are without others.
            let own: Vec<&str> =
                page.acl.split(',').filter(|entry| node.is_directory || !entry.starts_with("default:")).collect();
            let changed = match page.mode {
                "remove" => node.acl.remove(page.acl),
                _ if own.is_empty() => Some(node.acl.clone()),
                "set" => node.acl.set(&own.join(","), node.is_directory),
                _ => Some(node.acl.modify(&own.join(","))),
            };
            let Some(acl) = changed else { return (BAD_ACL.to_owned(), None) };
            node.acl = acl;
            if node.is_directory { directories += 1 } else { files += 1 }
        }
        let next = rest.next().filter(|_| !stopped);
        self.systems[system] = draft;
        (format!("200 {directories} {files} {}", failed.join(" ")), next)
    }
}

fn has_expired(node: &Node, now: u64) -> bool {
    node.expires.is_some_and(|expires| expires <= now)
}

/// Why a creation or a rename may not replace what exists, or be made where nothing does.
fn refuses_overwriting(current: Option<&Node>, write: &Write, now: u64) -> Option<&'static str> {
    let failed = match (&write.condition, current) {
        (If::Missing, Some(_)) => return Some("409 PathAlreadyExists"),
        (If::Match(_), None) => true,
        (If::Match(etag), Some(current)) => *etag != current.blob.etag,
        (If::NoneMatch(etag), Some(current)) => *etag == current.blob.etag,
        _ => false,
    };
    if failed {
        return Some(NOT_MET);
    }
    match current {
        Some(current) => current.lease_refuses(write, now),
        None => write.lease.as_ref().map(|_| "412 LeaseNotPresent"),
    }
}

fn refuses_appends(node: &Node, write: &Write, now: u64) -> Option<&'static str> {
    if node.is_directory {
        return Some("409 PathConflict");
    }
    if node.is_written_by_blob_api && !node.blob.content.is_empty() {
        return Some("409 InvalidFlushOperation");
    }
    node.lease_refuses(write, now)
}

/// Commits the appends up to a position, which they must reach without a gap.
fn commit(node: &mut Node, position: usize, retains: bool, etag: &str, now: u64) -> bool {
    let mut content = node.blob.content.clone();
    if position < content.len() {
        return false;
    }
    let rest = node.pending.1.clone().split_off(&position);
    for (at, text) in node.pending.1.range(..position) {
        if *at != content.len() {
            return false;
        }
        content += text;
    }
    if content.len() != position {
        return false;
    }
    node.pending.1 = if retains { rest } else { BTreeMap::new() };
    if content != node.blob.content {
        node.blob.content = content;
        node.blob.written(etag, now);
        node.is_written_by_blob_api = false;
    }
    true
}
