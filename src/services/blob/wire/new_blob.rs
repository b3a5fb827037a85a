//! The headers of a request that creates a blob, or replaces its content headers.

use crate::operation::{EncryptionCheck, FieldLocation, Fields, FromField, FromRequest, Input, Request, header_text};
use crate::rules::blob::immutability::Protection;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, Tier, TierSupport};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::lake::properties::IS_FOLDER;
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::blob::body::Body;
use crate::services::blob::state::Blob;
use crate::services::blob::wire::tiers_of;
use crate::services::shared::content_headers::{ContentHeaders, DEFAULT_TYPE, IN_RESPONSE};

/// The names of the headers that describe a blob's content, in the order of the fields.
const BLOB_HEADERS: [&str; 6] = [
    "x-ms-blob-content-type",
    "x-ms-blob-content-encoding",
    "x-ms-blob-content-language",
    "x-ms-blob-content-md5",
    "x-ms-blob-cache-control",
    "x-ms-blob-content-disposition",
];
/// The headers of a body that is the content, without the MD5, which is the body's alone.
const BODY_HEADERS: [&str; 5] = ["content-type", "content-encoding", "content-language", "cache-control", "content-disposition"];

/// The content type of a blob, unless it was cleared.
pub(in crate::services::blob) fn content_type(headers: &ContentHeaders) -> Option<&str> {
    Some(headers.content_type.as_deref().unwrap_or(DEFAULT_TYPE)).filter(|kind| !kind.is_empty())
}

/// The headers without the default content type, which is not stored.
fn stored(headers: ContentHeaders) -> ContentHeaders {
    ContentHeaders { content_type: headers.content_type.filter(|kind| **kind != *DEFAULT_TYPE), ..headers }
}

/// The headers that describe a blob's content, where the body of the request is not the content.
impl FromRequest for ContentHeaders {
    const INPUTS: &'static [Input] = &[Input::Headers(&BLOB_HEADERS)];

    fn from_request(fields: &Fields<'_>) -> Result<ContentHeaders, StorageError> {
        Ok(stored(ContentHeaders::read(BLOB_HEADERS, |name| fields.header(name))))
    }
}

parsed_input! {
    /// The headers that describe a blob's content, where the body of the request is the content: its own headers count where the blob's
    /// are absent.
    pub(in crate::services::blob) BodyContentHeaders(ContentHeaders) = [Input::Headers(&BLOB_HEADERS), Input::Headers(&BODY_HEADERS)],
    |fields| {
        let of_blob = ContentHeaders::read(BLOB_HEADERS, |name| fields.header(name));
        let of_body = ContentHeaders::read(IN_RESPONSE, |name| BODY_HEADERS.contains(&name).then(|| fields.header(name)).flatten());
        Ok(stored(of_blob.over(&of_body)))
    }
}

/// The content headers of a request that replaces all of a blob's.
#[derive(Clone, Debug)]
pub(in crate::services::blob) struct ReplacingContentHeaders {
    /// False if the request carries none of them.
    pub(in crate::services::blob) is_present: bool,
    pub(in crate::services::blob) headers: ContentHeaders,
}

impl FromRequest for ReplacingContentHeaders {
    const INPUTS: &'static [Input] = ContentHeaders::INPUTS;

    fn from_request(fields: &Fields<'_>) -> Result<ReplacingContentHeaders, StorageError> {
        let mut headers = ContentHeaders::from_request(fields)?;
        let is_present = headers != ContentHeaders::default();
        // A blob keeps no content type, not even the default, if the request names none (recorded).
        if !fields.has_header("x-ms-blob-content-type") {
            headers.content_type = Some(Box::default());
        }
        Ok(ReplacingContentHeaders { is_present, headers })
    }
}

input! {
    /// The headers of a request that creates a blob, besides those that describe its content.
    pub(in crate::services::blob) NewBlobHeaders {
        metadata: Metadata,
        tags: Option<Tags> = Header "x-ms-tags",
        tier: Option<Tier> = Header "x-ms-access-tier",
        protection: Protection,
    }
}

/// The tags of a new blob. A caller needs the permission to write tags.
impl FromField for Option<Tags> {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Option<Tags>, StorageError> {
        match fields.text(location, name) {
            Some(_) if fields.account.hns => Err(ErrorCode::FeatureNotYetSupportedForHierarchicalNamespaceAccounts.into()),
            Some(_) if !fields.authorization.allows("t") => Err(fields.authorization.missing_permission("t")),
            text => text.map(Tags::parse_header).transpose(),
        }
    }
}

impl NewBlobHeaders {
    /// Returns true for the metadata by which clients of the Blob API mark a directory.
    pub(in crate::services::blob) fn marks_directory(&self) -> bool {
        self.metadata.get(IS_FOLDER) == Some("true")
    }

    pub(in crate::services::blob) fn has_tags(&self) -> bool {
        self.tags.is_some()
    }

    /// Checks that a blob that supports these tiers may have the tier that the request names.
    ///
    /// # Errors
    /// 400 AccessTierNotSupportedForBlobType.
    pub(in crate::services::blob) fn check_tier(&self, tiers: TierSupport) -> Result<(), StorageError> {
        self.tier.map_or(Ok(()), |tier| tier.check(tiers))
    }

    /// Checks that a blob with this body may have the tier that the request names.
    ///
    /// # Errors
    /// 400 AccessTierNotSupportedForBlobType; 409 BlobTierInadequateForContentLength for a size class that is too small.
    pub(in crate::services::blob) fn check_tier_of(&self, body: &Body) -> Result<(), StorageError> {
        self.check_tier(tiers_of(body))?;
        match self.tier {
            Some(tier) if !tier.holds(body.len()) => Err(ErrorCode::BlobTierInadequateForContentLength.into()),
            _ => Ok(()),
        }
    }

    /// The tier that the request names.
    pub(in crate::services::blob) fn tier(&self, now: Timestamp) -> Option<CurrentTier> {
        self.tier.map(|tier| CurrentTier::new(tier, now))
    }

    /// Sets them on the blob. Metadata that the request does not carry leaves the blob's own, which a copy has from its source.
    pub(in crate::services::blob) fn apply(self, mut blob: Blob, now: Timestamp) -> Blob {
        blob.tier = self.tier(now);
        if !self.metadata.is_empty() {
            blob.metadata = self.metadata;
        }
        blob.tags = self.tags.unwrap_or_default();
        blob.protection = self.protection;
        blob
    }
}

/// Headers that would change what a blob is. An operation that does not declare one refuses it instead of ignoring it.
const NEVER_IGNORED: [&str; 7] = [
    "x-ms-immutability-policy-until-date",
    "x-ms-immutability-policy-mode",
    "x-ms-legal-hold",
    "x-ms-expiry-option",
    "x-ms-expiry-time",
    "x-ms-structured-body",
    "x-ms-rehydrate-priority",
];

/// The headers of encryption, for operations that do not support it.
const ENCRYPTION: [&str; 4] =
    ["x-ms-encryption-key", "x-ms-encryption-key-sha256", "x-ms-encryption-algorithm", "x-ms-encryption-scope"];

/// Checks that the request carries none of these headers but those that its operation declares.
///
/// # Errors
/// 400 UnsupportedHeader.
pub(in crate::services::blob) fn check_unsupported_headers(request: &Request) -> Result<(), StorageError> {
    let refused = |name: &&&str| header_text(&request.headers, name).is_some() && !request.spec.reads(name);
    let keys = if request.spec.encryption == EncryptionCheck::None { &ENCRYPTION[..] } else { &[] };
    match NEVER_IGNORED.iter().chain(keys).find(refused) {
        Some(name) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", *name)),
        None => Ok(()),
    }
}
