//! The values of headers and query parameters that several operations on blobs read.

use crate::operation::{FieldLocation, Fields, FromField};
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::pages;
use crate::rules::blob::tier::{RehydratePriority, Tier, TierSupport};
use crate::rules::error::StorageError;

/// The size of a page blob in bytes (`x-ms-blob-content-length`).
#[derive(Clone, Copy, Debug)]
pub(in crate::services::blob) struct PageBlobSize(pub(in crate::services::blob) u64);

from_text! {
    // A tier of any type of blob: the type of the blob is not known yet.
    Tier: |text| Tier::read(text, TierSupport::Any).ok();
    RehydratePriority: |text| RehydratePriority::read(text).ok();
    PageBlobSize: |text| pages::read_size(text).ok().map(PageBlobSize);
}

impl FromField for BlockId {
    const REQUIRED: bool = true;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<BlockId, StorageError> {
        BlockId::parse(&String::from_field(fields, location, name)?)
    }
}
