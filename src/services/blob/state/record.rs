//! The records of a container: one for its properties, one for each state of a blob, one for each run of a page or append blob, and one
//! for each uncommitted block.
//!
//! A form never changes. A record that needs another form gets another version, and both are read.

use crate::rules::auth::permissions::PublicAccess;
use crate::rules::auth::sas::Policy;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::immutability::Protection;
use crate::rules::blob::last_access::LastAccess;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::CurrentTier;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::encryption::{DefaultEncryption, Encryption};
use crate::rules::lake::append::Piece;
use crate::rules::lease::Lease;
use crate::rules::metadata::Metadata;
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::blob::body::{Block, Body};
use crate::services::blob::copy_properties::{BlobCopy, IncrementalCopy};
use crate::services::blob::path_properties::PathProperties;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, ContainerProperties, UncommittedBlock, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, DirectoryId, Place};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::record::Progress;
use crate::store::changes::{Changes, diff};
use crate::store::cleared_ranges::Marks;
use crate::store::content::Content;
use crate::store::record::ContentRecord;
use crate::store::records::{CorruptRecord, Record, Records};
use crate::store::sparse::Sparse;
use crate::store::{Persist, Store};
use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// The version of every form below.
const FORM: u8 = 1;
/// The form of a blob with more properties: [`BlobForm`], followed by [`MoreForm`].
const MORE: u8 = 2;
/// The form of a path of a hierarchical namespace: [`BlobForm`], [`MoreForm`] and [`PathProperties`].
const PATH: u8 = 3;
/// The form of a container with a hierarchical namespace: [`ContainerForm`], followed by the id of the next directory.
const HIERARCHICAL: u8 = 2;
/// The form of the uncommitted blocks of a leased name: their modification time, and the lease.
const LEASED: u8 = 2;

/// The first byte of the keys of the container, of a blob, of a run, of the uncommitted data of a place, of a block, of an append.
const CONTAINER: u8 = b'c';
const BLOB: u8 = b'b';
const RUN: u8 = b'r';
const BLOCKS: u8 = b's';
const BLOCK: u8 = b't';
const APPEND: u8 = b'a';

#[derive(Serialize, Deserialize)]
struct ContainerForm {
    last_modified: Timestamp,
    created: Timestamp,
    metadata: Metadata,
    access: PublicAccess,
    encryption: DefaultEncryption,
    policies: Arc<[Policy]>,
    lease: Lease,
}

#[derive(Serialize, Deserialize)]
struct BlobForm<'a> {
    created: Timestamp,
    last_modified: Timestamp,
    #[serde(borrow)]
    body: BodyForm<'a>,
    headers: Cow<'a, ContentHeaders>,
    metadata: Metadata,
    tags: Cow<'a, Tags>,
    tier: Option<CurrentTier>,
    encryption: Cow<'a, Encryption>,
    copy: Option<CopyForm<'a>>,
    version: Option<Timestamp>,
    deleted: Option<Deletion>,
    expires: Option<Timestamp>,
    read: LastAccess,
    protection: Protection,
    lease: Lease,
}

#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
struct MoreForm {
    /// Where pages were cleared.
    cleared: Marks,
    /// When the blob was deleted of which this is the last version.
    left: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
enum BodyForm<'a> {
    /// The bytes, and the ids and lengths of the blocks.
    Block(#[serde(borrow)] ContentRecord<'a>, Vec<(&'a str, u64)>),
    Append {
        size: u64,
        blocks: u32,
        sealed: bool,
    },
    Page {
        size: u64,
        sequence: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct CopyForm<'a> {
    id: [u8; 16],
    source: &'a str,
    total: u64,
    #[serde(borrow)]
    progress: Progress<'a>,
    incremental: Option<Cow<'a, IncrementalCopy>>,
}

impl Persist for Container {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        let said = |container: &Container| (container.created, container.lease, container.next_directory);
        if before.is_none_or(|before| before.properties != after.properties || said(before) != said(after)) {
            match after.next_directory {
                None => to.put(&[CONTAINER], FORM, &ContainerForm::of(after)),
                Some(next) => to.put(&[CONTAINER], HIERARCHICAL, &(ContainerForm::of(after), next)),
            }
        }
        for (key, was, now) in diff(before.map(|before| &before.blobs), Some(&after.blobs)) {
            match now {
                Some(blob) => match (MoreForm::of(blob), blob.path.as_deref()) {
                    (more, Some(path)) => to.put(&key.record(BLOB), PATH, &(BlobForm::of(blob), more, path)),
                    (more, None) if more == MoreForm::default() => to.put(&key.record(BLOB), FORM, &BlobForm::of(blob)),
                    (more, None) => to.put(&key.record(BLOB), MORE, &(BlobForm::of(blob), more)),
                },
                None => to.delete(&key.record(BLOB)),
            }
            let [before, after] = [was, now].map(|blob| blob?.body.sparse());
            if before.is_some() || after.is_some() {
                Sparse::write_changes(before, after, &key.record(RUN), to);
            }
        }
        for (place, was, now) in diff(before.map(|before| &before.uncommitted), Some(&after.uncommitted)) {
            match now {
                Some(staged) if staged.lease == Lease::Available => to.put(&blocks_of(place), FORM, &staged.last_modified),
                Some(staged) => to.put(&blocks_of(place), LEASED, &(staged.last_modified, staged.lease)),
                None => to.delete(&blocks_of(place)),
            }
            for (id, _, block) in diff(was.map(|was| &was.blocks), now.map(|now| &now.blocks)) {
                match block {
                    Some(UncommittedBlock { content, encryption }) => {
                        to.put(&block_of(place, id), FORM, &(ContentRecord::from(content), encryption));
                    }
                    None => to.delete(&block_of(place, id)),
                }
            }
            let [was, now] = [was, now].map(|uncommitted| uncommitted.map(|uncommitted| uncommitted.appends.pieces()));
            for (position, _, piece) in diff(was, now) {
                match piece {
                    Some(piece) => to.put(&append_of(place, *position), FORM, &ContentRecord::from(&piece.data)),
                    None => to.delete(&append_of(place, *position)),
                }
            }
        }
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord> {
        let record = records
            .get(&[CONTAINER])
            .ok_or_else(|| CorruptRecord("a container without a record of its properties".to_owned()))?;
        let mut container = match record.version() {
            HIERARCHICAL => {
                let (form, next): (ContainerForm, DirectoryId) = record.parse()?;
                Container { next_directory: Some(next), ..form.container() }
            }
            _ => record.read::<ContainerForm>(FORM)?.container(),
        };
        for (key, record) in records.under(&[BLOB]) {
            let key = BlobKey::of_record(key)?;
            let (form, more, path) = BlobForm::read(&record)?;
            let blob = Arc::new(Blob { path, ..more.added_to(form.blob(&key, records, store)?) });
            container.latest = container.latest.max(blob.last_modified).max(blob.version.unwrap_or_default());
            if let VersionSelector::Earlier(at, _) = key.at {
                container.latest = container.latest.max(at);
            }
            container.blobs.insert(key, blob);
        }
        let mut uncommitted: OrdMap<Place, OrdMap<BlockId, UncommittedBlock>> = OrdMap::new();
        for (key, record) in records.under(&[BLOCK]) {
            let (place, id) = split_block(key)?;
            let (content, encryption) = record.read::<(ContentRecord<'_>, Encryption)>(FORM)?;
            let content = content.content(store)?;
            uncommitted.entry(place).or_default().insert(id, UncommittedBlock { content, encryption });
        }
        let mut appends: OrdMap<Place, OrdMap<u64, Piece<Content>>> = OrdMap::new();
        for (key, record) in records.under(&[APPEND]) {
            let (place, position) = split_append(key)?;
            let data = record.read::<ContentRecord<'_>>(FORM)?.content(store)?;
            appends.entry(place).or_default().insert(position, Piece { length: data.len(), data });
        }
        for (place, record) in records.under(&[BLOCKS]) {
            let place = Place::flat(text(place)?);
            let (last_modified, lease) = match record.version() {
                LEASED => record.parse()?,
                _ => (record.read(FORM)?, Lease::Available),
            };
            let blocks = uncommitted.remove(&place).unwrap_or_default();
            let appends = appends.remove(&place).unwrap_or_default().into();
            let staged = UncommittedBlocks { last_modified, lease, blocks, appends };
            container.uncommitted.insert(place, Arc::new(staged));
        }
        container.schedule();
        Ok(container)
    }
}

impl BlobKey {
    /// The key of a record of this state: its place, and nine bytes for the version selector.
    fn record(&self, kind: u8) -> Vec<u8> {
        let (time, which) = match self.at {
            VersionSelector::Earlier(time, VersionKind::Snapshot) => (time.ticks(), 0),
            VersionSelector::Earlier(time, VersionKind::Version) => (time.ticks(), 1),
            VersionSelector::Base => (u64::MAX, 2),
        };
        [&[kind], self.place.as_str().as_bytes(), &time.to_be_bytes(), &[which]].concat()
    }

    fn of_record(key: &[u8]) -> Result<BlobKey, CorruptRecord> {
        let whole = || CorruptRecord(format!("a blob under a key of {} bytes", key.len()));
        let (place, [time @ .., which]) = key.split_last_chunk::<9>().ok_or_else(whole)?;
        let earlier = |kind| Ok(VersionSelector::Earlier(Timestamp::from_ticks(u64::from_be_bytes(*time)), kind));
        let at = match which {
            0 => earlier(VersionKind::Snapshot),
            1 => earlier(VersionKind::Version),
            2 => Ok(VersionSelector::Base),
            _ => Err(whole()),
        };
        Ok(BlobKey { place: Place::flat(text(place)?), at: at? })
    }
}

fn blocks_of(place: &Place) -> Vec<u8> {
    [&[BLOCKS], place.as_str().as_bytes()].concat()
}

/// The key of a block: the place, the id, and two bytes for the length of the id.
fn block_of(place: &Place, id: &BlockId) -> Vec<u8> {
    let length = id.as_str().len() as u16;
    [&[BLOCK], place.as_str().as_bytes(), id.as_str().as_bytes(), &length.to_be_bytes()].concat()
}

fn split_block(key: &[u8]) -> Result<(Place, BlockId), CorruptRecord> {
    let whole = || CorruptRecord(format!("a block under a key of {} bytes", key.len()));
    let (rest, length) = key.split_last_chunk().ok_or_else(whole)?;
    let middle = rest.len().checked_sub(u16::from_be_bytes(*length).into()).ok_or_else(whole)?;
    let (place, id) = rest.split_at(middle);
    Ok((Place::flat(text(place)?), BlockId::named(&text(id)?)))
}

/// The key of an append: the place, and eight bytes for the position.
fn append_of(place: &Place, position: u64) -> Vec<u8> {
    [&[APPEND], place.as_str().as_bytes(), &position.to_be_bytes()].concat()
}

fn split_append(key: &[u8]) -> Result<(Place, u64), CorruptRecord> {
    let (place, position) =
        key.split_last_chunk().ok_or_else(|| CorruptRecord(format!("an append under a key of {} bytes", key.len())))?;
    Ok((Place::flat(text(place)?), u64::from_be_bytes(*position)))
}

fn text(bytes: &[u8]) -> Result<Arc<str>, CorruptRecord> {
    std::str::from_utf8(bytes).map(Arc::from).map_err(|error| CorruptRecord(error.to_string()))
}

impl ContainerForm {
    fn of(container: &Container) -> ContainerForm {
        let ContainerProperties { last_modified, metadata, access, encryption, policies } = container.properties.clone();
        let (created, lease) = (container.created, container.lease);
        ContainerForm { last_modified, created, metadata, access, encryption, policies, lease }
    }

    fn container(self) -> Container {
        let ContainerForm { last_modified, created, metadata, access, encryption, policies, lease } = self;
        let mut container = Container::new(last_modified, metadata, access, encryption);
        container.properties.policies = policies;
        container.lease = lease;
        container.created = created;
        container
    }
}

impl<'a> BlobForm<'a> {
    fn of(blob: &'a Blob) -> BlobForm<'a> {
        BlobForm {
            created: blob.created,
            last_modified: blob.last_modified,
            body: BodyForm::of(&blob.body),
            headers: Cow::Borrowed(&blob.headers),
            metadata: blob.metadata.clone(),
            tags: Cow::Borrowed(&blob.tags),
            tier: blob.tier,
            encryption: Cow::Borrowed(&blob.encryption),
            copy: blob.copy.as_deref().map(CopyForm::of),
            version: blob.version,
            deleted: blob.deleted,
            expires: blob.expires,
            read: blob.read,
            protection: blob.protection,
            lease: blob.lease,
        }
    }

    fn read(record: &Record<'a>) -> Result<(BlobForm<'a>, MoreForm, Option<Arc<PathProperties>>), CorruptRecord> {
        match record.version() {
            PATH => record.parse().map(|(form, more, path)| (form, more, Some(path))),
            MORE => record.parse().map(|(form, more)| (form, more, None)),
            _ => Ok((record.read(FORM)?, MoreForm::default(), None)),
        }
    }

    fn blob(self, key: &BlobKey, records: &Records, store: &Store) -> Result<Blob, CorruptRecord> {
        Ok(Blob {
            created: self.created,
            last_modified: self.last_modified,
            body: self.body.body(key, records, store)?,
            headers: self.headers.into_owned(),
            metadata: self.metadata,
            tags: self.tags.into_owned(),
            tier: self.tier,
            encryption: self.encryption.into_owned(),
            copy: self.copy.map(|copy| Arc::new(copy.copied(self.last_modified))),
            version: self.version,
            deleted: self.deleted,
            expires: self.expires,
            path: None,
            left: None,
            read: self.read,
            protection: self.protection,
            lease: self.lease,
        })
    }
}

impl MoreForm {
    fn of(blob: &Blob) -> MoreForm {
        let cleared = match &blob.body {
            Body::Page { content, .. } => content.cleared().clone(),
            Body::Block { .. } | Body::Append { .. } => Marks::default(),
        };
        MoreForm { cleared, left: blob.left }
    }

    fn added_to(self, mut blob: Blob) -> Blob {
        if let Body::Page { content, sequence } = blob.body {
            blob.body = Body::Page { content: content.with_cleared(self.cleared), sequence };
        }
        blob.left = self.left;
        blob
    }
}

impl<'a> BodyForm<'a> {
    fn of(body: &'a Body) -> BodyForm<'a> {
        match body {
            Body::Block { content, blocks } => {
                BodyForm::Block(content.into(), blocks.iter().map(|block| (block.id.as_str(), block.content.len())).collect())
            }
            Body::Append { content, blocks, sealed } => {
                BodyForm::Append { size: content.len(), blocks: *blocks, sealed: *sealed }
            }
            Body::Page { content, sequence } => BodyForm::Page { size: content.len(), sequence: *sequence },
        }
    }

    fn body(self, key: &BlobKey, records: &Records, store: &Store) -> Result<Body, CorruptRecord> {
        let sparse = |size| Sparse::restore(size, &key.record(RUN), records, store);
        Ok(match self {
            BodyForm::Block(content, lengths) => {
                let content = content.content(store)?;
                let mut start = 0;
                let block = |(id, length): (&str, u64)| {
                    let block = Block { id: BlockId::named(id), content: content.part(start..start + length) };
                    start += length;
                    block
                };
                let blocks = lengths.into_iter().map(block).collect();
                Body::Block { content, blocks }
            }
            BodyForm::Append { size, blocks, sealed } => Body::Append { content: sparse(size)?, blocks, sealed },
            BodyForm::Page { size, sequence } => Body::Page { content: sparse(size)?, sequence },
        })
    }
}

impl<'a> CopyForm<'a> {
    fn of(copy: &'a BlobCopy) -> CopyForm<'a> {
        let incremental = copy.incremental.as_ref().map(Cow::Borrowed);
        CopyForm { id: copy.id, source: &copy.source, total: copy.total, progress: (&copy.progress).into(), incremental }
    }

    fn copied(self, begun: Timestamp) -> BlobCopy {
        let (progress, incremental) = (self.progress.ended(begun), self.incremental.map(Cow::into_owned));
        BlobCopy { id: self.id, source: self.source.to_owned(), total: self.total, progress, incremental }
    }
}
