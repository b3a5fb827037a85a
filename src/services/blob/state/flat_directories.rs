//! Directories of a flat namespace, which the names of blobs imply. They are deleted and renamed blob by blob.

use crate::operation::Request;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::encryption::Encryption;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::conditions::check_created;
use crate::rules::lake::error::directory_not_empty;
use crate::rules::lake::path::PathKind;
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::lease::{self, Lease, LeaseCheck, LeasedResource};
use crate::rules::metadata::Metadata;
use crate::rules::names;
use crate::rules::retention::RetentionPolicy;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::state::admission::Admitted;
use crate::services::blob::state::blob::{Blob, NewBlob};
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Place};
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::content::Content;
use std::sync::Arc;

/// A blob of a flat namespace, removed from its place, and the place that it moves to.
pub(super) struct MovedBlob {
    to: Place,
    blob: Arc<Blob>,
    uncommitted: Option<Arc<UncommittedBlocks>>,
}

impl Container {
    /// Deletes a blob of a flat namespace, or all blobs of a directory that their names imply, each as a deletion of its own would.
    pub(super) fn delete_flat(
        &mut self,
        request: &Request,
        recursive: bool,
        retention: RetentionPolicy,
    ) -> Result<(), StorageError> {
        let (name, _) = request.target.blob()?;
        let below = self.flat_below(name, request.now);
        let own = match self.admit(request) {
            Ok(admitted) => Some(admitted),
            Err(error) if error.code() != ErrorCode::BlobNotFound || below.is_empty() => return Err(error),
            Err(_) => {
                check_created(&request.conditions)?;
                None
            }
        };
        let is_file = own.as_ref().is_some_and(|own| own.path_kind() == PathKind::File);
        if !is_file && !recursive && !below.is_empty() {
            return Err(directory_not_empty());
        }
        for admitted in below.into_iter().filter(|_| !is_file) {
            lease::check(admitted.lease, LeaseCheck::Required, None, LeasedResource::Blob, request.now)?;
            self.remove(&admitted, None, false, request.now, retention)?;
        }
        own.map_or(Ok(()), |own| self.remove(&own, None, false, request.now, retention).map(drop))?;
        self.sweep(request.now);
        Ok(())
    }

    /// The blobs of a flat namespace whose names are below that of a directory.
    pub(super) fn flat_below(&self, directory: &str, now: Timestamp) -> Vec<Admitted> {
        let prefix = format!("{directory}/");
        let range = self.blobs.range(BlobKey::first(Place::flat(prefix.as_str()))..);
        let below = range.take_while(|(key, _)| key.place.as_str().starts_with(&prefix));
        let current = below.filter(|(key, blob)| key.at == VersionSelector::Base && blob.is_live(now));
        current.map(|(key, blob)| Admitted { key: key.clone(), blob: blob.clone() }).collect()
    }

    /// The moves of the blobs below a directory of a flat namespace. The service copies and deletes each of them.
    ///
    /// # Errors
    /// 400 for a new name that is too long; 412 for a leased blob; 409 for one under an immutability policy or a legal hold.
    pub(super) fn flat_moves(&self, source: &Place, to: &Place, now: Timestamp) -> Result<Vec<(BlobKey, Place)>, StorageError> {
        let move_of = |blob: Admitted| {
            lease::check(blob.lease, LeaseCheck::Required, None, LeasedResource::Blob, now)?;
            blob.protection.admits_removal(now)?;
            let below = blob.key.place.as_str().strip_prefix(source.as_str()).unwrap_or_default();
            let name = format!("{}{below}", to.as_str());
            names::blob(&name)?;
            Ok((blob.key, Place::flat(name)))
        };
        self.flat_below(source.as_str(), now).into_iter().map(move_of).collect()
    }

    /// A directory of a flat namespace: an empty blob with the mark of directories.
    pub(super) fn directory_mark(&mut self, now: Timestamp) -> Blob {
        let last_modified = self.next_last_modified(now);
        let new = NewBlob { last_modified, lease: Lease::default(), encryption: Encryption::Service, version: None };
        let body = Body::Block { content: Content::default(), blocks: Arc::default() };
        Blob { metadata: Metadata::default().with(IS_FOLDER, "true"), ..new.blob(body, ContentHeaders::default()) }
    }

    /// Removes blobs of a flat namespace, to insert them at other places.
    pub(super) fn extract_flat(&mut self, moves: &[(BlobKey, Place)]) -> Vec<MovedBlob> {
        let extract = |(key, to): &(BlobKey, Place)| {
            let uncommitted = self.uncommitted.get(&key.place).cloned();
            self.drop_uncommitted(&key.place);
            Some(MovedBlob { to: to.clone(), blob: self.take(key)?, uncommitted })
        };
        moves.iter().filter_map(extract).collect()
    }

    pub(super) fn insert_flat(&mut self, moved: Vec<MovedBlob>, retention: RetentionPolicy, now: Timestamp) {
        for MovedBlob { to, blob, uncommitted } in moved {
            self.latest = self.latest.max(blob.last_modified);
            self.displace(&to, now, retention);
            if let Some(uncommitted) = uncommitted {
                self.set_uncommitted(to.clone(), UncommittedBlocks::clone(&uncommitted));
            }
            self.insert(BlobKey::base(to), Blob::clone(&blob));
        }
    }
}
