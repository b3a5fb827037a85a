//! The records of a container: one for its properties, one for each state of a blob, one for each run of a page or append blob, and one
//! for each uncommitted block.
//!
//! A form never changes. A record that needs another form gets another version, and both are read.

use crate::rules::auth::permissions::PublicAccess;
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::immutability::{Policy, PolicyMode, Protection};
use crate::rules::blob::last_access::LastAccess;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, RehydratePriority, Rehydration, Tier};
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::encryption::{DefaultEncryption, Encryption};
use crate::rules::lease;
use crate::rules::metadata::Metadata;
use crate::rules::retention::Deletion;
use crate::rules::time::Timestamp;
use crate::services::blob::body::{Block, Body};
use crate::services::blob::copy_properties::{BlobCopy, IncrementalCopy};
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, ContainerProperties, UncommittedBlock, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Due};
use crate::services::shared::content_headers::ContentHeaders;
use crate::services::shared::record::{Lease, Pairs, Progress, StoredPolicy, pairs, policies, policy, ticks, time};
use crate::store::changes::{Changes, diff};
use crate::store::cleared_ranges::Marks;
use crate::store::record::ContentRecord;
use crate::store::records::{CorruptRecord, Record, Records};
use crate::store::sparse::Sparse;
use crate::store::{Persist, Store};
use imbl::OrdMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The version of every form below.
const FORM: u8 = 1;
/// The form of a blob with more properties: [`BlobForm`], followed by [`MoreForm`].
const MORE: u8 = 2;
/// The form of the uncommitted blocks of a leased name: their modification time, and the lease.
const LEASED: u8 = 2;

/// The first byte of the keys of the container, of a blob, of a run, of the blocks of a name, of a block.
const CONTAINER: u8 = b'c';
const BLOB: u8 = b'b';
const RUN: u8 = b'r';
const BLOCKS: u8 = b's';
const BLOCK: u8 = b't';

#[derive(Serialize, Deserialize)]
struct ContainerForm<'a> {
    last_modified: u64,
    created: u64,
    metadata: Pairs<'a>,
    access: u8,
    scope: Option<&'a str>,
    deny_override: bool,
    #[serde(borrow)]
    policies: Vec<StoredPolicy<'a>>,
    lease: Lease,
}

#[derive(Serialize, Deserialize)]
struct BlobForm<'a> {
    created: u64,
    last_modified: u64,
    #[serde(borrow)]
    body: BodyForm<'a>,
    /// Content-Type, -Encoding, -Language, -MD5, Cache-Control, Content-Disposition.
    headers: [Option<&'a str>; 6],
    metadata: Pairs<'a>,
    tags: Pairs<'a>,
    tier: Option<TierForm>,
    encryption: EncryptionForm<'a>,
    copy: Option<CopyForm<'a>>,
    version: Option<u64>,
    /// When, and for how many days it is retained.
    deleted: Option<(u64, u32)>,
    expires: Option<u64>,
    /// The last recorded read.
    read: Option<u64>,
    /// Until when, and whether it is locked.
    policy: Option<(u64, bool)>,
    hold: Option<bool>,
    lease: Lease,
}

#[derive(Default, PartialEq, Eq, Serialize, Deserialize)]
struct MoreForm {
    /// Where pages were cleared: from, to, when.
    cleared: Vec<(u64, u64, u64)>,
    /// When the blob was deleted of which this is the last version.
    left: Option<u64>,
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
struct TierForm {
    tier: u8,
    since: u64,
    /// The target tier, whether the priority is high, and the end.
    rehydration: Option<(u8, bool, u64)>,
}

#[derive(Serialize, Deserialize)]
enum EncryptionForm<'a> {
    Service,
    Key(&'a str),
    Scope(&'a str),
}

#[derive(Serialize, Deserialize)]
struct CopyForm<'a> {
    id: [u8; 16],
    source: &'a str,
    total: u64,
    #[serde(borrow)]
    progress: Progress<'a>,
    incremental: Option<IncrementForm<'a>>,
}

#[derive(Serialize, Deserialize)]
struct IncrementForm<'a> {
    #[serde(borrow)]
    of: [&'a str; 3],
    created: u64,
    snapshot: u64,
    destination: u64,
}

#[derive(Serialize, Deserialize)]
struct BlockForm<'a> {
    #[serde(borrow)]
    content: ContentRecord<'a>,
    encryption: EncryptionForm<'a>,
}

impl Persist for Container {
    fn write_changes(before: Option<&Self>, after: &Self, to: &mut Changes<'_>) {
        let said = |container: &Container| (container.created, container.lease);
        if before.is_none_or(|before| before.properties != after.properties || said(before) != said(after)) {
            to.put(&[CONTAINER], FORM, &ContainerForm::of(after));
        }
        for (key, was, now) in diff(before.map(|before| &before.blobs), Some(&after.blobs)) {
            match now {
                Some(blob) => match MoreForm::of(blob) {
                    more if more == MoreForm::default() => to.put(&key.record(BLOB), FORM, &BlobForm::of(blob)),
                    more => to.put(&key.record(BLOB), MORE, &(BlobForm::of(blob), more)),
                },
                None => to.delete(&key.record(BLOB)),
            }
            let [before, after] = [was, now].map(|blob| blob?.body.sparse());
            if before.is_some() || after.is_some() {
                Sparse::write_changes(before, after, &key.record(RUN), to);
            }
        }
        for (name, was, now) in diff(before.map(|before| &before.uncommitted), Some(&after.uncommitted)) {
            match now {
                Some(staged) if staged.lease == lease::Lease::Available => {
                    to.put(&blocks_of(name), FORM, &staged.last_modified.ticks());
                }
                Some(staged) => to.put(&blocks_of(name), LEASED, &(staged.last_modified.ticks(), Lease::from(staged.lease))),
                None => to.delete(&blocks_of(name)),
            }
            for (id, _, block) in diff(was.map(|was| &was.blocks), now.map(|now| &now.blocks)) {
                match block {
                    Some(block) => to.put(&block_of(name, id), FORM, &BlockForm::of(block)),
                    None => to.delete(&block_of(name, id)),
                }
            }
        }
    }

    fn restore(records: &Records, store: &Store) -> Result<Self, CorruptRecord> {
        let record = records
            .get(&[CONTAINER])
            .ok_or_else(|| CorruptRecord("a container without a record of its properties".to_owned()))?;
        let mut container = record.read::<ContainerForm<'_>>(FORM)?.container();
        for (key, record) in records.under(&[BLOB]) {
            let key = BlobKey::of_record(key)?;
            let (form, more) = BlobForm::read(&record)?;
            let blob = Arc::new(more.added_to(form.blob(&key, records, store)?));
            container.latest = container.latest.max(blob.last_modified).max(blob.version.unwrap_or_default());
            if let VersionSelector::Earlier(at, _) = key.at {
                container.latest = container.latest.max(at);
            }
            container.due.extend(blob.end().map(|end| (end, Due::State(key.clone()))));
            container.blobs.insert(key, blob);
        }
        let mut uncommitted: OrdMap<Arc<str>, OrdMap<BlockId, UncommittedBlock>> = OrdMap::new();
        for (key, record) in records.under(&[BLOCK]) {
            let (name, id) = split_block(key)?;
            let block = record.read::<BlockForm<'_>>(FORM)?.uncommitted(store)?;
            uncommitted.entry(name).or_default().insert(id, block);
        }
        for (name, record) in records.under(&[BLOCKS]) {
            let name = text(name)?;
            let (last_modified, lease) = match record.version() {
                LEASED => record.parse::<(u64, Lease)>()?,
                _ => (record.read(FORM)?, Lease::Available),
            };
            let (last_modified, lease) = (Timestamp::from_ticks(last_modified), lease.into());
            let staged = UncommittedBlocks { last_modified, lease, blocks: uncommitted.remove(&*name).unwrap_or_default() };
            container.due.insert((staged.end(), Due::Blocks(name.clone())));
            container.uncommitted.insert(name, Arc::new(staged));
        }
        Ok(container)
    }
}

impl BlobKey {
    /// The key of a record of this state: its name, and nine bytes for the version selector.
    fn record(&self, kind: u8) -> Vec<u8> {
        let (time, which) = match self.at {
            VersionSelector::Earlier(time, VersionKind::Snapshot) => (time.ticks(), 0),
            VersionSelector::Earlier(time, VersionKind::Version) => (time.ticks(), 1),
            VersionSelector::Base => (u64::MAX, 2),
        };
        [&[kind], self.name.as_bytes(), &time.to_be_bytes(), &[which]].concat()
    }

    fn of_record(key: &[u8]) -> Result<BlobKey, CorruptRecord> {
        let whole = || CorruptRecord(format!("a blob under a key of {} bytes", key.len()));
        let (name, [time @ .., which]) = key.split_last_chunk::<9>().ok_or_else(whole)?;
        let earlier = |kind| Ok(VersionSelector::Earlier(Timestamp::from_ticks(u64::from_be_bytes(*time)), kind));
        let at = match which {
            0 => earlier(VersionKind::Snapshot),
            1 => earlier(VersionKind::Version),
            2 => Ok(VersionSelector::Base),
            _ => Err(whole()),
        };
        Ok(BlobKey { name: text(name)?, at: at? })
    }
}

fn blocks_of(name: &str) -> Vec<u8> {
    [&[BLOCKS], name.as_bytes()].concat()
}

/// The key of a block: the name, the id, and two bytes for the length of the id.
fn block_of(name: &str, id: &BlockId) -> Vec<u8> {
    let length = id.as_str().len() as u16;
    [&[BLOCK], name.as_bytes(), id.as_str().as_bytes(), &length.to_be_bytes()].concat()
}

fn split_block(key: &[u8]) -> Result<(Arc<str>, BlockId), CorruptRecord> {
    let whole = || CorruptRecord(format!("a block under a key of {} bytes", key.len()));
    let (names, length) = key.split_last_chunk().ok_or_else(whole)?;
    let middle = names.len().checked_sub(u16::from_be_bytes(*length).into()).ok_or_else(whole)?;
    let (name, id) = names.split_at(middle);
    Ok((text(name)?, BlockId::named(&text(id)?)))
}

fn text(bytes: &[u8]) -> Result<Arc<str>, CorruptRecord> {
    std::str::from_utf8(bytes).map(Arc::from).map_err(|error| CorruptRecord(error.to_string()))
}

impl ContainerForm<'_> {
    fn of(container: &Container) -> ContainerForm<'_> {
        let ContainerProperties { last_modified, metadata, access, encryption, policies: stored } = &container.properties;
        ContainerForm {
            last_modified: last_modified.ticks(),
            created: container.created.ticks(),
            metadata: pairs(metadata),
            access: *access as u8,
            scope: encryption.scope.as_deref(),
            deny_override: encryption.deny_override,
            policies: policies(stored),
            lease: container.lease.into(),
        }
    }

    fn container(self) -> Container {
        let access = match self.access {
            2 => PublicAccess::Container,
            1 => PublicAccess::Blob,
            _ => PublicAccess::Private,
        };
        let encryption = DefaultEncryption { scope: self.scope.map(Box::from), deny_override: self.deny_override };
        let last_modified = Timestamp::from_ticks(self.last_modified);
        let mut container = Container::new(last_modified, Metadata::stored(self.metadata), access, encryption);
        container.properties.policies = self.policies.into_iter().map(policy).collect();
        container.lease = self.lease.into();
        container.created = Timestamp::from_ticks(self.created);
        container
    }
}

impl<'a> BlobForm<'a> {
    fn of(blob: &'a Blob) -> BlobForm<'a> {
        let ContentHeaders { content_type, encoding, language, md5, cache_control, disposition } = &blob.headers;
        BlobForm {
            created: blob.created.ticks(),
            last_modified: blob.last_modified.ticks(),
            body: BodyForm::of(&blob.body),
            headers: [content_type, encoding, language, md5, cache_control, disposition].map(Option::as_deref),
            metadata: pairs(&blob.metadata),
            tags: blob.tags.iter().collect(),
            tier: blob.tier.map(TierForm::of),
            encryption: EncryptionForm::of(&blob.encryption),
            copy: blob.copy.as_deref().map(CopyForm::of),
            version: ticks(blob.version),
            deleted: blob.deleted.map(|deletion| (deletion.at.ticks(), deletion.days)),
            expires: ticks(blob.expires),
            read: ticks(blob.read.0),
            policy: blob.protection.policy.map(|policy| (policy.until.ticks(), policy.mode == PolicyMode::Locked)),
            hold: blob.protection.hold,
            lease: blob.lease.into(),
        }
    }

    fn read(record: &Record<'a>) -> Result<(BlobForm<'a>, MoreForm), CorruptRecord> {
        match record.version() {
            MORE => record.parse(),
            _ => Ok((record.read(FORM)?, MoreForm::default())),
        }
    }

    fn blob(self, key: &BlobKey, records: &Records, store: &Store) -> Result<Blob, CorruptRecord> {
        let [content_type, encoding, language, md5, cache_control, disposition] = self.headers.map(|text| text.map(Box::from));
        let policy = |(until, locked)| Policy {
            until: Timestamp::from_ticks(until),
            mode: if locked { PolicyMode::Locked } else { PolicyMode::Unlocked },
        };
        let last_modified = Timestamp::from_ticks(self.last_modified);
        Ok(Blob {
            created: Timestamp::from_ticks(self.created),
            last_modified,
            body: self.body.body(key, records, store)?,
            headers: ContentHeaders { content_type, encoding, language, md5, cache_control, disposition },
            metadata: Metadata::stored(self.metadata),
            tags: Tags::stored(self.tags),
            tier: self.tier.map(TierForm::placed),
            encryption: self.encryption.encryption(),
            copy: self.copy.map(|copy| Arc::new(copy.copied(last_modified))),
            version: time(self.version),
            deleted: self.deleted.map(|(at, days)| Deletion { at: Timestamp::from_ticks(at), days }),
            expires: time(self.expires),
            left: None,
            read: LastAccess(time(self.read)),
            protection: Protection { policy: self.policy.map(policy), hold: self.hold },
            lease: self.lease.into(),
        })
    }
}

impl MoreForm {
    fn of(blob: &Blob) -> MoreForm {
        let cleared = match &blob.body {
            Body::Page { content, .. } => {
                content.cleared().iter().map(|(range, at)| (range.start, range.end, at.ticks())).collect()
            }
            Body::Block { .. } | Body::Append { .. } => Vec::new(),
        };
        MoreForm { cleared, left: ticks(blob.left) }
    }

    fn added_to(self, mut blob: Blob) -> Blob {
        let mut cleared = Marks::default();
        for (start, end, at) in self.cleared {
            cleared.mark(start..end, Timestamp::from_ticks(at));
        }
        if let Body::Page { content, sequence } = blob.body {
            blob.body = Body::Page { content: content.with_cleared(cleared), sequence };
        }
        blob.left = time(self.left);
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

impl TierForm {
    fn of(placed: CurrentTier) -> TierForm {
        let way = |way: Rehydration| (number(way.to), way.priority == RehydratePriority::High, way.until.ticks());
        TierForm { tier: number(placed.tier), since: placed.since.ticks(), rehydration: placed.rehydration.map(way) }
    }

    fn placed(self) -> CurrentTier {
        let way = |(to, high, until)| Rehydration {
            to: tier(to),
            priority: if high { RehydratePriority::High } else { RehydratePriority::Standard },
            until: Timestamp::from_ticks(until),
        };
        CurrentTier { tier: tier(self.tier), since: Timestamp::from_ticks(self.since), rehydration: self.rehydration.map(way) }
    }
}

/// The number of a tier; the premium ones begin at 16.
fn number(tier: Tier) -> u8 {
    match tier {
        Tier::Hot => 0,
        Tier::Cool => 1,
        Tier::Cold => 2,
        Tier::Archive => 3,
        Tier::Smart => 4,
        Tier::Premium(class) => 16 + class,
    }
}

fn tier(number: u8) -> Tier {
    match number {
        1 => Tier::Cool,
        2 => Tier::Cold,
        3 => Tier::Archive,
        4 => Tier::Smart,
        16.. => Tier::Premium(number - 16),
        _ => Tier::Hot,
    }
}

impl<'a> EncryptionForm<'a> {
    fn of(encryption: &'a Encryption) -> EncryptionForm<'a> {
        match encryption {
            Encryption::Service => EncryptionForm::Service,
            Encryption::Key(fingerprint) => EncryptionForm::Key(fingerprint),
            Encryption::Scope(scope) => EncryptionForm::Scope(scope),
        }
    }

    fn encryption(self) -> Encryption {
        match self {
            EncryptionForm::Service => Encryption::Service,
            EncryptionForm::Key(fingerprint) => Encryption::Key(fingerprint.into()),
            EncryptionForm::Scope(scope) => Encryption::Scope(scope.into()),
        }
    }
}

impl<'a> CopyForm<'a> {
    fn of(copy: &'a BlobCopy) -> CopyForm<'a> {
        let incremental = copy.incremental.as_ref().map(|increment| IncrementForm {
            of: increment.of.each_ref().map(String::as_str),
            created: increment.created.ticks(),
            snapshot: increment.snapshot.ticks(),
            destination: increment.destination.ticks(),
        });
        CopyForm { id: copy.id, source: &copy.source, total: copy.total, progress: (&copy.progress).into(), incremental }
    }

    /// The copy; for a pending one, with the time at which it started.
    fn copied(self, begun: Timestamp) -> BlobCopy {
        let progress = self.progress.ended(begun);
        let incremental = self.incremental.map(|increment| IncrementalCopy {
            of: increment.of.map(str::to_owned),
            created: Timestamp::from_ticks(increment.created),
            snapshot: Timestamp::from_ticks(increment.snapshot),
            destination: Timestamp::from_ticks(increment.destination),
        });
        BlobCopy { id: self.id, source: self.source.to_owned(), total: self.total, progress, incremental }
    }
}

impl<'a> BlockForm<'a> {
    fn of(block: &'a UncommittedBlock) -> BlockForm<'a> {
        BlockForm { content: (&block.content).into(), encryption: EncryptionForm::of(&block.encryption) }
    }

    fn uncommitted(self, store: &Store) -> Result<UncommittedBlock, CorruptRecord> {
        Ok(UncommittedBlock { content: self.content.content(store)?, encryption: self.encryption.encryption() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that earlier versions wrote in the second forms, which are still read.
    #[test]
    fn the_second_forms_stay_as_they_are() {
        let more = MoreForm { cleared: vec![(512, 1024, 7)], left: Some(9) };
        assert_eq!(postcard::to_allocvec(&more).unwrap(), [1, 0x80, 4, 0x80, 8, 7, 1, 9]);
        let leased = postcard::to_allocvec(&(5u64, Lease::Leased([6; 16], None, Some(3)))).unwrap();
        assert_eq!(leased, [&[5, 1][..], &[6; 16], &[0, 1, 3]].concat());
    }
}
