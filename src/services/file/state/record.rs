//! The records of a share: one for its properties, one for each snapshot, one for each security descriptor, one for each node of each
//! tree, one for each run of a file's bytes. Open handles have none: they do not outlive the server.
//!
//! A new snapshot is written in full. A form never changes; a new form gets another version, and both are read.

use crate::rules::file::posix::Posix;
use crate::rules::file::sddl;
use crate::rules::file::smb::Smb;
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::file::node::{Body, File, FileCopy, Node, NodeId, NodeName};
use crate::services::file::state::share::Share;
use crate::services::file::state::tree::Tree;
use crate::services::file::state::view::{ShareProperties, Snapshot};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::record::Progress;
use crate::store::changes::{Changes, diff};
use crate::store::cleared_ranges::Marks;
use crate::store::records::{CorruptRecord, Records};
use crate::store::sparse::Sparse;
use crate::store::{Persist, Store};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The version of every form here.
const FORM: u8 = 1;

// The first byte of the key of each kind of record.
const SHARE: u8 = b's';
const SNAPSHOT: u8 = b't';
const PERMISSION: u8 = b'p';
const NODE: u8 = b'n';
const RUN: u8 = b'r';
/// The current share, in the place of a snapshot's name.
const CURRENT: Timestamp = Timestamp::NEVER;

#[derive(Serialize, Deserialize)]
struct ShareForm {
    created: Timestamp,
    properties: ShareProperties,
    lease: Lease,
    /// The newest node.
    last: NodeId,
}

#[derive(Serialize, Deserialize)]
struct SnapshotForm {
    properties: ShareProperties,
    lease: Lease,
    at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct NodeForm<'a> {
    places: Cow<'a, [NodeName]>,
    last_modified: Timestamp,
    #[serde(borrow)]
    body: BodyForm<'a>,
    smb: Smb,
    posix: Option<Arc<Posix>>,
    metadata: Metadata,
}

#[derive(Serialize, Deserialize)]
enum BodyForm<'a> {
    Directory,
    Link(&'a str),
    #[serde(borrow)]
    File(Box<FileForm<'a>>),
}

#[derive(Serialize, Deserialize)]
struct FileForm<'a> {
    size: u64,
    cleared: Marks,
    /// Content-Type, -Encoding, -Language, Cache-Control, Content-MD5, Content-Disposition.
    #[serde(borrow)]
    headers: [Option<&'a str>; 6],
    /// The copy that created the file: id, source, the source's size, progress.
    copy: Option<([u8; 16], &'a str, u64, Progress<'a>)>,
    lease: Lease,
}

impl Persist for Share {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        let own = |share: &Share| (share.created, share.lease, share.last);
        if before.is_none_or(|before| before.properties != after.properties || own(before) != own(after)) {
            let Share { created, lease, last, .. } = *after;
            to.put(&[SHARE], FORM, &ShareForm { created, properties: after.properties.clone(), lease, last });
        }
        for (key, _, text) in diff(before.map(|before| &before.permissions), Some(&after.permissions)) {
            let (one, other) = key.numbers();
            let key = [&[PERMISSION], &one.to_be_bytes()[..], &other.to_be_bytes()].concat();
            match text {
                Some(text) => to.put(&key, FORM, &&**text),
                None => to.delete(&key),
            }
        }
        write_tree(before.map(|before| &before.tree), Some(&after.tree), CURRENT, to);
        for (name, was, now) in diff(before.map(|before| &before.snapshots), Some(&after.snapshots)) {
            let key = [&[SNAPSHOT], &name.ticks().to_be_bytes()[..]].concat();
            match now {
                Some(now) => {
                    let properties = now.properties.clone();
                    to.put(&key, FORM, &SnapshotForm { properties, lease: now.lease, at: now.at });
                }
                None => to.delete(&key),
            }
            write_tree(was.map(|was| was.tree()), now.map(|now| now.tree()), *name, to);
        }
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord> {
        let record = records.get(&[SHARE]).ok_or_else(|| CorruptRecord("a share without its properties".to_owned()))?;
        let ShareForm { created, properties, lease, last } = record.read(FORM)?;
        let mut share = Share::new(properties.last_modified, Metadata::default(), properties.settings);
        share.properties = properties;
        share.created = created;
        share.lease = lease;
        share.last = last;
        share.tree = restore_tree(CURRENT, records, store)?;
        share.latest = share.properties.last_modified.max(share.created).max(latest(&share.tree));
        for (key, record) in records.under(&[PERMISSION]) {
            let half = |bytes: Option<&[u8; 8]>| bytes.map(|bytes| u64::from_be_bytes(*bytes));
            let key = half(key.first_chunk()).zip(half(key.last_chunk())).filter(|_| key.len() == 16);
            let (one, other) = key.ok_or_else(|| CorruptRecord("a permission without its key".to_owned()))?;
            // The key is not computed from the text: an earlier server computed another one, and the nodes refer to it.
            share.permissions.insert(sddl::Key::numbered(one, other), record.read::<&str>(FORM)?.into());
        }
        for (name, record) in records.under(&[SNAPSHOT]) {
            let name = name.try_into().map_err(|_| CorruptRecord("a snapshot without its name".to_owned()))?;
            let name = Timestamp::from_ticks(u64::from_be_bytes(name));
            let SnapshotForm { properties, lease, at } = record.read(FORM)?;
            let snapshot = Snapshot { properties, lease, tree: restore_tree(name, records, store)?, at };
            share.latest = share.latest.max(snapshot.at);
            share.snapshots.insert(name, Arc::new(snapshot));
        }
        Ok(share)
    }
}

fn latest(tree: &Tree) -> Timestamp {
    tree.nodes().values().map(|node| node.last_modified).max().unwrap_or_default()
}

/// The prefix of the keys of a tree's records.
fn key_prefix(kind: u8, tree: Timestamp) -> Vec<u8> {
    [&[kind], &tree.ticks().to_be_bytes()[..]].concat()
}

fn write_tree(before: Option<&Tree>, after: Option<&Tree>, tree: Timestamp, to: &mut Changes<'_>) {
    for (id, was, now) in diff(before.map(Tree::nodes), after.map(Tree::nodes)) {
        let key = |kind| [&key_prefix(kind, tree)[..], &id.number().to_be_bytes()].concat();
        match now {
            Some(node) => to.put(&key(NODE), FORM, &NodeForm::of(node)),
            None => to.delete(&key(NODE)),
        }
        let [before, after] = [was, now].map(|node| Some(&node?.file()?.content));
        if before.is_some() || after.is_some() {
            Sparse::write_changes(before, after, &key(RUN), to);
        }
    }
}

fn restore_tree(tree: Timestamp, records: &Records, store: &Store) -> Result<Tree, CorruptRecord> {
    let mut nodes = Vec::new();
    for (id, record) in records.under(&key_prefix(NODE, tree)) {
        let number = id.try_into().map_err(|_| CorruptRecord("a file without its number".to_owned()))?;
        let runs = [&key_prefix(RUN, tree)[..], id].concat();
        let form: NodeForm<'_> = record.read(FORM)?;
        nodes.push(form.node(NodeId::numbered(u64::from_be_bytes(number)), &runs, records, store)?);
    }
    Tree::of(nodes).ok_or_else(|| CorruptRecord("a share without its root".to_owned()))
}

impl NodeForm<'_> {
    fn of(node: &Arc<Node>) -> NodeForm<'_> {
        NodeForm {
            places: Cow::Borrowed(&node.places),
            last_modified: node.last_modified,
            body: BodyForm::of(&node.body),
            smb: node.smb,
            posix: node.posix.clone(),
            metadata: node.metadata.clone(),
        }
    }

    fn node(self, id: NodeId, runs: &[u8], records: &Records, store: &Store) -> Result<Node, CorruptRecord> {
        Ok(Node {
            id,
            places: self.places.into_owned(),
            last_modified: self.last_modified,
            body: self.body.body(self.last_modified, runs, records, store)?,
            smb: self.smb,
            posix: self.posix,
            metadata: self.metadata,
        })
    }
}

impl BodyForm<'_> {
    fn of(body: &Body) -> BodyForm<'_> {
        match body {
            Body::Directory => BodyForm::Directory,
            Body::Link(to) => BodyForm::Link(to),
            Body::File(file) => BodyForm::File(Box::new(FileForm::of(file))),
        }
    }

    fn body(self, last_modified: Timestamp, runs: &[u8], records: &Records, store: &Store) -> Result<Body, CorruptRecord> {
        Ok(match self {
            BodyForm::Directory => Body::Directory,
            BodyForm::Link(to) => Body::Link(to.into()),
            BodyForm::File(form) => {
                let content = Sparse::restore(form.size, runs, records, store)?;
                Body::File(Box::new(form.file(last_modified, content)))
            }
        })
    }
}

impl FileForm<'_> {
    fn of(file: &File) -> FileForm<'_> {
        let ContentHeaders { content_type, encoding, language, cache_control, md5, disposition } = &file.headers;
        FileForm {
            size: file.content.len(),
            cleared: file.cleared.clone(),
            headers: [content_type, encoding, language, cache_control, md5, disposition].map(Option::as_deref),
            copy: file.copy.as_deref().map(|copy| (copy.id, copy.source.as_str(), copy.total, (&copy.progress).into())),
            lease: file.lease,
        }
    }

    fn file(self, last_modified: Timestamp, content: Sparse) -> File {
        let [content_type, encoding, language, cache_control, md5, disposition] = self.headers.map(|text| text.map(Box::from));
        // A pending copy ends with the server, and leaves no bytes, as an aborted one.
        let is_pending = matches!(self.copy, Some((.., Progress::Pending)));
        let copy = |(id, source, total, progress): ([u8; 16], &str, u64, Progress<'_>)| {
            Arc::new(FileCopy { id, source: source.to_owned(), total, progress: progress.ended(last_modified) })
        };
        File {
            content: if is_pending { Sparse::default() } else { content },
            cleared: self.cleared,
            headers: ContentHeaders { content_type, encoding, language, cache_control, md5, disposition },
            copy: self.copy.map(copy),
            lease: self.lease,
        }
    }
}
