//! The source of a copy: a blob or file on this server, or the response of another server.

use crate::account::Account;
use crate::operation::body::{ReadError, next_piece};
use crate::operation::headers::metadata;
use crate::operation::{Received, Target};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::{ChecksumKinds, Hasher};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::access;
use crate::rules::metadata::Metadata;
use crate::store::Store;
use crate::store::content::Filling;
use bytes::Bytes;
use http::HeaderMap;
use std::ops::Range;
use std::sync::Arc;
use sync_wrapper::SyncWrapper;

/// What authorizes a copy to read a private source on this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceAuthorization {
    /// The caller's right to the whole account for a source in the same account, or the SAS or token for the source.
    Caller,
    /// The SAS of its URL or a token for the source, or the caller's bearer token for a source in the same account.
    Presented,
}

/// The access to the resource that the URL in a header names.
#[derive(Clone, Copy, Debug)]
pub struct SourceAccess {
    /// The name of the header.
    pub header: &'static str,
    /// The permission that is needed.
    pub requires: RequiredPermission,
    /// What authorizes the access.
    pub authorization: SourceAuthorization,
}

/// Where the source of a copy is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceLocation {
    /// On this server.
    Local(Source),
    /// On another server, as far as this one knows.
    Remote,
}

/// A copy's source on this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The account of the source.
    pub account: Arc<Account>,
    pub target: Target,
    /// Whose access control lists apply to it.
    pub principal: access::Caller,
}

/// A request to another server.
#[derive(Clone, Debug)]
pub struct RemoteRequest {
    /// The URL. The method is GET.
    pub url: String,
    pub headers: HeaderMap,
}

/// The response of another server.
#[derive(Debug)]
pub struct RemoteResponse {
    /// The HTTP status.
    pub status: u16,
    pub headers: HeaderMap,
    /// The metadata names that were not written in lower case, in pairs: in lower case, as written.
    metadata_case: Vec<(String, String)>,
    body: SyncWrapper<axum::body::Body>,
}

/// The error of a copy whose source cannot be reached, breaks off or stalls: 500 CannotVerifyCopySource.
pub fn source_unavailable(reason: impl Into<String>) -> StorageError {
    ErrorCode::CannotVerifyCopySource
        .with_message("Could not verify the copy source within the specified time.")
        .with_status(500)
        .with_reason(reason)
}

impl RemoteResponse {
    /// A response whose body is read as it arrives. `metadata_case` has the metadata names that were not written in lower case.
    pub fn new(status: u16, headers: HeaderMap, metadata_case: Vec<(String, String)>, body: axum::body::Body) -> RemoteResponse {
        RemoteResponse { status, headers, metadata_case, body: SyncWrapper::new(body) }
    }

    /// The metadata, with names in the case in which they were written.
    ///
    /// # Errors
    /// 400 for malformed metadata.
    pub fn metadata(&self) -> Result<Metadata, StorageError> {
        metadata(&self.headers, &self.metadata_case)
    }

    /// The length of the body in bytes, if the response has a `Content-Length`.
    pub fn length(&self) -> Option<u64> {
        self.headers.get(http::header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
    }

    /// Stores a range of the body as content, and computes its checksums.
    ///
    /// # Errors
    /// As [`RemoteResponse::stream`]; 500 InternalError when the disk fails.
    pub async fn receive(
        self,
        store: &Store,
        part: Range<u64>,
        limit: u64,
        wanted: ChecksumKinds,
    ) -> Result<Received, StorageError> {
        let expected = self.length().map_or(0, |length| length.min(part.end).saturating_sub(part.start));
        let mut hasher = Hasher::new(wanted);
        // The reserved memory is bounded by the limit.
        let mut filling = Filling::new(store, expected.min(limit));
        let take = |piece: &[u8]| {
            hasher.update(piece);
            Ok(filling.push(piece)?)
        };
        self.stream(part, limit, take).await?;
        Ok(Received { content: filling.finish()?, digests: hasher.finish() })
    }

    /// Passes a range of the body to `take`, piece by piece.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes; 500 CannotVerifyCopySource when the body breaks off or stalls; the error of `take`.
    pub async fn stream(
        mut self,
        part: Range<u64>,
        limit: u64,
        mut take: impl FnMut(&[u8]) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        if self.length().is_some_and(|length| length.min(part.end).saturating_sub(part.start) > limit) {
            return Err(StorageError::too_large(limit));
        }
        let (mut at, mut came) = (0_u64, 0_u64);
        while at < part.end
            && let Some(piece) = self.piece().await?
        {
            let length = piece.len() as u64;
            let within = |offset: u64| offset.saturating_sub(at).min(length) as usize;
            let (from, to) = (within(part.start), within(part.end));
            at += length;
            let wanted = piece.get(from..to).unwrap_or_default();
            came += wanted.len() as u64;
            if came > limit {
                return Err(StorageError::too_large(limit));
            }
            take(wanted)?;
        }
        Ok(())
    }

    /// The first bytes of the body, for error documents. If reading fails, the bytes so far.
    pub async fn beginning(mut self, limit: usize) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < limit {
            let Ok(Some(piece)) = self.piece().await else { break };
            text.extend_from_slice(&piece[..piece.len().min(limit - text.len())]);
        }
        text
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, StorageError> {
        next_piece(self.body.get_mut()).await.map_err(|error| match error {
            ReadError::Stalled => source_unavailable("the source stands still"),
            ReadError::BrokenOff(error) => source_unavailable(format!("the source broke off: {error}")),
        })
    }
}
