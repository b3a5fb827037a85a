//! The values of headers and query parameters that several operations on blobs read.

use crate::operation::{FieldLocation, Fields, FromField, FromText};
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::pages;
use crate::rules::blob::tier::{RehydratePriority, Tier, TierSupport};
use crate::rules::error::StorageError;

/// A tier of any type of blob: the type of the blob is not known yet.
impl FromText for Tier {
    fn from_text(text: &str) -> Option<Tier> {
        Tier::read(text, TierSupport::Any).ok()
    }
}

impl FromText for RehydratePriority {
    fn from_text(text: &str) -> Option<RehydratePriority> {
        RehydratePriority::read(text).ok()
    }
}

/// The size of a page blob in bytes (`x-ms-blob-content-length`).
#[derive(Clone, Copy, Debug)]
pub(in crate::services::blob) struct PageBlobSize(pub(in crate::services::blob) u64);

impl FromText for PageBlobSize {
    fn from_text(text: &str) -> Option<PageBlobSize> {
        pages::read_size(text).ok().map(PageBlobSize)
    }
}

impl FromField for BlockId {
    const REQUIRED: bool = true;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<BlockId, StorageError> {
        BlockId::parse(&String::from_field(fields, location, name)?)
    }
}
