//! Get Page Ranges: the written pages of a page blob, or the changes since an earlier snapshot.

use crate::operation::{
    MaxResults, Operation, OperationSpec, ReadRange, Reply, Request, Selector, SnapshotTime, Source, SourceAuthorization,
    SourceLocation, StateQuery,
};
use crate::rules::blob::pages;
use crate::rules::error::{ErrorCode, StorageError};
use crate::rules::ranges;
use crate::rules::time::Timestamp;
use crate::services::blob::blobs::Blobs;
use crate::services::blob::body::Body;
use crate::services::blob::ops::spec::READ;
use crate::services::shared::changes::{self, RangeListNames};
use crate::store::sparse::Change;

pub(super) static GET_PAGE_RANGES: Operation<Blobs> = operation!(
    get_page_ranges,
    (StateQuery, Input),
    OperationSpec { name: "Get Page Ranges", selectors: &[Selector::Query("comp", "pagelist")], ..READ }
);

input! { pub(super) Input {
    range: ReadRange,
    previous: Option<SnapshotTime> = Query "prevsnapshot",
    previous_url: Option<String> = Header "x-ms-previous-snapshot-url",
    marker: Option<u64> = Query "marker",
    max: MaxResults,
} }

/// The ranges of a page, at most and by default.
const PAGE: usize = 10_000;

async fn get_page_ranges(blobs: &Blobs, request: Request, (_, input): (StateQuery, Input)) -> Result<Reply, StorageError> {
    if let Some(url) = input.previous_url.as_deref().filter(|_| input.previous.is_some()) {
        return Err(StorageError::invalid_header("x-ms-previous-snapshot-url", url));
    }
    let container = blobs.resource(&request)?.read();
    let blob = container.admit(&request).map_err(|error| match error.code() {
        // Only this operation answers 304 with a Content-Type (recorded).
        ErrorCode::NotModified => error.with_header("content-type", "application/xml"),
        _ => error,
    })?;
    blob.check_readable(request.now)?;
    let Body::Page { content, .. } = &blob.body else { return Err(ErrorCode::InvalidBlobType.into()) };
    let size = content.len();
    let span = ranges::resolve(input.range.0, size)?.map_or(0..size, |span| span.start..span.end + 1);
    // A page that the range touches is reported entirely (the SDKs' own tests).
    let span = span.start / pages::PAGE * pages::PAGE..span.end.next_multiple_of(pages::PAGE).min(size);
    // A marker is the offset at which the next page of ranges begins.
    let span = input.marker.unwrap_or(0).max(span.start)..span.end;
    let max = input.max.0.unwrap_or(PAGE);
    let previous = match (&input.previous_url, input.previous) {
        (Some(url), _) => Some(snapshot_of(&request, url)?),
        (None, previous) => previous.map(|SnapshotTime(taken)| taken),
    };
    let changes = match previous {
        None => content.written(span).into_iter().map(Change::Written).collect(),
        Some(previous) => {
            let (taken, earlier) = container.snapshot_before(&request, previous)?;
            match &earlier.body {
                Body::Page { content: before, .. } if earlier.created == blob.created => content.changes(before, taken, span),
                _ => return Err(ErrorCode::BlobOverwritten.into()),
            }
        }
    };

    // A difference from a snapshot that is named by its URL ends with a marker too (recorded).
    let has_marker = input.max.0.is_some() || input.marker.is_some() || input.previous_url.is_some();
    let names = RangeListNames { root: "PageList", written: "PageRange" };
    Ok(Reply::xml(request.spec.status, changes::document(names, &changes, max, has_marker))
        .with_state(blob.etag(), blob.last_modified)
        .with("x-ms-blob-content-length", size.to_string()))
}

/// The snapshot that a URL names, which must be one of the blob that the request names.
fn snapshot_of(request: &Request, url: &str) -> Result<Timestamp, StorageError> {
    let invalid = || StorageError::invalid_header("x-ms-previous-snapshot-url", url);
    let found = request.sources.find(request, url, SourceAuthorization::Caller).map_err(|_| invalid())?;
    let SourceLocation::Local(Source { account, target, .. }) = found else { return Err(invalid()) };
    let is_same = account.name == request.account.name
        && target.resource_name()? == request.target.resource_name()?
        && target.blob()?.0 == request.target.blob()?.0;
    target.blob()?.1.snapshot().filter(|_| is_same).ok_or_else(invalid)
}
