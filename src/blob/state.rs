//! What the blob service stores, and the one door to it.
//!
//! A handler cannot get hold of a blob without [`Container::admit`] or [`Container::claim`], which run every check that the
//! operation's row declares, in the service's order: existence, conditions, lease. The fields that would let it are private here, and
//! `ops` is a sibling of this module, not its child.

use super::body::{Body, ContentHeaders};
use super::copied::Copied;
use crate::op::{Call, Source};
use crate::rules::{
    access::PublicAccess,
    blocks::{self, BlockId},
    condition::{self, Stored},
    encryption::{Encryption, Preset},
    etag::ETag,
    fault::{Code, Fault},
    lease::{self, Guard, Lease, Subject},
    metadata::Metadata,
    retention::{Deletion, Keeping},
    sas::Policy,
    tags::Tags,
    tier::{Placed, Tier},
    time::Timestamp,
};
use crate::store::content::Content;
use imbl::OrdMap;
use std::ops::Deref;
use std::sync::Arc;

mod copying;
mod history;

/// A container, all its blobs, and the blocks that wait to be committed: one cell of the store.
#[derive(Clone, Debug)]
pub struct Container {
    about: About,
    lease: Lease,
    blobs: OrdMap<Key, Arc<Blob>>,
    staged: OrdMap<Arc<str>, Arc<Staged>>,
    /// The last stamp given; the next is later, so that no two states of anything in the container share an entity tag.
    latest: Timestamp,
}

/// What is said of a container itself.
#[derive(Clone, Debug)]
pub struct About {
    /// When its metadata or access last changed: its Last-Modified and, in ticks, its entity tag.
    pub stamp: Timestamp,
    /// Its metadata.
    pub metadata: Metadata,
    /// How public it is.
    pub access: PublicAccess,
    /// The encryption scope that its blobs get.
    pub encryption: Preset,
    /// Its stored access policies.
    pub policies: Arc<[Policy]>,
}

/// Where a blob stands in its container: by name, and the snapshots of a name, oldest first, before the blob itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    name: Arc<str>,
    at: At,
}

impl Key {
    /// Before every state of a name.
    fn first(name: &str) -> Key {
        Key { name: name.into(), at: At::Kept(Timestamp::default(), Kept::Snapshot) }
    }
}

/// Which state of a name. Those that were kept come in the order of their times, and before the blob as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// As it was at a moment.
    Kept(Timestamp, Kept),
    /// As it is.
    Base,
}

impl At {
    /// The moment by which a listing orders it: the blob as it is comes last.
    pub fn time(self) -> Timestamp {
        match self {
            At::Kept(time, _) => time,
            At::Base => Timestamp::NEVER,
        }
    }
}

/// Why an earlier state of a name is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Somebody took a snapshot.
    Snapshot,
    /// The account keeps versions, and the blob was written to or deleted.
    Version,
}

/// A blob: what is said of it, and its content. It never changes; a write makes another.
#[derive(Clone, Debug)]
pub struct Blob {
    /// When it was put, or its block list: overwriting a blob makes a new one.
    pub created: Timestamp,
    /// When this state was made: its Last-Modified and, in ticks, its entity tag.
    pub stamp: Timestamp,
    /// Its bytes, and what its type keeps beside them.
    pub body: Body,
    /// What a reader is told of the content.
    pub headers: ContentHeaders,
    /// Its metadata.
    pub metadata: Metadata,
    /// Its index tags.
    pub tags: Tags,
    /// The tier that it was given; none: the account's own, Hot.
    pub tier: Option<Placed>,
    /// With what it is encrypted.
    pub encryption: Encryption,
    /// Where it was copied from, if it was.
    pub copy: Option<Arc<Copied>>,
    /// Its version id, where the account keeps versions.
    pub version: Option<Timestamp>,
    /// When it was deleted, if it was, and only its retention keeps it.
    pub deleted: Option<Deletion>,
    lease: Lease,
}

impl Blob {
    /// Its entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.stamp)
    }

    /// Its lease.
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// Whether it is there: neither deleted nor gone.
    pub fn is_live(&self) -> bool {
        self.deleted.is_none()
    }

    /// Checks that it is not in the archive, where it is neither read nor changed. Its tags and its tier are, and a new blob may take
    /// its place (recorded).
    ///
    /// # Errors
    /// 409 BlobArchived.
    pub fn check_online(&self, now: Timestamp) -> Result<(), Fault> {
        match self.tier.map(|placed| placed.seen(now).tier) {
            Some(Tier::Archive) => Err(Code::BlobArchived.into()),
            _ => Ok(()),
        }
    }
}

/// Blocks that were put and not yet committed.
#[derive(Clone, Debug)]
struct Staged {
    touched: Timestamp,
    blocks: OrdMap<BlockId, Aside>,
}

/// A block that was put and not yet committed.
#[derive(Clone, Debug)]
pub struct Aside {
    /// Its bytes.
    pub content: Content,
    /// With what it is encrypted.
    pub encryption: Encryption,
}

/// A blob that the rules let this call touch. Only [`Container::admit`] makes one.
#[derive(Debug)]
pub struct Admitted {
    key: Key,
    blob: Arc<Blob>,
}

impl Deref for Admitted {
    type Target = Blob;

    fn deref(&self) -> &Blob {
        &self.blob
    }
}

/// A name that the rules let this call write to, whether or not a blob stands there. Only [`Container::claim`] makes one.
#[derive(Debug)]
pub struct Claimed {
    name: Arc<str>,
    stands: Option<Arc<Blob>>,
    encryption: Encryption,
}

impl Admitted {
    /// Which state of its name it is.
    pub fn at(&self) -> At {
        self.key.at
    }
}

impl Claimed {
    /// With what a blob written there now is encrypted.
    pub fn encryption(&self) -> &Encryption {
        &self.encryption
    }

    /// Checks that blocks can go there: nothing stands there, or a block blob.
    ///
    /// # Errors
    /// 409 InvalidBlobType.
    pub fn check_block_blob(&self) -> Result<(), Fault> {
        match self.stands().map(|blob| &blob.body) {
            None | Some(Body::Block { .. }) => Ok(()),
            Some(Body::Append { .. } | Body::Page { .. }) => Err(Code::InvalidBlobType.into()),
        }
    }

    /// The blob that stands there now.
    pub fn stands(&self) -> Option<&Blob> {
        self.stands.as_deref()
    }
}

impl Container {
    /// An empty container.
    pub fn new(now: Timestamp, metadata: Metadata, access: PublicAccess, encryption: Preset) -> Container {
        Container {
            about: About { stamp: now, metadata, access, encryption, policies: Arc::default() },
            lease: Lease::default(),
            blobs: OrdMap::new(),
            staged: OrdMap::new(),
            latest: now,
        }
    }

    /// What is said of the container. Reading it needs no admission: the door asks it before it lets anybody in.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The container's lease.
    pub fn lease(&self) -> Lease {
        self.lease
    }

    /// The container's entity tag.
    pub fn etag(&self) -> ETag {
        ETag::of(self.about.stamp)
    }

    /// Checks that this call may touch the container itself: its conditions and its lease.
    ///
    /// # Errors
    /// 412 or 304 for an unmet condition, 412 for the lease.
    pub fn admit_self(&self, call: &Call) -> Result<(), Fault> {
        let none = Tags::default();
        let stored = Stored { etag: self.etag(), modified: self.about.stamp, tags: &none };
        condition::holds(&call.conditions()?, call.row.accepts, Some(&stored), call.version)?;
        lease::admit(self.lease, call.row.lease, call.lease_id()?, Subject::Container, call.now)
    }

    /// Changes what is said of the container, and its stamp with it.
    pub fn revise(&mut self, now: Timestamp, change: impl FnOnce(&mut About)) {
        change(&mut self.about);
        self.about.stamp = self.stamp(now);
    }

    /// Takes the container's lease one step on.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step.
    pub fn step_lease(&mut self, ask: lease::Ask, now: Timestamp) -> Result<Lease, Fault> {
        self.lease = lease::step(self.lease, ask, Subject::Container, now)?;
        Ok(self.lease)
    }

    /// The blob that the call names, once every check that its row declares is passed.
    ///
    /// # Errors
    /// 404 BlobNotFound; 412 or 304 for an unmet condition; 412 for the lease.
    pub fn admit(&self, call: &Call) -> Result<Admitted, Fault> {
        let asked = call.encryption()?.in_container(&self.about.encryption)?;
        let (key, blob) = self.find(call.blob(), asked_state(call)?)?;
        check(&blob, call, key.at)?;
        blob.check_settled(call.row, key.at)?;
        if call.row.takes("x-ms-encryption-key") {
            match call.row.accepts {
                condition::Accepts::Read => blob.encryption.admits_reader(&call.encryption()?)?,
                _ => blob.encryption.admits_writer(&asked)?,
            }
        }
        Ok(Admitted { key, blob })
    }

    /// The name that the call means to write to, once every check that its row declares is passed.
    ///
    /// # Errors
    /// 412 for an unmet condition or the lease, 409 BlobAlreadyExists for `If-None-Match: *`, 403 where the caller may create but not
    /// overwrite; 400 for a snapshot, which nobody can write to; 409 for a blob that a copy is making.
    pub fn claim(&self, call: &Call) -> Result<Claimed, Fault> {
        let claimed = self.claim_any(call)?;
        claimed.check_settled(call.row)?;
        Ok(claimed)
    }

    /// [`Container::claim`], whatever copies have to do with what stands there.
    fn claim_any(&self, call: &Call) -> Result<Claimed, Fault> {
        asked_state(call)?;
        let key = Key { name: call.blob().into(), at: At::Base };
        let encryption = call.encryption()?.in_container(&self.about.encryption)?;
        let stands = self.blobs.get(&key).filter(|blob| blob.is_live()).cloned();
        match &stands {
            Some(blob) => {
                if call.row.accepts == condition::Accepts::Create && !call.grant.may_overwrite() {
                    return Err(Code::UnauthorizedBlobOverwrite.into());
                }
                check(blob, call, At::Base)?;
            }
            None => {
                condition::holds(&call.conditions()?, call.row.accepts, None, call.version)?;
                lease::admit(Lease::default(), call.row.lease, call.lease_id()?, Subject::Blob, call.now)?;
            }
        }
        Ok(Claimed { name: key.name, stands, encryption })
    }

    /// The blob that a copy is made from. The door has let its reader in; the copy's own conditions are the copier's to check.
    ///
    /// # Errors
    /// 404 BlobNotFound.
    pub fn source(&self, source: &Source) -> Result<Arc<Blob>, Fault> {
        let at = state_named(source.snapshot.as_deref(), source.version_id.as_deref())?;
        let (key, blob) = self.find(&source.target.blob, at)?;
        blob.check_content(key.at)?;
        Ok(blob)
    }

    /// A state of a name that is there. The version id of the blob as it is names the blob as it is.
    fn find(&self, name: &str, at: At) -> Result<(Key, Arc<Blob>), Fault> {
        let get = |at| {
            let key = Key { name: name.into(), at };
            let blob = self.blobs.get(&key).filter(|blob| blob.is_live())?.clone();
            Some((key, blob))
        };
        let current = || match at {
            At::Kept(id, Kept::Version) => get(At::Base).filter(|(_, blob)| blob.version == Some(id)),
            _ => None,
        };
        Ok(get(at).or_else(current).ok_or(Code::BlobNotFound)?)
    }

    /// The snapshot that `prevsnapshot` names, of the blob that the call names, and when it was taken.
    ///
    /// # Errors
    /// 400 for what is no moment, or later than the snapshot that the call asks about; 409 PreviousSnapshotNotFound.
    pub fn snapshot_before(&self, call: &Call, previous: &str) -> Result<(Timestamp, Arc<Blob>), Fault> {
        let taken = Timestamp::parse_iso(previous).ok_or_else(|| Fault::query("prevsnapshot", previous, MALFORMED_TIME))?;
        let at = At::Kept(taken, Kept::Snapshot);
        if asked_state(call)? < at {
            return Err(Code::PreviousSnapshotCannotBeNewer.into());
        }
        let (_, earlier) = self.find(call.blob(), at).map_err(|_| Code::PreviousSnapshotNotFound)?;
        Ok((taken, earlier))
    }

    /// Writes a new blob to a claimed name. Its lease stays; what stood there is kept as the account keeps things, its uncommitted
    /// blocks are gone.
    pub fn create(&mut self, claimed: Claimed, now: Timestamp, keeping: Keeping, make: impl FnOnce(New) -> Blob) -> Arc<Blob> {
        self.displace(&claimed.name, now, keeping);
        let stamp = self.stamp(now);
        let lease = claimed.stands.as_ref().map_or(Lease::default(), |blob| lease::after_write(blob.lease, now));
        let version = keeping.versions.then_some(stamp);
        let blob = Arc::new(make(New { stamp, lease, encryption: claimed.encryption, version }));
        self.staged.remove(&claimed.name);
        self.blobs.insert(Key { name: claimed.name, at: At::Base }, blob.clone());
        blob
    }

    /// Changes an admitted blob, and its stamp with it, which the change may read.
    pub fn replace(&mut self, admitted: Admitted, now: Timestamp, change: impl FnOnce(&mut Blob)) -> Arc<Blob> {
        let mut blob = Blob { stamp: self.stamp(now), ..Blob::clone(&admitted.blob) };
        change(&mut blob);
        blob.lease = lease::after_write(blob.lease, now);
        self.keep(admitted.key, blob)
    }

    /// Changes what is beside an admitted blob's content: tags, tier. Its stamp stays, and its entity tag.
    pub fn amend(&mut self, admitted: Admitted, change: impl FnOnce(&mut Blob)) -> Arc<Blob> {
        let mut blob = Blob::clone(&admitted.blob);
        change(&mut blob);
        self.keep(admitted.key, blob)
    }

    /// Takes an admitted blob's lease one step on. Neither its stamp nor its entity tag changes.
    ///
    /// # Errors
    /// 409 when the lease does not allow the step.
    pub fn step_blob_lease(&mut self, admitted: Admitted, ask: lease::Ask, now: Timestamp) -> Result<Arc<Blob>, Fault> {
        let next = lease::step(admitted.blob.lease, ask, Subject::Blob, now)?;
        Ok(self.amend(admitted, |blob| blob.lease = next))
    }

    /// Keeps a block for a claimed name until it is committed.
    ///
    /// # Errors
    /// 400 InvalidBlobOrBlock when its id is not as long as those already there; 409 BlockCountExceedsLimit.
    pub fn stage(&mut self, claimed: Claimed, id: BlockId, content: Content, now: Timestamp) -> Result<(), Fault> {
        let mut blocks = self.waiting(&claimed.name, now).map(|staged| staged.blocks.clone()).unwrap_or_default();
        let mut others =
            blocks.keys().chain(claimed.stands.iter().flat_map(|blob| blob.body.blocks().iter().map(|block| &block.id)));
        id.check_length(others.next())?;
        if !blocks.contains_key(&id) {
            blocks::check_room(blocks.len())?;
        }
        blocks.insert(id, Aside { content, encryption: claimed.encryption });
        self.staged.insert(claimed.name, Arc::new(Staged { touched: now, blocks }));
        Ok(())
    }

    /// An uncommitted block of a claimed name.
    pub fn staged_block(&self, claimed: &Claimed, id: &BlockId, now: Timestamp) -> Option<Aside> {
        self.waiting(&claimed.name, now)?.blocks.get(id).cloned()
    }

    /// The committed and the uncommitted blocks of the name that the call asks about.
    ///
    /// # Errors
    /// As [`Container::admit`]; 404 BlobNotFound when there are neither.
    pub fn block_lists(&self, call: &Call) -> Result<BlockLists, Fault> {
        let waiting: Vec<_> = self
            .waiting(call.blob(), call.now)
            .filter(|_| asked_state(call) == Ok(At::Base))
            .map(|staged| staged.blocks.iter().map(|(id, block)| (id.clone(), block.content.len())).collect())
            .unwrap_or_default();
        match self.admit(call) {
            Ok(admitted) => Ok(BlockLists { blob: Some(admitted), waiting }),
            Err(fault) if fault.code() == Code::BlobNotFound && !waiting.is_empty() => Ok(BlockLists { blob: None, waiting }),
            Err(fault) => Err(fault),
        }
    }

    /// The blobs from a name on, in order: what a listing reads. With `uncommitted`, names that only have blocks come too.
    pub fn list_from<'a>(
        &'a self,
        from: &str,
        uncommitted: Option<Timestamp>,
    ) -> impl Iterator<Item = (&'a str, Listed<'a>)> + use<'a> {
        let first = Key::first(from);
        let mut blobs = self.blobs.range(first..).map(|(key, blob)| (&*key.name, Listed::Blob(key.at, blob))).peekable();
        let staged =
            uncommitted.map(|now| self.staged.range(Arc::<str>::from(from)..).filter(move |(_, staged)| staged.lives(now)));
        let mut staged = staged.into_iter().flatten().map(|(name, _)| &**name).peekable();
        std::iter::from_fn(move || {
            loop {
                return match (blobs.peek(), staged.peek()) {
                    (Some((blob, _)), Some(waiting)) if blob == waiting => {
                        staged.next();
                        continue;
                    }
                    (Some((blob, _)), Some(waiting)) if waiting < blob => staged.next().map(|name| (name, Listed::Uncommitted)),
                    (None, Some(_)) => staged.next().map(|name| (name, Listed::Uncommitted)),
                    _ => blobs.next(),
                };
            }
        })
    }

    fn waiting(&self, name: &str, now: Timestamp) -> Option<&Staged> {
        self.staged.get(name).map(Arc::as_ref).filter(|staged| staged.lives(now))
    }

    fn keep(&mut self, key: Key, blob: Blob) -> Arc<Blob> {
        let blob = Arc::new(blob);
        self.blobs.insert(key, blob.clone());
        blob
    }

    /// A stamp later than every other of the container: now, unless something was written in this very tick.
    fn stamp(&mut self, now: Timestamp) -> Timestamp {
        self.latest = now.max(self.latest.next());
        self.latest
    }
}

impl Staged {
    fn lives(&self, now: Timestamp) -> bool {
        now < self.touched.after_seconds(blocks::UNCOMMITTED_SECONDS)
    }
}

/// What Delete Blob does with a blob's snapshots (`x-ms-delete-snapshots`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Snapshots {
    /// They go with it.
    Include,
    /// They go, and the blob stays.
    Only,
}

/// The blocks of a name: those that make the blob, and those that wait to.
#[derive(Debug)]
pub struct BlockLists {
    /// The blob, if there is one.
    pub blob: Option<Admitted>,
    /// The uncommitted blocks in order of their ids, and their sizes in bytes.
    pub waiting: Vec<(BlockId, u64)>,
}

/// What a listing meets.
#[derive(Clone, Copy, Debug)]
pub enum Listed<'a> {
    /// A blob, or an earlier state of it; deleted ones too.
    Blob(At, &'a Arc<Blob>),
    /// A name that has uncommitted blocks and no blob yet.
    Uncommitted,
}

/// What [`Container::create`] decides for a new blob.
#[derive(Clone, Debug)]
pub struct New {
    stamp: Timestamp,
    lease: Lease,
    encryption: Encryption,
    version: Option<Timestamp>,
}

impl New {
    /// The blob, with everything else absent.
    pub fn blob(self, body: Body, headers: ContentHeaders) -> Blob {
        Blob {
            created: self.stamp,
            stamp: self.stamp,
            body,
            headers,
            metadata: Metadata::default(),
            tags: Tags::default(),
            tier: None,
            encryption: self.encryption,
            copy: None,
            version: self.version,
            deleted: None,
            lease: self.lease,
        }
    }
}

/// The state of a name that the call asks for: `snapshot=`, `versionid=`, or the blob as it is, which alone can be written to.
fn asked_state(call: &Call) -> Result<At, Fault> {
    for name in ["snapshot", "versionid"] {
        let text = call.query.get(name).unwrap_or_default();
        if !text.is_empty() && !call.row.takes(name) {
            return Err(Fault::query(name, text, "This operation is not for a snapshot or a version."));
        }
    }
    state_named(call.query.get("snapshot"), call.query.get("versionid"))
}

fn state_named(snapshot: Option<&str>, version: Option<&str>) -> Result<At, Fault> {
    let time = |name: &'static str, text: Option<&str>| {
        let read = |text| Timestamp::parse_iso(text).ok_or_else(|| Fault::query(name, text, MALFORMED_TIME));
        text.filter(|text| !text.is_empty()).map(read).transpose()
    };
    match (time("snapshot", snapshot)?, time("versionid", version)?) {
        (Some(_), Some(_)) => Err(Code::MutuallyExclusiveQueryParameters.into()),
        (Some(taken), None) => Ok(At::Kept(taken, Kept::Snapshot)),
        (None, Some(id)) => Ok(At::Kept(id, Kept::Version)),
        (None, None) => Ok(At::Base),
    }
}

/// What is said of a time that is none.
const MALFORMED_TIME: &str = "Must be in the specific snapshot date time format.";

/// The checks that a row declares, in the service's order.
fn check(blob: &Blob, call: &Call, at: At) -> Result<(), Fault> {
    let stored = Stored { etag: blob.etag(), modified: blob.stamp, tags: &blob.tags };
    let (shown, want) = (call.lease_id()?, call.conditions()?);
    let guard = if at == At::Base { call.row.lease } else { Guard::None };
    let leased = || lease::admit(blob.lease, guard, shown, Subject::Blob, call.now);
    let holds = |want| condition::holds(want, call.row.accepts, Some(&stored), call.version);
    if call.row.accepts != condition::Accepts::Create {
        holds(&want)?;
        return leased();
    }
    // Recorded: who creates over a leased blob is asked for the lease first, and may then ignore `If-None-Match: *`.
    leased()?;
    holds(&if shown.is_some() { want.for_leaseholder() } else { want })
}
