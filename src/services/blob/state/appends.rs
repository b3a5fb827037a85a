//! Appends to files and their flush, which commits them.

use crate::operation::Request;
use crate::rules::blob::version_selector::VersionSelector;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::append::Uncommitted;
use crate::rules::lease::{Lease, LeaseAction};
use crate::services::blob::body::Body;
use crate::services::blob::state::admission::Admitted;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::content::Content;
use std::sync::Arc;

impl Container {
    /// The file that the request names, to which Data Lake may append.
    ///
    /// # Errors
    /// As [`Container::admit`]; 409 PathConflict for a directory; 409 InvalidFlushOperation for a file with content of the Blob API.
    pub fn admit_append(&self, request: &Request) -> Result<Admitted, StorageError> {
        let admitted = self.admit(request)?;
        if admitted.directory().is_some() {
            return Err(ErrorCode::PathConflict.into());
        }
        match &admitted.body {
            Body::Block { .. } if admitted.is_appendable() => Ok(admitted),
            _ => Err(ErrorCode::InvalidFlushOperation.into()),
        }
    }

    /// Adds data to a file at a position. It is not visible until it is flushed.
    ///
    /// # Errors
    /// 400 InvalidHeaderValue for no data.
    pub fn append(&mut self, admitted: &Admitted, position: u64, data: Content, request: &Request) -> Result<(), StorageError> {
        let place = &admitted.key.place;
        let before = self.waiting(place, request.now);
        let mut appends = before.map(|before| before.appends.clone()).unwrap_or_default();
        appends.append(position, data.len(), data)?;
        let (lease, blocks) = before.map(|before| (before.lease, before.blocks.clone())).unwrap_or_default();
        self.set_uncommitted(place.clone(), UncommittedBlocks { last_modified: request.now, lease, blocks, appends });
        self.sweep(request.now);
        Ok(())
    }

    /// Commits what was appended up to a position, which is then the length of the file.
    ///
    /// # Errors
    /// 400 InvalidFlushPosition if the appends do not end there without a gap.
    pub fn flush(
        &mut self,
        admitted: Admitted,
        position: u64,
        uncommitted: Uncommitted,
        headers: &ContentHeaders,
        request: &Request,
    ) -> Result<Arc<Blob>, StorageError> {
        let place = admitted.key.place.clone();
        let before = self.waiting(&place, request.now).cloned();
        let appends = before.as_ref().map(|before| before.appends.clone()).unwrap_or_default();
        let flushed = appends.flush(admitted.body.len(), position, uncommitted)?;
        match before {
            Some(before) if !flushed.pending.is_empty() || !before.blocks.is_empty() => {
                self.set_uncommitted(place, UncommittedBlocks { appends: flushed.pending, ..before });
            }
            _ => self.drop_uncommitted(&place),
        }
        if flushed.committed.is_empty() && *headers == ContentHeaders::default() {
            return Ok(admitted.blob);
        }
        let Body::Block { content, .. } = &admitted.body else { return Err(ErrorCode::InvalidFlushOperation.into()) };
        let content = Content::concat(std::iter::once(content).chain(flushed.committed.iter().map(|piece| &piece.data)));
        let changed = self.replace(admitted, request.now, |blob| {
            blob.body = Body::Block { content, blocks: Arc::default() };
            // The MD5 of the previous content is not that of the new one.
            blob.headers.md5 = None;
            blob.headers = headers.clone().over(&blob.headers);
        })?;
        self.sweep(request.now);
        Ok(changed)
    }

}

impl Container {
    /// Performs the action on the lease of the file that a write declares.
    ///
    /// # Errors
    /// As [`Container::step_blob_lease`].
    pub fn step_path_lease(&mut self, request: &Request, action: Option<LeaseAction>) -> Result<(), StorageError> {
        action.map_or(Ok(()), |action| self.step_blob_lease(request, action).map(drop))
    }

    /// As [`Container::admit_append`], for a write that has acquired the lease of the file itself.
    ///
    /// # Errors
    /// As [`Container::admit_append`].
    pub fn admit_append_leased(&self, request: &Request, action: Option<LeaseAction>) -> Result<Admitted, StorageError> {
        match action {
            Some(LeaseAction::Acquire { .. }) => {
                let (key, blob) = self.find(request.target.blob()?.0, VersionSelector::Base, request.now)?;
                Ok(Admitted { key, blob })
            }
            _ => self.admit_append(request),
        }
    }

    /// Makes the file available after the write, whoever leased it.
    ///
    /// # Errors
    /// 404 BlobNotFound.
    pub fn release_path(&mut self, request: &Request) -> Result<(), StorageError> {
        let (key, blob) = self.find(request.target.blob()?.0, VersionSelector::Base, request.now)?;
        self.amend(Admitted { key, blob }, |blob| {
            blob.lease = Lease::Available;
            Ok(())
        })
    }
}

impl Blob {
    /// Returns true for a file without content, or whose content Data Lake operations wrote.
    fn is_appendable(&self) -> bool {
        self.body.len() == 0 || self.path.as_ref().is_none_or(|path| path.appended)
    }
}
