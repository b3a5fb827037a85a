//! Appends to files and their flush, which commits them.

use crate::operation::Request;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::append::Uncommitted;
use crate::rules::lake::lease::{LeaseAfterWrite, WriteLease};
use crate::rules::lease;
use crate::services::blob::body::Body;
use crate::services::blob::state::admission::Admitted;
use crate::services::blob::state::blob::Blob;
use crate::services::blob::state::container::{Container, UncommittedBlocks};
use crate::services::shared::content_headers::ContentHeaders;
use crate::store::content::Content;
use std::sync::Arc;

/// A flush: the length of the file after it, what happens to data behind it, and new content headers.
#[derive(Clone, Copy, Debug)]
pub struct FlushRequest<'a> {
    pub position: u64,
    pub uncommitted: Uncommitted,
    pub headers: &'a ContentHeaders,
}

/// What an append or a flush did.
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// The file after the write.
    pub blob: Arc<Blob>,
    /// Whether its lease was renewed; `None` if the write does not renew.
    pub renewed: Option<bool>,
}

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
        match (&admitted.body, &admitted.path) {
            (Body::Block { content, .. }, _) if content.is_empty() => Ok(admitted),
            (Body::Block { .. }, Some(path)) => path.written_by.admits_append().map(|()| admitted),
            (Body::Block { .. }, None) => Ok(admitted),
            (Body::Append { .. } | Body::Page { .. }, _) => Err(ErrorCode::InvalidFlushOperation.into()),
        }
    }

    /// Adds data to the file that the request names, at a position. It is not visible until it is flushed, which `flush` does at once.
    ///
    /// # Errors
    /// Those of [`Container::admit_append`] and of the lease; 400 InvalidHeaderValue for no data; those of [`Container::flush`].
    pub fn append(
        &mut self,
        request: &Request,
        lease: WriteLease,
        position: u64,
        data: Content,
        flush: Option<FlushRequest<'_>>,
    ) -> Result<WrittenFile, StorageError> {
        let admitted = self.admit_append(request)?;
        let after = lease.apply(admitted.blob.lease, request.now)?;
        let place = &admitted.key.place;
        let before = self.waiting(place, request.now);
        let mut appends = before.map(|before| before.appends.clone()).unwrap_or_default();
        appends.append(position, data.len(), data)?;
        let (path_lease, blocks) = before.map(|before| (before.lease, before.blocks.clone())).unwrap_or_default();
        let uncommitted = UncommittedBlocks { last_modified: request.now, lease: path_lease, blocks, appends };
        self.set_uncommitted(place.clone(), uncommitted);
        self.sweep(request.now);
        self.settle_append(admitted, after, flush, request)
    }

    /// Commits what was appended to the file that the request names, up to a position, which is then its length.
    ///
    /// # Errors
    /// Those of [`Container::admit_append`] and of the lease; 400 InvalidFlushPosition if the appends do not end at the position without a
    /// gap.
    pub fn flush(&mut self, request: &Request, lease: WriteLease, flush: FlushRequest<'_>) -> Result<WrittenFile, StorageError> {
        let admitted = self.admit_append(request)?;
        let after = lease.apply(admitted.blob.lease, request.now)?;
        self.settle_append(admitted, after, Some(flush), request)
    }

    /// Commits appends if there is a flush, and changes the lease. As every change of the content, a flush ends a lease that has expired.
    fn settle_append(
        &mut self,
        admitted: Admitted,
        after: LeaseAfterWrite,
        flush: Option<FlushRequest<'_>>,
        request: &Request,
    ) -> Result<WrittenFile, StorageError> {
        let (key, before) = (admitted.key.clone(), admitted.blob.clone());
        let mut blob = match flush {
            Some(flush) => self.commit_appends(admitted, flush, request)?,
            None => admitted.blob,
        };
        let is_changed = blob.last_modified != before.last_modified;
        let lease = if is_changed { lease::after_write(after.lease, request.now) } else { after.lease };
        if lease != blob.lease {
            blob = self.insert(key, Blob { lease, ..Blob::clone(&blob) });
        }
        Ok(WrittenFile { blob, renewed: after.renewed })
    }

    fn commit_appends(
        &mut self,
        admitted: Admitted,
        flush: FlushRequest<'_>,
        request: &Request,
    ) -> Result<Arc<Blob>, StorageError> {
        let FlushRequest { position, uncommitted, headers } = flush;
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
        let content = content.with_merged_end(&request.store)?;
        let changed = self.replace(admitted, request.now, |blob| {
            blob.body = Body::Block { content, blocks: Arc::default() };
            // The MD5 of the previous content is not that of the new one.
            blob.headers.md5 = None;
            blob.headers = headers.clone().over(&blob.headers);
            blob.path = blob.path.as_ref().map(|path| Arc::new(path.written_by_lake()));
        })?;
        self.sweep(request.now);
        Ok(changed)
    }
}
