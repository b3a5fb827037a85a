//! The conversion of a flat container to one with a hierarchical namespace, when its account gets one.

use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::encryption::Encryption;
use crate::rules::error::StorageError;
use crate::rules::lake::access::Caller;
use crate::rules::lake::path::{Namespace, Path, PathKind};
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::path_properties::{NewPath, PathProperties};
use crate::services::blob::state::admission::Claimed;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::blob::state::key::{BlobKey, Place};
use std::sync::Arc;

/// Why a container cannot be converted. Names are those of its blobs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamespaceConflict {
    #[error("{0:?} is a blob, and has others below it")]
    BlobAboveOthers(String),
    #[error("{0:?} and another blob are the same path")]
    SamePath(String),
    #[error("{0:?} is not the name of a path")]
    Name(String),
    #[error("{0:?} has snapshots, versions or deleted states")]
    EarlierStates(String),
    #[error("{0:?} has index tags")]
    Tags(String),
    #[error("{0:?} is a page blob")]
    PageBlob(String),
    #[error("{0}")]
    Write(StorageError),
    #[error("the container has a hierarchical namespace, and the account is without hns")]
    Hierarchical,
}

impl Container {
    /// This flat container with a hierarchical namespace. Blobs keep their ETags and times, and the super user owns them.
    ///
    /// # Errors
    /// The first blob that cannot be in a hierarchical namespace.
    pub fn converted(&self, now: Timestamp) -> Result<Container, NamespaceConflict> {
        let flat =
            Container::new(now, self.properties.metadata.clone(), self.properties.access, self.properties.encryption.clone());
        let mut converted = Container {
            properties: self.properties.clone(),
            lease: self.lease,
            latest: self.latest,
            created: self.created,
            ..flat
        }
        .with_hierarchy(&Caller::SuperUser, now);
        for (key, blob) in self.blobs.iter().filter(|(_, blob)| blob.is_retained(now)) {
            converted.convert_blob(key, blob, now)?;
        }
        for (place, uncommitted) in &self.uncommitted {
            let (place, _) = converted.converted_place(place, now)?;
            converted.set_uncommitted(place, UncommittedBlocks::clone(uncommitted));
        }
        Ok(converted)
    }

    fn convert_blob(&mut self, key: &BlobKey, blob: &Blob, now: Timestamp) -> Result<(), NamespaceConflict> {
        let name = || key.place.as_str().to_owned();
        if key.at != VersionSelector::Base || blob.deleted.is_some() || blob.version.is_some() {
            return Err(NamespaceConflict::EarlierStates(name()));
        }
        if blob.tags.iter().next().is_some() {
            return Err(NamespaceConflict::Tags(name()));
        }
        if matches!(blob.body, Body::Page { .. }) {
            return Err(NamespaceConflict::PageBlob(name()));
        }
        let is_directory = blob.body.len() == 0 && (blob.metadata.get(IS_FOLDER).is_some() || key.place.as_str().ends_with('/'));
        let (place, parent) = self.converted_place(&key.place, now)?;
        match (self.current(&place, now), is_directory) {
            (None, _) => {}
            // A directory that some blob below it, or its other written form, has created.
            (Some(existing), true) if existing.directory().is_some() => return Ok(()),
            (Some(existing), false) if existing.directory().is_some() => return Err(NamespaceConflict::BlobAboveOthers(name())),
            (Some(_), _) => return Err(NamespaceConflict::SamePath(name())),
        }
        let kind = if is_directory { PathKind::Directory } else { PathKind::File };
        let id = is_directory.then(|| self.new_directory_id());
        let new = NewPath { kind, ..NewPath::by(&Caller::SuperUser) };
        let invalid = |_: StorageError| NamespaceConflict::Name(name());
        let path = parent.path().and_then(|parent| PathProperties::of_new(parent, &new, id)).map_err(invalid)?;
        let metadata = blob.metadata.clone().without(IS_FOLDER);
        self.insert(BlobKey::base(place), Blob { path: Some(Arc::new(path)), metadata, ..blob.clone() });
        Ok(())
    }

    /// The place of a blob of a flat container, and its directory, which it creates.
    fn converted_place(&mut self, flat: &Place, now: Timestamp) -> Result<(Place, Arc<Blob>), NamespaceConflict> {
        let name = flat.as_str();
        let invalid = || NamespaceConflict::Name(name.to_owned());
        let path = Path::parse(name, Namespace::Hierarchical).ok().filter(|path| !path.is_root()).ok_or_else(invalid)?;
        let claimed = Claimed {
            name: path.as_str().into(),
            place: None,
            current: None,
            encryption: Encryption::Service,
            path: NewPath::by(&Caller::SuperUser),
        };
        // A parent is a blob.
        let (place, parent) = self.make_place(&claimed, now).map_err(|_| {
            let file = path.ancestors().find(|above| self.place(above.as_str(), now).is_err());
            let file = file.and_then(|below| below.parent()).or_else(|| path.parent());
            NamespaceConflict::BlobAboveOthers(file.map_or_else(|| name.to_owned(), |file| file.as_str().to_owned()))
        })?;
        Ok((place, parent.ok_or_else(invalid)?))
    }
}
