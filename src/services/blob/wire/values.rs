//! The values of headers and query parameters that several operations on blobs read.

use crate::operation::{FieldLocation, Fields, FromField, FromRequest, FromText, Input};
use crate::rules::blob::blocks::BlockId;
use crate::rules::blob::pages;
use crate::rules::blob::tier::{RehydratePriority, Tier, TierSupport};
use crate::rules::error::StorageError;
use crate::rules::listing;
use crate::rules::listing::Position;
use crate::rules::ranges::RequestedRange;

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

/// The largest number of entries of a page (`maxresults`).
#[derive(Clone, Copy, Debug)]
pub(in crate::services::blob) struct MaxResults(pub(in crate::services::blob) usize);

impl FromField for Option<MaxResults> {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Option<MaxResults>, StorageError> {
        fields.text(location, name).map(|text| listing::maxresults(Some(text)).map(MaxResults)).transpose()
    }
}

/// The start of a page of a listing of blobs (`marker`).
#[derive(Clone, Debug)]
pub(in crate::services::blob) struct Marker(pub(in crate::services::blob) Position);

impl FromField for Option<Marker> {
    const REQUIRED: bool = false;

    fn from_field(fields: &Fields<'_>, location: FieldLocation, name: &'static str) -> Result<Option<Marker>, StorageError> {
        fields.text(location, name).map(|text| Position::read(text).map(Marker)).transpose()
    }
}

/// The range of a read: `x-ms-range`, or else `Range`.
#[derive(Clone, Copy, Debug)]
pub(in crate::services::blob) struct ReadRange(pub(in crate::services::blob) RequestedRange);

impl FromRequest for ReadRange {
    const INPUTS: &'static [Input] = &[Input::header("range"), Input::header("x-ms-range")];

    fn from_request(fields: &Fields<'_>) -> Result<ReadRange, StorageError> {
        let text = fields.header("x-ms-range").or_else(|| fields.header("range"));
        Ok(ReadRange(text.map_or(RequestedRange::Whole, RequestedRange::parse)))
    }
}
