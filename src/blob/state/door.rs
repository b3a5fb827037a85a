//! The one door to what a container holds: nobody gets at a blob but through the checks that the operation's row declares.

use super::super::body::Body;
use super::blob::Blob;

use super::{At, Container, Kept, Key};
use crate::op::{Call, Source};
use crate::rules::{
    condition::{self, Stored},
    encryption::Encryption,
    fault::{Code, Fault},
    lease::{self, Guard, Subject},
    tags::Tags,
    time::Timestamp,
};
use std::ops::Deref;
use std::sync::Arc;

/// A blob that the rules let this call touch. Only [`Container::admit`] makes one.
#[derive(Debug)]
pub struct Admitted {
    pub(super) key: Key,
    pub(super) blob: Arc<Blob>,
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
    pub(super) name: Arc<str>,
    pub(super) stands: Option<Arc<Blob>>,
    pub(super) encryption: Encryption,
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

    /// The blob that the call names, once every check that its row declares is passed.
    ///
    /// # Errors
    /// 404 BlobNotFound; 412 or 304 for an unmet condition; 412 for the lease.
    pub fn admit(&self, call: &Call) -> Result<Admitted, Fault> {
        let asked = call.encryption()?.in_container(&self.about.encryption)?;
        let (key, blob) = self.find(call.blob(), asked_state(call)?, call.now)?;
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

    /// The snapshot or version that the call names, deleted and still kept, once every check that its row declares is passed.
    ///
    /// # Errors
    /// 409 BlobSnapshotNotSoftDeleted for what is not deleted, BlobOperationNotSupported for the blob itself; 404 BlobNotFound; those
    /// of [`Container::admit`].
    pub fn admit_deleted(&self, call: &Call) -> Result<Admitted, Fault> {
        let key = Key { name: call.blob().into(), at: asked_state(call)? };
        if key.at == At::Base {
            return Err(Code::BlobOperationNotSupported.into());
        }
        if self.find(call.blob(), key.at, call.now).is_ok() {
            return Err(Code::BlobSnapshotNotSoftDeleted.into());
        }
        let blob = self.blobs.get(&key).filter(|blob| blob.is_kept(call.now)).ok_or(Code::BlobNotFound)?.clone();
        check(&blob, call, key.at)?;
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
    pub(super) fn claim_any(&self, call: &Call) -> Result<Claimed, Fault> {
        asked_state(call)?;
        let key = Key { name: call.blob().into(), at: At::Base };
        let encryption = call.encryption()?.in_container(&self.about.encryption)?;
        let stands = self.blobs.get(&key).filter(|blob| blob.is_live(call.now)).cloned();
        match &stands {
            Some(blob) => {
                if call.row.accepts.creates() && !call.grant.may_overwrite() {
                    return Err(Code::UnauthorizedBlobOverwrite.into());
                }
                check(blob, call, At::Base)?;
            }
            None => {
                condition::holds(&call.conditions()?, call.row.accepts, None, call.version)?;
                let lease = self.lease_at(call.blob(), None, call.now);
                lease::admit(lease, call.row.lease, call.lease_id()?, Subject::Blob, call.now)?;
            }
        }
        Ok(Claimed { name: key.name, stands, encryption })
    }

    /// The blob that a copy is made from. The door has let its reader in; the copy's own conditions are the copier's to check.
    ///
    /// # Errors
    /// 404 BlobNotFound; 409 for a blob that a copy is making.
    pub fn source(&self, source: &Source, now: Timestamp) -> Result<Arc<Blob>, Fault> {
        let at = state_named(source.snapshot.as_deref(), source.version_id.as_deref())?;
        let (key, blob) = self.find(&source.target.blob, at, now)?;
        blob.check_content(key.at)?;
        Ok(blob)
    }

    /// A state of a name that is there. The version id of the blob as it is names the blob as it is.
    pub(super) fn find(&self, name: &str, at: At, now: Timestamp) -> Result<(Key, Arc<Blob>), Fault> {
        let get = |at| {
            let key = Key { name: name.into(), at };
            let blob = self.blobs.get(&key).filter(|blob| blob.is_live(now))?.clone();
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
        let (_, earlier) = self.find(call.blob(), at, call.now).map_err(|_| Code::PreviousSnapshotNotFound)?;
        Ok((taken, earlier))
    }
}

/// The state of a name that the call asks for: `snapshot=`, `versionid=`, or the blob as it is, which alone can be written to.
pub(super) fn asked_state(call: &Call) -> Result<At, Fault> {
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
pub(super) fn check(blob: &Blob, call: &Call, at: At) -> Result<(), Fault> {
    let stored = Stored { etag: blob.etag(), modified: blob.stamp, tags: &blob.tags };
    let (shown, want) = (call.lease_id()?, call.conditions()?);
    let guard = if at == At::Base { call.row.lease } else { Guard::None };
    let leased = || lease::admit(blob.lease, guard, shown, Subject::Blob, call.now);
    let holds = |want| condition::holds(want, call.row.accepts, Some(&stored), call.version);
    if !call.row.accepts.creates() {
        holds(&want)?;
        return leased();
    }
    // Recorded: who creates over a leased blob is asked for the lease first, and may then ignore `If-None-Match: *`.
    leased()?;
    holds(&if shown.is_some() { want.without_any() } else { want })
}
