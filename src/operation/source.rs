//! How a copy reaches its source: a blob of this server through the same door as any reader, or what another server answers.

use crate::account::Account;
use crate::operation::headers::metadata;
use crate::operation::{Received, Target};
use crate::rules::auth::permissions::RequiredPermission;
use crate::rules::checksums::{ChecksumKinds, Hasher};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::metadata::Metadata;
use crate::store::Store;
use crate::store::content::Filling;
use bytes::Bytes;
use http::HeaderMap;
use http_body_util::BodyExt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use sync_wrapper::SyncWrapper;

/// What opens a private source on this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceAuthorization {
    /// The caller's right to all of an account, for a source in the same account; or else what comes with the source.
    Caller,
    /// What comes with the source, a signature in its URL or a token; or the bearer token of the caller, for a source in the same account.
    Shown,
}

/// What a URL in a header reaches for.
#[derive(Clone, Copy, Debug)]
pub struct SourceAccess {
    /// The header.
    pub header: &'static str,
    /// What is needed there.
    pub permit: RequiredPermission,
    /// What opens it.
    pub opens: SourceAuthorization,
}

/// Where a copy's source lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceLocation {
    /// On this server.
    Here(Source),
    /// Behind a URL that is not this server's, as far as it knows.
    Elsewhere,
}

/// A copy's source on this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The account it lies in.
    pub account: Arc<Account>,
    /// The blob.
    pub target: Target,
}

/// What another server is asked.
#[derive(Clone, Debug)]
pub struct RemoteRequest {
    /// The URL, which it gets with GET.
    pub url: String,
    /// The headers.
    pub headers: HeaderMap,
}

/// What another server answers.
#[derive(Debug)]
pub struct RemoteResponse {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The metadata names that were not written in lower case: lower case, and as written.
    spelling: Vec<(String, String)>,
    body: SyncWrapper<axum::body::Body>,
}

/// How long an answer's body may stand still between two pieces.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is said of a source that cannot be reached, or breaks off, or stands still.
pub fn source_unavailable(why: impl Into<String>) -> StorageError {
    ErrorCode::CannotVerifyCopySource
        .with_message("Could not verify the copy source within the specified time.")
        .with_status(500)
        .with_reason(why)
}

impl RemoteResponse {
    /// An answer whose body comes off the wire as it is read. `spelling` has the metadata names that were not written in lower case.
    pub fn new(status: u16, headers: HeaderMap, spelling: Vec<(String, String)>, body: axum::body::Body) -> RemoteResponse {
        RemoteResponse { status, headers, spelling, body: SyncWrapper::new(body) }
    }

    /// The metadata that it has, in the case in which its names were written.
    ///
    /// # Errors
    /// 400 for metadata that nothing can have.
    pub fn metadata(&self) -> Result<Metadata, StorageError> {
        metadata(&self.headers, &self.spelling)
    }

    /// The length of its body in bytes, where it says so.
    pub fn length(&self) -> Option<u64> {
        self.headers.get(http::header::CONTENT_LENGTH)?.to_str().ok()?.trim().parse().ok()
    }

    /// Streams a part of its body into a content, hashing on the way.
    ///
    /// # Errors
    /// As [`Answer::stream`]; 500 InternalError when the disk does not take it.
    pub async fn receive(
        self,
        store: &Store,
        part: Range<u64>,
        limit: u64,
        wanted: ChecksumKinds,
    ) -> Result<Received, StorageError> {
        let expected = self.length().map_or(0, |length| length.min(part.end).saturating_sub(part.start));
        let mut hasher = Hasher::new(wanted);
        // Nothing is kept ready for more than may come.
        let mut filling = Filling::new(store, expected.min(limit));
        let take = |piece: &[u8]| {
            hasher.update(piece);
            Ok(filling.push(piece)?)
        };
        self.stream(part, limit, take).await?;
        Ok(Received { content: filling.finish()?, digests: hasher.finish() })
    }

    /// Hands over a part of its body, piece by piece, to somebody who refuses what is not wanted any more.
    ///
    /// # Errors
    /// 413 RequestBodyTooLarge over `limit` bytes; 500 CannotVerifyCopySource when it breaks off or stands still; the refusal.
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

    /// The beginning of its body, for the small documents that refusals are. What cannot be read is left out.
    pub async fn beginning(mut self, limit: usize) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < limit {
            let Ok(Some(piece)) = self.piece().await else { break };
            text.extend_from_slice(&piece[..piece.len().min(limit - text.len())]);
        }
        text
    }

    async fn piece(&mut self) -> Result<Option<Bytes>, StorageError> {
        loop {
            return match tokio::time::timeout(PATIENCE, self.body.get_mut().frame()).await {
                Err(_) => Err(source_unavailable("the source stands still")),
                Ok(None) => Ok(None),
                Ok(Some(Err(error))) => Err(source_unavailable(format!("the source broke off: {error}"))),
                Ok(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => Ok(Some(data)),
                    Err(_) => continue,
                },
            };
        }
    }
}
