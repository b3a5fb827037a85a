//! The only way to the blobs of a container: the checks that the operation declares.

use crate::operation::{EncryptionCheck, Request, Source};
use crate::rules::blob::tags::Tags;
use crate::rules::blob::version_selector::{VersionKind, VersionSelector};
use crate::rules::conditions::CurrentState;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access::Action;
use crate::rules::lake::path::{Namespace, Path};
use crate::rules::lease::{LeaseCheck, LeasedResource};
use crate::rules::time::Timestamp;
use crate::rules::{conditions, lease};
use crate::services::blob::body::Body;
use crate::services::blob::path_properties::NewPath;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::Container;
use crate::services::blob::state::key::{BlobKey, Place};
use std::ops::Deref;
use std::sync::Arc;

/// A blob that passed the checks of the request's operation. Only [`Container::admit`] makes one.
#[derive(Debug)]
pub struct Admitted {
    pub(super) key: BlobKey,
    pub(super) blob: Arc<Blob>,
}

impl Deref for Admitted {
    type Target = Blob;

    fn deref(&self) -> &Blob {
        &self.blob
    }
}

/// A name that passed the checks of the request's operation, whether or not it has a blob. Only [`Container::claim`] makes one.
#[derive(Debug)]
pub struct Claimed {
    pub(super) name: Arc<str>,
    pub(super) place: Option<Place>,
    pub(super) current: Option<Arc<Blob>>,
    pub(super) encryption: Encryption,
    /// The new path in a hierarchical namespace.
    pub(super) path: NewPath,
}

impl Admitted {
    /// The state of its name that it is.
    pub fn at(&self) -> VersionSelector {
        self.key.at
    }
}

impl Claimed {
    /// The encryption of a blob that the request writes there.
    pub fn encryption(&self) -> &Encryption {
        &self.encryption
    }

    /// Checks that blocks can be put there: there is no blob, or a block blob.
    ///
    /// # Errors
    /// 409 InvalidBlobType; 409 BlobOperationNotSupported for a file with content of Data Lake.
    pub fn check_block_blob(&self) -> Result<(), StorageError> {
        if let Some((blob, path)) = self.current().and_then(|blob| Some((blob, blob.path.as_ref()?))) {
            path.written_by.admits_blocks(blob.body.len())?;
        }
        match self.current().map(|blob| &blob.body) {
            None | Some(Body::Block { .. }) => Ok(()),
            Some(Body::Append { .. } | Body::Page { .. }) => Err(ErrorCode::InvalidBlobType.into()),
        }
    }

    /// Checks that a copy with this body can replace the blob: there is none, or one of the same type.
    ///
    /// # Errors
    /// 409 InvalidBlobType.
    pub fn check_type(&self, body: &Body) -> Result<(), StorageError> {
        match self.current().is_some_and(|blob| blob.body.type_name() != body.type_name()) {
            true => Err(ErrorCode::InvalidBlobType.into()),
            false => Ok(()),
        }
    }

    /// The blob that exists there now.
    pub fn current(&self) -> Option<&Blob> {
        self.current.as_deref()
    }
}

impl Container {
    /// Checks the conditions of the request and the lease of the container.
    ///
    /// # Errors
    /// 412 or 304 for a failed condition, 412 for the lease.
    pub fn check_container(&self, request: &Request) -> Result<(), StorageError> {
        let none = Tags::default();
        let stored = CurrentState { etag: self.etag(), modified: self.properties.last_modified, tags: &none };
        conditions::check(&request.conditions, request.spec.conditions, Some(&stored), request.version)?;
        lease::check(self.lease, request.spec.lease, request.lease_id, LeasedResource::Container, request.now)
    }

    /// The blob that the request names, after every check that its operation declares.
    ///
    /// # Errors
    /// 404 BlobNotFound; 412 or 304 for a failed condition; 412 for the lease.
    pub fn admit(&self, request: &Request) -> Result<Admitted, StorageError> {
        let encryption = request.encryption.clone().in_container(&self.properties.encryption)?;
        let Admitted { key, blob } = self.admit_unsettled(request)?;
        blob.check_settled(request.spec, key.at)?;
        match request.spec.encryption {
            EncryptionCheck::None => {}
            EncryptionCheck::Read => blob.encryption.admits_reader(&request.encryption)?,
            EncryptionCheck::Write => blob.encryption.admits_writer(&encryption)?,
            EncryptionCheck::IfPresent if request.encryption == Encryption::Service => {}
            EncryptionCheck::IfPresent => blob.encryption.admits_writer(&request.encryption)?,
        }
        Ok(Admitted { key, blob })
    }

    /// As [`Container::admit`], also for the destination of a pending copy, and without a check of the encryption.
    pub(super) fn admit_unsettled(&self, request: &Request) -> Result<Admitted, StorageError> {
        let (name, version) = request.target.blob()?;
        self.check_request_access(request, true)?;
        let (key, blob) = self.find(name, version, request.now)?;
        check(&blob, request, key.at)?;
        Ok(Admitted { key, blob })
    }

    /// The retained snapshot or version that the request names, after every check that its operation declares.
    ///
    /// # Errors
    /// 409 BlobSnapshotNotSoftDeleted if it is not deleted, BlobOperationNotSupported for the blob itself; 404 BlobNotFound; those
    /// of [`Container::admit`].
    pub fn admit_deleted(&self, request: &Request) -> Result<Admitted, StorageError> {
        let (name, at) = request.target.blob()?;
        if at == VersionSelector::Base {
            return Err(ErrorCode::BlobOperationNotSupported.into());
        }
        if self.find(name, at, request.now).is_ok() {
            return Err(ErrorCode::BlobSnapshotNotSoftDeleted.into());
        }
        let key = BlobKey { place: self.place(name, request.now)?, at };
        let blob = self.blobs.get(&key).filter(|blob| blob.is_retained(request.now)).ok_or(ErrorCode::BlobNotFound)?.clone();
        check(&blob, request, key.at)?;
        Ok(Admitted { key, blob })
    }

    /// The name that the request writes to, after every check that its operation declares.
    ///
    /// # Errors
    /// 412 for a failed condition or the lease, 409 BlobAlreadyExists for `If-None-Match: *`, 403 where the caller may create but not
    /// overwrite; 400 for a snapshot, which is read-only; 409 for the destination of a pending copy.
    pub fn claim(&self, request: &Request) -> Result<Claimed, StorageError> {
        let claimed = self.claim_path(request)?;
        // No source has the code of the service.
        match claimed.current().is_some_and(|current| current.directory().is_some()) {
            true => Err(ErrorCode::ResourceTypeMismatch.into()),
            false => Ok(claimed),
        }
    }

    /// As [`Container::claim`], for Put Blob, which in a hierarchical namespace makes a directory of an empty blob that is marked as one.
    ///
    /// # Errors
    /// As [`Container::claim`].
    pub fn claim_new(&self, request: &Request, makes_directory: bool) -> Result<Claimed, StorageError> {
        if !self.is_hierarchical() || !makes_directory {
            return self.claim(request);
        }
        let claimed = self.claim_path(request)?;
        match claimed.current().is_some_and(|current| current.directory().is_none()) {
            true => Err(ErrorCode::ResourceTypeMismatch.into()),
            false => Ok(Claimed { path: claimed.path.parent(), ..claimed }),
        }
    }

    /// As [`Container::claim`], also for a directory.
    pub(super) fn claim_path(&self, request: &Request) -> Result<Claimed, StorageError> {
        let claimed = self.claim_any(request)?;
        claimed.check_settled(request.spec)?;
        Ok(claimed)
    }

    /// As [`Container::claim`], also for the destination of a pending or incremental copy.
    pub(super) fn claim_any(&self, request: &Request) -> Result<Claimed, StorageError> {
        let claimed = self.claim_unchecked(request)?;
        match claimed.current() {
            Some(blob) => check(blob, request, VersionSelector::Base)?,
            None => {
                conditions::check(&request.conditions, request.spec.conditions, None, request.version)?;
                let lease = self.lease_at(claimed.place.as_ref(), None, request.now);
                lease::check(lease, request.spec.lease, request.lease_id, LeasedResource::Blob, request.now)?;
            }
        }
        Ok(claimed)
    }

    /// The name that the request writes to, after the checks of access, and without those of conditions and leases.
    ///
    /// # Errors
    /// 403 where the caller may create but not overwrite, or an access control list refuses it; 409 PathConflict below a file; 400 for a
    /// name that a hierarchical namespace cannot have.
    pub(super) fn claim_unchecked(&self, request: &Request) -> Result<Claimed, StorageError> {
        let name: Arc<str> = request.target.blob()?.0.into();
        let encryption = request.encryption.clone().in_container(&self.properties.encryption)?;
        let place = match self.is_hierarchical() {
            true => {
                Path::parse(&name, Namespace::Hierarchical)?;
                self.place_to_write(&name, request.now)?
            }
            false => Some(Place::flat(name.clone())),
        };
        let current = place.as_ref().and_then(|place| self.current(place, request.now)).cloned();
        self.check_request_access(request, current.is_some())?;
        if current.is_some() && request.spec.conditions.may_create() && !request.authorization.may_overwrite() {
            return Err(ErrorCode::UnauthorizedBlobOverwrite.into());
        }
        let path = NewPath::by(&request.principal);
        Ok(Claimed { name, place, current, encryption, path })
    }

    /// The source of a copy. The caller is authorized to read it; the operation checks the conditions on it.
    ///
    /// # Errors
    /// 404 BlobNotFound; 409 for the destination of a pending copy.
    pub fn source(&self, source: &Source, now: Timestamp) -> Result<Arc<Blob>, StorageError> {
        let (name, version) = source.target.blob()?;
        self.check_access(&source.principal, Action::Read, name, now)?;
        let (key, blob) = self.find(name, version, now)?;
        blob.check_content(key.at)?;
        Ok(blob)
    }

    /// A state that exists. The version id of the current blob names the current blob.
    pub(super) fn find(&self, name: &str, at: VersionSelector, now: Timestamp) -> Result<(BlobKey, Arc<Blob>), StorageError> {
        let place = self.place(name, now)?;
        let get = |at| {
            let key = BlobKey { place: place.clone(), at };
            let blob = self.blobs.get(&key).filter(|blob| blob.is_live(now))?.clone();
            Some((key, blob))
        };
        let current = || match at {
            VersionSelector::Earlier(id, VersionKind::Version) => {
                get(VersionSelector::Base).filter(|(_, blob)| blob.version == Some(id))
            }
            _ => None,
        };
        Ok(get(at).or_else(current).ok_or(ErrorCode::BlobNotFound)?)
    }

    /// The earlier snapshot of the request's blob that was taken at this time, and the time.
    ///
    /// # Errors
    /// 400 for a snapshot that is newer than the one that the request names; 409 PreviousSnapshotNotFound.
    pub fn snapshot_before(&self, request: &Request, taken: Timestamp) -> Result<(Timestamp, Arc<Blob>), StorageError> {
        let at = VersionSelector::Earlier(taken, VersionKind::Snapshot);
        let (name, version) = request.target.blob()?;
        if version < at {
            return Err(ErrorCode::PreviousSnapshotCannotBeNewer.into());
        }
        let (_, earlier) = self.find(name, at, request.now).map_err(|_| ErrorCode::PreviousSnapshotNotFound)?;
        Ok((taken, earlier))
    }
}

/// Makes the checks that the operation of a request declares, in the service's order.
pub(super) fn check(blob: &Blob, request: &Request, at: VersionSelector) -> Result<(), StorageError> {
    let stored = CurrentState { etag: blob.etag(), modified: blob.last_modified, tags: &blob.tags };
    let (lease_id, conditions) = (request.lease_id, request.conditions.clone());
    let lease_check = if at == VersionSelector::Base { request.spec.lease } else { LeaseCheck::None };
    let check_lease = || lease::check(blob.lease, lease_check, lease_id, LeasedResource::Blob, request.now);
    let check_conditions = |conditions| conditions::check(conditions, request.spec.conditions, Some(&stored), request.version);
    if !request.spec.conditions.may_create() {
        check_conditions(&conditions)?;
        return check_lease();
    }
    // The service checks the lease of a blob that is overwritten first, and then ignores `If-None-Match: *` (recorded).
    check_lease()?;
    check_conditions(&if lease_id.is_some() { conditions.without_if_none_match_any() } else { conditions })
}
