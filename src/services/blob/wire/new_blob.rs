//! The headers of a request that creates a blob, or replaces its content headers.

use crate::operation::{FieldLocation, Fields, FromField, FromRequest, Input, Request, header_text};
use crate::rules::blob::immutability::Protection;
use crate::rules::blob::tags::Tags;
use crate::rules::blob::tier::{CurrentTier, Tier, TierSupport};
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::metadata::Metadata;
use crate::rules::time::Timestamp;
use crate::services::blob::body::{Body, ContentHeaders};
use crate::services::blob::state::Blob;
use crate::services::blob::wire::tiers_of;

/// The Content-Type of a blob that was created without one.
const DEFAULT_TYPE: &str = "application/octet-stream";

impl ContentHeaders {
    /// Reads the headers; `header` finds the first of two names, of which the second is the body's own header.
    fn read<'a>(header: impl Fn(&str, &str) -> Option<&'a str>, md5: Option<&str>) -> ContentHeaders {
        let text = |named: &str, own: &str| header(named, own).map(Box::from);
        ContentHeaders {
            content_type: header("x-ms-blob-content-type", "content-type").filter(|kind| *kind != DEFAULT_TYPE).map(Box::from),
            encoding: text("x-ms-blob-content-encoding", "content-encoding"),
            language: text("x-ms-blob-content-language", "content-language"),
            md5: md5.map(Box::from),
            cache_control: text("x-ms-blob-cache-control", "cache-control"),
            disposition: text("x-ms-blob-content-disposition", "content-disposition"),
        }
    }

    /// The content type, unless it was cleared.
    pub(in crate::services::blob) fn content_type(&self) -> Option<&str> {
        Some(self.content_type.as_deref().unwrap_or(DEFAULT_TYPE)).filter(|kind| !kind.is_empty())
    }
}

/// The headers that describe a blob's content, where the body of the request is not the content.
impl FromRequest for ContentHeaders {
    const INPUTS: &'static [Input] = &[
        Input::header("x-ms-blob-content-type"),
        Input::header("x-ms-blob-content-encoding"),
        Input::header("x-ms-blob-content-language"),
        Input::header("x-ms-blob-content-md5"),
        Input::header("x-ms-blob-cache-control"),
        Input::header("x-ms-blob-content-disposition"),
    ];

    fn from_request(fields: &Fields<'_>) -> Result<ContentHeaders, StorageError> {
        Ok(ContentHeaders::read(|named, _| fields.header(named), fields.header("x-ms-blob-content-md5")))
    }
}

/// The headers that describe a blob's content, where the body of the request is the content: its own headers count where the blob's are
/// absent.
#[derive(Clone, Debug)]
pub(in crate::services::blob) struct BodyContentHeaders(pub(in crate::services::blob) ContentHeaders);

impl FromRequest for BodyContentHeaders {
    const INPUTS: &'static [Input] = &[
        Input::header("x-ms-blob-content-type"),
        Input::header("x-ms-blob-content-encoding"),
        Input::header("x-ms-blob-content-language"),
        Input::header("x-ms-blob-content-md5"),
        Input::header("x-ms-blob-cache-control"),
        Input::header("x-ms-blob-content-disposition"),
        Input::header("content-type"),
        Input::header("content-encoding"),
        Input::header("content-language"),
        Input::header("cache-control"),
        Input::header("content-disposition"),
    ];

    fn from_request(fields: &Fields<'_>) -> Result<BodyContentHeaders, StorageError> {
        let header = |named: &str, own: &str| fields.header(named).or_else(|| fields.header(own));
        Ok(BodyContentHeaders(ContentHeaders::read(header, fields.header("x-ms-blob-content-md5"))))
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
            Some(_) if !fields.authorization.allows("t") => Err(fields.authorization.missing_permission("t")),
            text => text.map(Tags::parse_header).transpose(),
        }
    }
}

impl NewBlobHeaders {
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
const NEVER_IGNORED: [&str; 6] = [
    "x-ms-immutability-policy-until-date",
    "x-ms-immutability-policy-mode",
    "x-ms-legal-hold",
    "x-ms-expiry-option",
    "x-ms-structured-body",
    "x-ms-rehydrate-priority",
];

/// Checks that the request carries none of these headers but those that its operation declares.
///
/// # Errors
/// 400 UnsupportedHeader.
pub(in crate::services::blob) fn check_unsupported_headers(request: &Request) -> Result<(), StorageError> {
    let refused = |name: &&&str| header_text(&request.headers, name).is_some() && !request.spec.reads(name);
    match NEVER_IGNORED.iter().find(refused) {
        Some(name) => Err(ErrorCode::UnsupportedHeader.with_detail("HeaderName", *name)),
        None => Ok(()),
    }
}
